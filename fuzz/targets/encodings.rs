//! Records in any encoding: decoded, read and written with comments.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dagzero_fuzz::records::encodings(data));
