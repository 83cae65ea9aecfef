//! Network files with a header that somebody wrote on purpose.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dagzero_fuzz::networks::headers(data));
