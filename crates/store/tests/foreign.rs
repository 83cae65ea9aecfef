//! Files that are not a run's own: none is changed, removed or waited for, at any place.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

#[path = "common/trees.rs"]
mod trees;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use dz_store::{
    Entry, Ledger, MetricsWriter, ObjectRef, Run, RunLock, RunState, Stage, StoreError, Writes,
    layout,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use trees::{name, outside, put, tree};

fn shard(number: u32, object: ObjectRef) -> Entry {
    Entry::Shard { cycle: 1, generation: 0, number, games: 1, positions: 1, object, board: None }
}

#[test]
fn a_new_run_is_refused_where_its_files_would_lie_beside_those_of_others() {
    let (mut refused, mut made) = (0, 0);
    for seed in 0..150 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("r"), outside(folder.path()));
        fs::create_dir(&root).unwrap();
        for _ in 0..random.random_range(1..4) {
            let name = name(&mut random);
            put(&mut random, &root, &outside, &name);
        }
        let before = tree(folder.path());
        match Run::create(&root, "seed = 1\n") {
            Err(error @ (StoreError::Occupied { .. } | StoreError::NotFound { .. })) => {
                assert!(!error.to_string().contains('\n'), "{error}");
                assert_eq!(tree(folder.path()), before, "seed {seed}");
                refused += 1;
            }
            Err(error) => panic!("seed {seed}: {error}"),
            Ok(run) => {
                made += 1;
                live(&run);
                let after = tree(folder.path());
                let is_kept = |(path, what): (&PathBuf, &String)| after.get(path) == Some(what);
                assert!(before.iter().all(is_kept), "seed {seed}");
            }
        }
    }
    assert!(refused > 60 && made > 3, "{refused} refused, {made} made");
}

/// Everything that processes of a run do with its files; failures are answered, not met with a
/// panic.
fn live(run: &Run) -> Vec<StoreError> {
    let mut errors = Vec::new();
    let mut note = |result: Result<(), StoreError>| errors.extend(result.err());
    note(run.check_places());
    let state = Ledger::open(run).map(|ledger| ledger.state().clone()).unwrap_or_default();
    for stage in [Stage::Driver].into_iter().chain(Stage::WORKERS) {
        match RunLock::acquire(run, stage) {
            Ok(lock) => note(run.sweep(&lock, &state).map(drop)),
            Err(error) => note(Err(error)),
        }
        note(
            MetricsWriter::open(run, stage)
                .and_then(|mut file| file.write(&BTreeMap::from([("a", 1)]))),
        );
        note(run.open_to_write(&layout::stage_log_path(stage), Writes::Append).map(drop));
        note(run.work_dir(stage).map(drop));
        note(run.damaged_metrics(stage).map(drop));
        RunLock::holder(run, stage);
    }
    for path in
        [layout::shard_path(1, 7), layout::network_path(1), layout::rows_path(2, "train", 0)]
    {
        note(run.put_create(&path, b"new").map(drop));
        note(run.delete(&path).map(drop));
    }
    note(run.leftovers(&state).map(drop));
    note(run.usage().map(drop));
    for object in state.objects() {
        note(run.verify(object));
        note(run.get(object).map(drop));
        note(run.enter_loss(object).map(drop));
        note(run.delete(&object.path).map(drop));
    }
    for file in [layout::REPORT, layout::EXPECTED, layout::CONFIG] {
        note(run.read(file).map(drop));
        // A file of this name is the run's; that a report is, its writer finds out.
        if !run.root().join(file).is_file() {
            note(run.replace(file, b"new"));
        }
    }
    errors
}

/// A run with a shard that a record names.
fn small_run(root: &Path) -> (Run, RunState) {
    let run = Run::create(root, "seed = 1\n").unwrap();
    let mut ledger = Ledger::open(&run).unwrap();
    ledger.claim(Stage::Selfplay).unwrap();
    let object = run.put_create(&layout::shard_path(1, 0), b"games").unwrap();
    ledger.append(shard(0, object)).unwrap();
    let state = ledger.state().clone();
    (run, state)
}

