//! Lists of moves from the start.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dagzero_fuzz::games::lists(data));
