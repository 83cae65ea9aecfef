//! Configuration files.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dagzero_fuzz::config::config(data));
