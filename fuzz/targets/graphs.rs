//! Graphs for `dagzero search --graph`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dagzero_fuzz::graphs::graphs(data));
