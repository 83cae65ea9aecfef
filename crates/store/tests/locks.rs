//! Locks, the sweep, and metrics.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use dz_store::{Entry, Ledger, MetricsWriter, Pause, Run, RunLock, Stage, StoreError};

fn run() -> (tempfile::TempDir, Run) {
    let dir = tempfile::tempdir().unwrap();
    let run = Run::create(dir.path().join("r"), "seed = 1\n").unwrap();
    (dir, run)
}

#[test]
fn a_lock_is_held_once_and_says_by_whom() {
    let (_dir, run) = run();
    assert_eq!(RunLock::holder(&run, Stage::Driver), None);
    let held = RunLock::acquire(&run, Stage::Driver).unwrap();
    let error = RunLock::acquire_within(&run, Stage::Driver, Duration::ZERO).unwrap_err();
    let text = error.to_string();
    let process_id = std::process::id();
    assert!(matches!(error, StoreError::InUse { process_id: p, .. } if p == process_id));
    assert!(text.contains(&format!("process {process_id}")) && text.contains("UTC"), "{text}");
    assert_eq!(RunLock::holder(&run, Stage::Driver).unwrap().process_id, process_id);
    // Another stage has a lock of its own.
    RunLock::acquire_within(&run, Stage::Trainer, Duration::ZERO).unwrap();
    drop(held);
    RunLock::acquire_within(&run, Stage::Driver, Duration::ZERO).unwrap();
    assert_eq!(RunLock::holder(&run, Stage::Driver), None);
}

/// Children that are forked while a lock is held have a copy of its file until they call exec.
#[test]
fn a_dropped_lock_is_free_while_children_start() {
    let (_dir, run) = run();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let forking = thread::spawn(move || {
        while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            Command::new("true").status().unwrap();
        }
    });
    for _ in 0..300 {
        drop(RunLock::acquire_within(&run, Stage::Driver, Duration::ZERO).unwrap());
        assert_eq!(RunLock::holder(&run, Stage::Driver), None);
    }
    drop(stop);
    forking.join().unwrap();
}

#[test]
fn a_restart_waits_for_a_dying_holder() {
    let (_dir, run) = run();
    let held = RunLock::acquire(&run, Stage::Driver).unwrap();
    let dying = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        drop(held);
    });
    let begun = Instant::now();
    RunLock::acquire(&run, Stage::Driver).unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(150));
    dying.join().unwrap();
}

#[test]
fn a_killed_process_holds_nothing() {
    let (_dir, run) = run();
    let path = run.root().join("lock");
    // flock(1) takes the lock that File::try_lock takes; exec leaves one process to kill.
    let mut child = Command::new("flock")
        .args(["--no-fork", path.to_str().unwrap(), "sleep", "60"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while RunLock::acquire_within(&run, Stage::Driver, Duration::ZERO).is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(20), "flock never took the lock");
        thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    RunLock::acquire_within(&run, Stage::Driver, Duration::from_secs(5)).unwrap();
}

#[test]
fn the_sweep_removes_what_no_entry_names() {
    let (_dir, run) = run();
    let mut ledger = Ledger::open(&run).unwrap();
    ledger.claim(Stage::Selfplay).unwrap();
    let kept = run.put_create("shards/c1/kept", b"kept").unwrap();
    let entry = Entry::Shard {
        cycle: 1,
        generation: 0,
        number: 0,
        games: 1,
        positions: 1,
        object: kept.clone(),
    };
    ledger.append(entry).unwrap();
    run.put_create("shards/c1/unnamed", b"unnamed").unwrap();
    run.put_create("rows/others", b"rows of the shuffler").unwrap();
    let root = run.root();
    fs::write(root.join("shards/c1/kept#1"), "half").unwrap();
    fs::write(root.join("log/00000000000000000009.json#1"), "half").unwrap();
    fs::write(run.work_dir(Stage::Selfplay).unwrap().join("notes"), "mine").unwrap();
    let (hour_ago, hour_ahead) =
        (SystemTime::now() - Duration::from_hours(1), SystemTime::now() + Duration::from_hours(1));
    // The clock may have been set back since.
    for (path, changed) in [
        ("shards/c1/kept", hour_ago),
        ("shards/c1/unnamed", hour_ahead),
        ("shards/c1/kept#1", hour_ago),
        ("rows/others", hour_ago),
    ] {
        File::options().write(true).open(root.join(path)).unwrap().set_modified(changed).unwrap();
    }

    let lock = RunLock::acquire(&run, Stage::Selfplay).unwrap();
    let swept = run.sweep(&lock, ledger.state()).unwrap();
    let paths: Vec<(&str, bool)> = swept.iter().map(|s| (s.path.as_str(), s.staged)).collect();
    assert_eq!(paths, [("shards/c1/kept#1", true), ("shards/c1/unnamed", false)]);
    assert_eq!(swept[0].bytes, 4);
    run.get(&kept).unwrap();
    assert!(run.sweep(&lock, ledger.state()).unwrap().is_empty());

    // Staged records may be another stage's, in flight; old ones are not.
    let driver = RunLock::acquire(&run, Stage::Driver).unwrap();
    assert!(run.sweep(&driver, ledger.state()).unwrap().is_empty());
    let staged = root.join("log/00000000000000000009.json#1");
    File::options().write(true).open(&staged).unwrap().set_modified(hour_ago).unwrap();
    assert_eq!(run.sweep(&driver, ledger.state()).unwrap().len(), 1);
    Ledger::open(&run).unwrap();
}

#[test]
fn metrics_survive_a_torn_line() {
    type Line = BTreeMap<String, u32>;
    let line = |number| Line::from([("step".to_owned(), number)]);
    let (_dir, run) = run();
    let mut writer = MetricsWriter::open(&run, Stage::Trainer).unwrap();
    writer.write(&line(1)).unwrap();
    writer.write(&line(2)).unwrap();
    let path = run.root().join("metrics/trainer.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    // More than is looked at in one piece.
    fs::write(&path, whole.clone() + "{\"half" + &"x".repeat(10_000)).unwrap();
    assert_eq!(run.metrics::<Line>(Stage::Trainer).unwrap(), [line(1), line(2)]);
    assert_eq!(run.damaged_metrics(Stage::Trainer).unwrap(), 0);
    MetricsWriter::open(&run, Stage::Trainer).unwrap().write(&line(3)).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(&whole) && text.lines().count() == 3, "{text}");
    // A changed number is not taken; lines of earlier versions, without a hash, are.
    fs::write(&path, text.replace(":2,", ":7,") + "{\"step\":4}\n").unwrap();
    assert_eq!(run.metrics::<Line>(Stage::Trainer).unwrap(), [line(1), line(3), line(4)]);
    assert_eq!(run.damaged_metrics(Stage::Trainer).unwrap(), 1);
    assert!(run.metrics::<Line>(Stage::Selfplay).unwrap().is_empty());
}

#[test]
fn a_holder_that_waits_says_so_until_it_goes_on() {
    let (_dir, run) = run();
    let lock = RunLock::acquire(&run, Stage::Selfplay).unwrap();
    let paused = || RunLock::holder(&run, Stage::Selfplay).expect("it is held").paused;
    assert_eq!(paused(), None);
    let pause = Pause { since_unix_ms: 7, reason: "no space left for \"shards/x\"\n".to_owned() };
    lock.tell_pause(Some(pause.clone()));
    assert_eq!(paused(), Some(pause));
    lock.tell_pause(None);
    assert_eq!(paused(), None);
    drop(lock);
    let lock = RunLock::acquire(&run, Stage::Selfplay).unwrap();
    assert_eq!(paused(), None);
    drop(lock);
}