#[test]
fn foreign_files_in_and_around_a_run_stay_as_they_are() {
    for seed in 0..150 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("r"), outside(folder.path()));
        let (run, _) = small_run(&root);
        let mut foreign = Vec::new();
        for _ in 0..random.random_range(1..5) {
            let name = name(&mut random);
            if put(&mut random, &root, &outside, &name) {
                foreign.push(root.join(name));
            }
        }
        let before = tree(folder.path());
        for error in live(&run) {
            let text = error.to_string();
            assert!(!text.contains('\n'), "{text}");
        }
        let after = tree(folder.path());
        for (path, what) in &before {
            // Under one of the run's own names a regular file passes for the run's.
            let inside = path.strip_prefix(&root).ok().and_then(|path| path.to_str());
            let is_fixed = inside.is_some_and(|path| {
                path.starts_with("lock")
                    || path.starts_with("metrics/")
                    || path.starts_with("logs/")
            });
            if foreign.contains(path) && is_fixed && what.starts_with("file ") {
                continue;
            }
            // Set aside, it is what it was.
            let aside = inside.map(|path| root.join("aside").join(path));
            let now = after.get(path).or_else(|| after.get(&aside?));
            let is_own = inside == Some("shards/cycle-0001/00000000.dzs");
            assert!(is_own || now == Some(what), "seed {seed}: {} was {what}", path.display());
        }
    }
}

/// `ln -s ~/x RUN/matches` for every folder and file of a run: nothing behind the link changes, and
/// the message names it.
#[test]
fn nothing_is_written_or_removed_through_links() {
    let fixed = [
        "config.toml",
        "report.html",
        "lock",
        "lock-trainer",
        "logs/trainer.log",
        "metrics/trainer.jsonl",
    ];
    let folders = layout::FOLDERS.into_iter().chain(["work/shuffler", "aside"]);
    for name in folders.chain(fixed) {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("r"), outside(folder.path()));
        let (run, _) = small_run(&root);
        let path = root.join(name);
        let moved = folder.path().join("moved");
        if path.exists() {
            fs::rename(&path, &moved).unwrap();
        }
        let is_file = fixed.contains(&name);
        // A copy of what was there leads the processes on as far as they go.
        let to = if moved.exists() { moved } else { outside };
        symlink(if is_file && to.is_dir() { to.join("x/y") } else { to }, &path).unwrap();
        let before = tree(folder.path());
        let error = run.check_places().unwrap_err();
        assert!(matches!(error, StoreError::NotOurs { .. }), "{name}: {error}");
        let text = error.to_string();
        assert!(text.starts_with(name) && text.contains("is a link"), "{text}");
        live(&run);
        let after = tree(folder.path());
        for (path, what) in before.iter().filter(|(path, _)| !path.starts_with(&root)) {
            assert_eq!(after.get(path), Some(what), "{name}");
        }
        let beside = |tree: &BTreeMap<PathBuf, String>| {
            tree.keys().filter(|path| !path.starts_with(&root)).count()
        };
        assert_eq!(beside(&after), beside(&before), "{name}");
        assert_eq!(after.get(&path), before.get(&path), "{name}");
    }
}

/// A pipe has no writer and a device no end: reading them is refused.
#[test]
fn pipes_and_devices_are_never_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let (run, state) = small_run(&folder.path().join("r"));
    let object = state.objects().next().unwrap().clone();
    let path = run.local_path(&object);
    for kind in ["pipe", "zero", "folder", "link to a pipe"] {
        let _ = fs::remove_file(&path);
        match kind {
            "pipe" => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
            "zero" => symlink("/dev/zero", &path).unwrap(),
            "folder" => fs::create_dir(&path).unwrap(),
            _ => {
                fs::remove_dir(&path).unwrap();
                let pipe = folder.path().join("pipe");
                assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
                symlink(pipe, &path).unwrap();
            }
        }
        for result in [
            run.verify(&object),
            run.get(&object).map(drop),
            run.read(&object.path).map(drop),
            run.get_range(&object, 0..1).map(drop),
            run.put_create(&object.path, b"games").map(drop),
            run.move_to(&object.path, "quarantine/x").map(drop),
        ] {
            let error = result.unwrap_err();
            assert!(matches!(error, StoreError::NotOurs { .. }), "{kind}: {error}");
        }
    }
}

