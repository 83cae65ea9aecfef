//! Logs of runs.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dagzero_fuzz::ledger::ledger(data));
