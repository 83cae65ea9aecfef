//! Locks, the sweep, and metrics.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use dz_store::{
    Entry, Fate, Ledger, Leftovers, MetricsWriter, ObjectRef, Pause, Run, RunLock, Stage,
    StoreError, layout,
};
use dz_testkit::wait_until;

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
    let is_taken = || RunLock::acquire_within(&run, Stage::Driver, Duration::ZERO).is_err();
    wait_until("the lock of flock", Duration::from_secs(20), is_taken);
    child.kill().unwrap();
    child.wait().unwrap();
    RunLock::acquire_within(&run, Stage::Driver, Duration::from_secs(5)).unwrap();
}

#[test]
fn the_sweep_removes_what_was_never_published_and_sets_aside_what_no_entry_names() {
    let (_dir, run) = run();
    let mut ledger = Ledger::open(&run).unwrap();
    ledger.claim(Stage::Selfplay).unwrap();
    let [kept, unnamed] = [0, 1].map(|number| layout::shard_path(1, number));
    let object = run.put_create(&kept, b"kept").unwrap();
    ledger.append(shard(0, object.clone())).unwrap();
    run.put_create(&unnamed, b"unnamed").unwrap();
    run.put_create("rows/cycle-0001/train-0000.dzr", b"rows of the shuffler").unwrap();
    let root = run.root();
    let staged = format!("{kept}#123000");
    fs::write(root.join(&staged), "half").unwrap();
    let record = "log/00000000000000000003.json#123000";
    fs::write(root.join(record), "half").unwrap();
    fs::write(root.join("report.html#123000"), "half").unwrap();
    fs::write(run.work_dir(Stage::Selfplay).unwrap().join("notes"), "mine").unwrap();
    // The clock may have been set back since.
    let hour = Duration::from_hours(1);
    let (hour_ago, hour_ahead) = (SystemTime::now() - hour, SystemTime::now() + hour);
    for (path, changed) in [(&kept, hour_ago), (&unnamed, hour_ahead), (&staged, hour_ago)] {
        File::options().write(true).open(root.join(path)).unwrap().set_modified(changed).unwrap();
    }

    let lock = RunLock::acquire(&run, Stage::Selfplay).unwrap();
    let swept = run.sweep(&lock, ledger.state()).unwrap();
    let fates = |swept: &Leftovers| -> Vec<(String, Fate)> {
        swept.own.iter().map(|s| (s.path.clone(), s.fate)).collect()
    };
    assert_eq!(fates(&swept), [(staged, Fate::Unfinished), (unnamed.clone(), Fate::Unnamed)]);
    assert_eq!((swept.own[0].bytes, &swept.foreign[..]), (4, &[][..]));
    run.get(&object).unwrap();
    let aside = root.join("aside").join(&unnamed);
    assert_eq!(fs::read(&aside).unwrap(), b"unnamed");
    assert!(run.sweep(&lock, ledger.state()).unwrap().own.is_empty());
    // Made again with other bytes and left again: both are kept.
    run.put_create(&unnamed, b"other").unwrap();
    run.sweep(&lock, ledger.state()).unwrap();
    assert_eq!(fs::read(aside.with_extension("dzs.2")).unwrap(), b"other");
    // Made again as it was and entered: the one set aside is a copy.
    let again = run.put_create(&unnamed, b"unnamed").unwrap();
    ledger.append(shard(1, again)).unwrap();
    let copy = (format!("aside/{unnamed}"), Fate::Copy);
    assert_eq!(fates(&run.sweep(&lock, ledger.state()).unwrap()), [copy]);
    assert!(!aside.exists() && root.join(&unnamed).exists());

    // Staged records may be another stage's, in flight; old ones are not.
    let driver = RunLock::acquire(&run, Stage::Driver).unwrap();
    assert!(run.sweep(&driver, ledger.state()).unwrap().own.is_empty());
    for path in [record, "report.html#123000"] {
        File::options().write(true).open(root.join(path)).unwrap().set_modified(hour_ago).unwrap();
    }
    assert_eq!(run.sweep(&driver, ledger.state()).unwrap().own.len(), 2);
    Ledger::open(&run).unwrap();
}

fn shard(number: u32, object: ObjectRef) -> Entry {
    Entry::Shard { cycle: 1, generation: 0, number, games: 1, positions: 1, object, board: None }
}

/// Whoever may only read the lock's file cannot hold the lock, and a process that is over is not
/// named.
#[test]
fn a_lock_is_for_those_who_may_write_it() {
    let (_dir, run) = run();
    let path = run.root().join("lock");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    for (made, kept) in [(0o644, 0o600), (0o664, 0o660), (0o666, 0o666), (0o640, 0o600)] {
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(made)).unwrap();
        drop(RunLock::acquire(&run, Stage::Driver).unwrap());
        assert_eq!(mode(), kept, "{made:o}");
    }
    // A holder that wrote nothing, after one that was killed: the killed one is not named.
    let dead = "{\"process_id\":4194304,\"host\":\"HOST\",\"time_unix_ms\":1,\"role\":\"driver\"}";
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    fs::write(&path, dead.replace("HOST", host.trim())).unwrap();
    let silent = File::options().write(true).open(&path).unwrap();
    silent.try_lock().unwrap();
    let error = RunLock::acquire_within(&run, Stage::Driver, Duration::ZERO).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("another process holds") && !text.contains("kill"), "{text}");
    drop(silent);
    // Nor is one that has ended in order.
    drop(RunLock::acquire(&run, Stage::Driver).unwrap());
    assert_eq!(fs::read(&path).unwrap(), b"");
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
    lock.note_pause(Some(pause.clone()));
    assert_eq!(paused(), Some(pause));
    lock.note_pause(None);
    assert_eq!(paused(), None);
    drop(lock);
    let lock = RunLock::acquire(&run, Stage::Selfplay).unwrap();
    assert_eq!(paused(), None);
    drop(lock);
}
