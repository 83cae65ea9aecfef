//! The ledger: records that any text stands in.

use std::{cell::RefCell, fs};

use dz_store::{Ledger, Run, Stage, layout};
use tempfile::TempDir;

/// More records than this show nothing new.
const RECORDS_MAX: usize = 64;

thread_local! {
    /// One run serves all inputs.
    static RUN: RefCell<(TempDir, Run)> = RefCell::new({
        let dir = TempDir::new().expect("a folder");
        let run = Run::create(dir.path().join("run"), "").expect("a run");
        (dir, run)
    });
}

/// A log whose records are the lines of the input: it is folded, or an error names the record.
pub fn ledger(data: &[u8]) {
    RUN.with_borrow_mut(|(_, run)| {
        let path = |number: usize| run.root().join(layout::log_path(number as u64));
        let mut count = 0;
        for line in data.split(|&byte| byte == b'\n').take(RECORDS_MAX) {
            count += 1;
            fs::write(path(count), line).expect("written");
        }
        match Ledger::open(run) {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(ledger) => {
                let state = ledger.state();
                let _ = Stage::WORKERS.map(|stage| (state.turn(), state.turn_of(stage, 1)));
                assert_eq!(ledger.records().expect("read before").len(), count);
                let _ = (state.positions(), state.games(), state.objects().count());
            }
        }
        for number in 1..=count {
            fs::remove_file(path(number)).expect("removed");
        }
    });
}