/// A record whose seal is right and whose path leads out of the run is refused as a damaged one is.
#[test]
fn records_with_paths_that_leave_the_run_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (run, _) = small_run(&folder.path().join("r"));
    let path = run.root().join(layout::log_path(2));
    let good = fs::read_to_string(&path).unwrap();
    for bad in [
        "../secret/id_rsa",
        "shards/../../secret/f",
        "/etc/passwd",
        "networks/a",
        "shards//a",
        "shards",
    ] {
        let changed = good.replace(&layout::shard_path(1, 0), bad);
        let object = changed.split(",\"blake3\":\"").collect::<Vec<_>>();
        let body = object[..object.len() - 1].join(",\"blake3\":\"") + "}";
        fs::write(&path, dz_store::seal(body.as_bytes(), dz_store::SEAL_DIGITS)).unwrap();
        let error = Ledger::open(&run).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{text}");
        assert!(text.contains("record") || text.contains("names the file"), "{text}");
        assert!(!text.contains('\n'), "{text}");
        assert_eq!(dz_store::Audit::of(&run).unwrap().faults.len(), 1);
    }
    fs::write(&path, good).unwrap();
    Ledger::open(&run).unwrap();
}

/// Two runs whose folders of shards are links to one folder would take each other's files for
/// leftovers.
#[test]
fn runs_that_share_a_folder_by_links_leave_it_alone() {
    let folder = tempfile::tempdir().unwrap();
    let shared = folder.path().join("shared");
    let runs = ["a", "b"].map(|name| {
        let (run, state) = small_run(&folder.path().join(name));
        let shards = run.root().join("shards");
        if shared.exists() {
            fs::remove_dir_all(&shards).unwrap();
        } else {
            fs::rename(&shards, &shared).unwrap();
        }
        symlink(&shared, &shards).unwrap();
        (run, state)
    });
    fs::write(shared.join("cycle-0001/00000005.dzs"), "of another run").unwrap();
    fs::write(shared.join("cycle-0001/00000006.dzs#123000"), "of another run").unwrap();
    let before = tree(&shared);
    for (run, _) in &runs {
        let lock = RunLock::acquire(run, Stage::Selfplay).unwrap();
        assert!(run.check_places().is_err());
        let _ = run.sweep(&lock, &RunState::default());
    }
    assert_eq!(tree(&shared), before);
}

/// Folders that hold nothing do not travel through archives, and people tidy up.
#[test]
fn missing_folders_are_made_again() {
    for gone in layout::FOLDERS {
        let folder = tempfile::tempdir().unwrap();
        let (run, _) = small_run(&folder.path().join("r"));
        fs::remove_dir_all(run.root().join(gone)).unwrap();
        MetricsWriter::open(&run, Stage::Trainer).unwrap();
        run.put_create(&layout::network_path(1), b"network").unwrap();
        fs::remove_dir_all(run.root().join(gone)).unwrap_or(());
        run.check_places().unwrap();
        assert!(run.root().join(gone).is_dir(), "{gone}");
    }
}

/// Names that are no text are nobody's here, and hinder nobody.
#[test]
fn names_that_are_not_utf8_are_left_alone() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let (run, state) = small_run(&folder.path().join("r"));
    let odd = std::ffi::OsStr::from_bytes(b"caf\xe9.dzs");
    for name in ["", "log", "snapshots", "shards", "shards/cycle-0001", "work", "networks"] {
        fs::write(run.root().join(name).join(odd), "mine").unwrap();
    }
    let ledger = Ledger::open(&run).unwrap();
    assert_eq!(ledger.state(), &state);
    let lock = RunLock::acquire(&run, Stage::Selfplay).unwrap();
    let left = run.sweep(&lock, &state).unwrap();
    assert_eq!((left.own.len(), left.foreign.len()), (0, 2), "{left:?}");
    assert!(run.root().join("shards").join(odd).exists());
    drop(lock);
    let errors = live(&run);
    assert!(errors.iter().all(|error| matches!(error, StoreError::NotFound { .. })), "{errors:?}");
}
