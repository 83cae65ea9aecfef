//! What front ends say in GTP and UCI.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dagzero_fuzz::protocols::protocols(data));
