//! Positions, FEN above all.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dagzero_fuzz::games::positions(data));
