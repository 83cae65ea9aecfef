//! An error of the device at every point of writing, alone and in bursts: whoever tries again ends
//! in the same bytes.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use dz_store::{Entry, Faults, Ledger, ObjectRef, Run, RunLock, Stage, StoreError, layout};

/// More errors than any burst here has.
const TRIES_MAX: usize = 200;

/// Does something until it succeeds; counts the errors, which are all of the device.
fn insist<T>(errors: &mut usize, mut act: impl FnMut() -> Result<T, StoreError>) -> T {
    for _ in 0..TRIES_MAX {
        match act() {
            Ok(done) => return done,
            Err(error) => {
                assert!(error.is_temporary(), "{error}");
                assert!(!error.to_string().contains('\n'), "{error}");
                *errors += 1;
            }
        }
    }
    panic!("it never succeeds");
}

/// Writes a small run under faults; answers how many errors there were.
fn write(root: &Path, faults: &Faults) -> usize {
    let mut errors = 0;
    let run = insist(&mut errors, || {
        Run::create(root, "seed = 1\n").map(|run| run.with_faults(faults.clone()))
    });
    let mut ledger = insist(&mut errors, || Ledger::open(&run));
    insist(&mut errors, || ledger.claim(Stage::Selfplay));
    for number in 0..3 {
        let path = layout::shard_path(1, number);
        let object: ObjectRef = insist(&mut errors, || run.put_create(&path, path.as_bytes()));
        // Tried again only if it was not entered all the same, as a stage does.
        insist(&mut errors, || {
            ledger.poll()?;
            if ledger.state().shards().any(|(_, shard)| u64::from(shard.number) == number) {
                return Ok(());
            }
            let (object, number) = (object.clone(), number as u32);
            let entry = Entry::Shard {
                cycle: 1,
                generation: 0,
                number,
                games: 1,
                positions: 1,
                object,
                board: None,
            };
            ledger.append(entry).map(drop)
        });
    }
    insist(&mut errors, || run.replace(layout::REPORT, b"report"));
    let lock = RunLock::acquire(&run, Stage::Selfplay).unwrap();
    let left = insist(&mut errors, || run.sweep(&lock, ledger.state()));
    assert!(left.foreign.is_empty(), "{left:?}");
    errors
}

/// Published files with their content, and the number of records that count.
fn outcome(root: &Path) -> (BTreeMap<String, Vec<u8>>, usize, Vec<ObjectRef>) {
    let run = Run::open(root).unwrap();
    let ledger = Ledger::open(&run).unwrap();
    let paths = ["shards", "aside"].iter().flat_map(|folder| run.list(folder).unwrap());
    let files = paths.chain([layout::REPORT.to_owned()]);
    let files = files.map(|path| (path.clone(), fs::read(root.join(path)).unwrap())).collect();
    let objects: Vec<ObjectRef> = ledger.state().objects().cloned().collect();
    for object in &objects {
        run.verify(object).unwrap();
    }
    (files, ledger.state().shards().count(), objects)
}

#[test]
fn errors_at_every_point_alone_and_in_bursts_change_nothing_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole");
    assert_eq!(write(&whole, &Faults::default()), 0);
    let whole = outcome(&whole);
    for (action, burst) in [("eio", 1), ("eio", 25), ("enospc", 3)] {
        for point in 1.. {
            let root = folder.path().join(format!("{action}-{burst}-{point}"));
            let faults = Faults::parse(&format!("{action} * from={point} times={burst}")).unwrap();
            let errors = write(&root, &faults);
            assert_eq!(outcome(&root), whole, "{action} {burst} times from point {point}");
            fs::remove_dir_all(&root).unwrap();
            if errors == 0 {
                assert!(point > 40, "only {point} points");
                break;
            }
        }
    }
}
