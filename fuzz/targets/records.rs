//! Records of games: SGF, PGN, plain text and JSON.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dagzero_fuzz::records::records(data));
