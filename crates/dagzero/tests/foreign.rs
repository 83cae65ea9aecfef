//! What is not a run's own, under the whole program: commands refuse it, leave it alone and never
//! wait for it.

#[allow(dead_code, reason = "the store's tests use the rest")]
#[path = "../../store/tests/common/trees.rs"]
mod trees;

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{FileTypeExt, symlink},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::program::{self, smoke_preset};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use trees::tree;

/// Longest time that a command may take that has nothing to play.
const QUICK: Duration = Duration::from_mins(1);

/// Runs a command that is not to hang.
fn dagzero(args: &[&str]) -> Output {
    let mut command = program::command(args);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("dagzero starts");
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begun.elapsed() > QUICK {
            child.kill().expect("killed");
            panic!("{args:?} hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("its output")
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("{}", program::text(&output.stderr)))
}

/// The one line that a command that is refused says.
fn said(output: &Output) -> String {
    let text = program::text(&output.stderr);
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    text
}

/// A short run that is over.
fn small_run(dir: &str) {
    let set = ["run.cycles=2", "bootstrap.games=48", "selfplay.games=32", "gate.rule=always"];
    let mut command = program::command(&["run"]);
    command.arg(smoke_preset()).args(["--dir", dir]);
    for pair in set {
        command.args(["--set", pair]);
    }
    let done = command.output().expect("dagzero starts");
    assert!(done.status.success(), "{}", program::text(&done.stderr));
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

/// Made anew after public reports: a folder of somebody's own project is taken for a new run.
#[test]
fn a_run_is_not_made_among_the_files_of_others() {
    let own = [
        "checkpoints/run7/model.pt",
        "networks/best.onnx",
        "rows/a.csv",
        "shards/0.tar",
        "matches/x.pgn",
        "logs/app.log",
        "metrics/loss.csv",
        "work/notes.txt",
        "log/0.txt",
        "snapshots/db.img",
        "report.html",
        "config.toml",
        "expected.json",
        "lock",
        "aside/x",
    ];
    for name in own {
        let folder = tempfile::tempdir().expect("a folder");
        write(&folder.path().join("p").join(name), "[mine]\nkey = 1\n");
        write(&folder.path().join("p/README.md"), "mine");
        let before = tree(folder.path());
        let dir = folder.path().join("p").display().to_string();
        for command in ["run", "init"] {
            let output = dagzero(&[command, &smoke_preset(), "--dir", &dir]);
            assert_eq!(code(&output), 78, "{name}: {}", program::text(&output.stderr));
            let text = said(&output);
            assert!(text.contains(name.split('/').next().expect("a part")), "{name}: {text}");
            assert_eq!(tree(folder.path()), before, "{name}");
        }
    }
}

#[test]
fn files_that_a_run_has_no_names_for_stay_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("p");
    for name in ["README.md", "my.toml", "src/main.py", "data/x", "results/report.html"] {
        write(&root.join(name), "mine");
    }
    symlink("/nowhere", root.join("dangling")).expect("a link");
    fs::create_dir(root.join("networks")).expect("made");
    let before = tree(&root);
    small_run(&root.display().to_string());
    let after = tree(&root);
    assert!(before.iter().all(|(path, what)| after.get(path) == Some(what)));
    assert!(after.len() > before.len() + 20);
}

fn status(dir: &str) -> serde_json::Value {
    let said = dagzero(&["status", dir, "--json"]);
    serde_json::from_slice(&said.stdout).unwrap_or_default()
}

/// Starts or resumes a run, and kills its driver a while after the run exists, which takes the
/// stages along. On a machine that is busy, a run can take seconds to exist.
fn killed(dir: &str, after: Duration) {
    let mut command = program::command(&["run"]);
    command.arg(smoke_preset()).args(["--dir", dir, "--set", "run.cycles=30"]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a run");
    let begun = Instant::now();
    while !Path::new(dir).join("config.toml").exists() && begun.elapsed() < QUICK {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(after);
    child.kill().expect("killed, or over");
    child.wait().expect("over");
    // Stages notice within a poll that their driver is gone.
    let begun = Instant::now();
    while begun.elapsed() < QUICK {
        if status(dir)["stages"].as_array().is_none_or(Vec::is_empty) {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("stages outlive their driver");
}

/// Random trees of files, links and pipes come to lie in and around a run that is killed at random
/// moments: nothing of them is changed or removed, and the run goes on or is refused with a reason.
#[test]
fn random_trees_stay_as_they_are_while_runs_are_killed_and_resumed() {
    let mut refused = 0;
    for seed in 0..8 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let (root, outside) = (folder.path().join("r"), trees::outside(folder.path()));
        let dir = root.display().to_string();
        killed(&dir, Duration::from_millis(random.random_range(150..900)));
        let own = tree(&root);
        for _ in 0..random.random_range(3..9) {
            let name = trees::other(&mut random);
            trees::put(&mut random, &root, &outside, &name);
        }
        let foreign = |tree: BTreeMap<PathBuf, String>| -> BTreeMap<PathBuf, String> {
            tree.into_iter().filter(|(path, _)| !own.contains_key(path)).collect()
        };
        let before = foreign(tree(folder.path()));
        let is_kept = |moment: &str| {
            let after = tree(folder.path());
            for (path, what) in &before {
                assert_eq!(
                    after.get(path),
                    Some(what),
                    "seed {seed}, {moment}: {}",
                    path.display()
                );
            }
        };
        for _ in 0..2 {
            killed(&dir, Duration::from_millis(random.random_range(50..900)));
            is_kept("after a kill");
        }
        let cycles =
            format!("run.cycles={}", status(&dir)["cycles_done"].as_u64().unwrap_or(0) + 1);
        let last = dagzero(&["resume", &dir, "--set", &cycles]);
        is_kept("after the last start");
        match code(&last) {
            0 => {}
            78 => {
                let text = said(&last);
                assert!(text.contains("link") || text.contains("pipe"), "seed {seed}: {text}");
                refused += 1;
            }
            other => panic!("seed {seed}: {other} {}", program::text(&last.stderr)),
        }
        dagzero(&["verify", &dir, "--quarantine"]);
        is_kept("after verify --quarantine");
    }
    assert!(refused < 8, "no run went on");
}

/// `ln -s ~/x RUN/matches; resume` and the like: refused, and nothing behind the link changes.
#[test]
#[expect(clippy::too_many_lines, reason = "one run, each of whose files is replaced in turn")]
fn links_and_pipes_in_the_place_of_a_runs_own_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("run");
    let dir = root.display().to_string();
    small_run(&dir);
    let fixed = [
        "report.html",
        "config.toml",
        "lock",
        "lock-trainer",
        "logs/trainer.log",
        "metrics/trainer.jsonl",
    ];
    let folders = [
        "log",
        "snapshots",
        "shards",
        "rows",
        "networks",
        "checkpoints",
        "matches",
        "metrics",
        "logs",
        "work",
        "work/shuffler",
    ];
    for name in fixed.into_iter().chain(folders) {
        let (path, moved) = (root.join(name), folder.path().join("moved"));
        fs::rename(&path, &moved).expect("moved");
        for kind in ["link", "pipe", "dangling"] {
            match kind {
                "link" => symlink(&moved, &path).expect("a link"),
                "dangling" => symlink(folder.path().join("none"), &path).expect("a link"),
                _ => {
                    let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo");
                    assert!(made.success());
                }
            }
            let before = tree(folder.path());
            let output = dagzero(&["resume", &dir, "--set", "run.cycles=3"]);
            let text = program::text(&output.stderr);
            assert_ne!(code(&output), 0, "{name}, {kind}: {text}");
            let is_run = name != "config.toml" || kind == "link";
            if is_run && !(name == "log" && kind == "dangling") {
                assert_eq!(code(&output), 78, "{name}, {kind}: {text}");
                assert!(said(&output).contains(name), "{name}, {kind}: {text}");
            }
            for command in ["verify", "status"] {
                let output = dagzero(&[command, &dir]);
                let text = program::text(&output.stderr);
                assert!(text.lines().count() <= 1, "{command}, {name}, {kind}: {text}");
            }
            assert_eq!(tree(folder.path()), before, "{name}, {kind}");
            let output = dagzero(&["report", &dir]);
            assert!(program::text(&output.stderr).lines().count() <= 1, "{name}, {kind}");
            let beside = |tree: BTreeMap<PathBuf, String>| -> BTreeMap<PathBuf, String> {
                tree.into_iter().filter(|(path, _)| !path.starts_with(&root)).collect()
            };
            assert_eq!(beside(tree(folder.path())), beside(before), "{name}, {kind}");
            fs::remove_file(&path).expect("removed");
        }
        fs::rename(&moved, &path).expect("put back");
    }
    // Every published file as a pipe: reported, not waited for.
    let published = tree(&root).into_keys().filter(|path| {
        let inside = path.strip_prefix(&root).expect("inside").display().to_string();
        let of = |folder: &&str| inside.starts_with(&format!("{folder}/"));
        path.is_file()
            && ["log", "shards", "rows", "networks", "checkpoints", "matches"].iter().any(of)
    });
    let mut kinds = BTreeMap::new();
    for path in published {
        let kind = path.parent().expect("a folder").to_owned();
        kinds.insert(kind, path);
    }
    for path in kinds.into_values() {
        let moved = folder.path().join("moved");
        fs::rename(&path, &moved).expect("moved");
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        for command in ["verify", "status", "report"] {
            let output = dagzero(&[command, &dir]);
            let text = program::text(&output.stderr);
            assert!(text.lines().count() <= 1, "{command}, {}: {text}", path.display());
            let is_seen = command != "verify" || code(&output) == 1;
            // Of a last record nothing says that it has been there.
            assert!(is_seen || path.to_string_lossy().contains("/log/"), "{}", path.display());
        }
        dagzero(&["verify", &dir, "--quarantine"]);
        let kind = fs::symlink_metadata(&path).expect("there").file_type();
        assert!(kind.is_fifo(), "{} was moved", path.display());
        fs::remove_file(&path).expect("removed");
        fs::rename(&moved, &path).expect("put back");
    }
    assert!(dagzero(&["verify", &dir]).status.success());
}

#[test]
fn paths_in_records_lead_nowhere_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("run");
    let dir = root.display().to_string();
    small_run(&dir);
    for name in ["secret/id_rsa", "run/other/f"] {
        write(&folder.path().join(name), "secret");
    }
    let records: Vec<PathBuf> = tree(&root.join("log")).into_keys().collect();
    let record = records.into_iter().find(|path| {
        fs::read_to_string(path).is_ok_and(|text| text.contains("\"kind\":\"shard\""))
    });
    let record = record.expect("a shard's record");
    let good = fs::read_to_string(&record).expect("read");
    let body = good.rsplit_once(",\"blake3\":\"").expect("sealed").0;
    let own =
        body.split("\"path\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a path");
    for path in
        ["../secret/id_rsa", "shards/../../secret/id_rsa", "/dev/zero", "other/f", "shards/./x"]
    {
        let changed = format!("{}}}", body.replace(own, path));
        fs::write(&record, dz_store::seal(changed.as_bytes(), dz_store::SEAL_DIGITS))
            .expect("written");
        let before = tree(folder.path());
        for args in [
            &["verify", &dir][..],
            &["verify", &dir, "--quarantine"],
            &["resume", &dir, "--set", "run.cycles=3"],
        ] {
            let output = dagzero(args);
            assert_eq!(code(&output), 1, "{args:?}, {path}: {}", program::text(&output.stderr));
        }
        assert_eq!(outside(&root, tree(folder.path())), outside(&root, before.clone()), "{path}");
        let after = tree(folder.path());
        let gone: Vec<&PathBuf> = before.keys().filter(|path| !after.contains_key(*path)).collect();
        assert!(gone.is_empty(), "{gone:?}");
    }
    fs::write(&record, good).expect("restored");
    assert!(dagzero(&["verify", &dir]).status.success());
}

/// What of a tree is not a run's, or in no folder of one.
fn outside(root: &Path, tree: BTreeMap<PathBuf, String>) -> BTreeMap<PathBuf, String> {
    let is_outside = |path: &Path| !path.starts_with(root) || path.starts_with(root.join("other"));
    tree.into_iter().filter(|(path, _)| is_outside(path)).collect()
}

/// Made anew after public reports: empty folders do not travel, and people tidy up.
#[test]
fn folders_that_are_gone_are_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("run");
    let dir = root.display().to_string();
    let set = ["--set", "run.cycles=1", "--set", "bootstrap.games=48", "--set", "gate.rule=always"];
    assert_eq!(code(&dagzero(&[&["init", &smoke_preset(), "--dir", &dir], &set[..]].concat())), 0);
    for entry in fs::read_dir(&root).expect("a folder") {
        // Those with something in them stay.
        let _ = fs::remove_dir(entry.expect("an entry").path());
    }
    assert!(!root.join("metrics").exists());
    let output = dagzero(&["resume", &dir]);
    assert_eq!(code(&output), 0, "{}", program::text(&output.stderr));
    for (cycles, gone) in [(2, "metrics"), (3, "logs"), (4, "work"), (5, "snapshots")] {
        fs::remove_dir_all(root.join(gone)).expect("removed");
        let output = dagzero(&["resume", &dir, "--set", &format!("run.cycles={cycles}")]);
        assert_eq!(code(&output), 0, "{gone}: {}", program::text(&output.stderr));
        assert!(root.join(gone).is_dir(), "{gone}");
    }
    assert!(dagzero(&["verify", &dir]).status.success());
}

/// Made anew after public reports: one shard is gone.
#[test]
fn a_lost_shard_is_entered_and_the_run_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("run").display().to_string();
    small_run(&dir);
    let shards: Vec<PathBuf> = tree(Path::new(&dir).join("shards").as_path()).into_keys().collect();
    let shard = shards.into_iter().rfind(|path| path.is_file()).expect("a shard");
    fs::remove_file(&shard).expect("removed");
    let output = dagzero(&["resume", &dir, "--set", "run.cycles=3"]);
    let text = program::text(&output.stderr) + &program::text(&output.stdout);
    assert!(code(&output) != 0 && text.contains("--quarantine"), "{text}");
    let output = dagzero(&["verify", &dir, "--quarantine"]);
    let text = program::text(&output.stdout);
    assert!(code(&output) == 1 && text.contains("\nlost "), "{text}");
    assert!(!text.contains("in use"), "{text}");
    let output = dagzero(&["resume", &dir]);
    assert_eq!(code(&output), 0, "{}", program::text(&output.stderr));
    let output = dagzero(&["verify", &dir, "--json"]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["bad"].as_array().expect("a list").len(), 1, "{found}");
    assert!(found["bad"][0]["what"].as_str().expect("text").contains("entered as lost"), "{found}");
}

/// What `verify` advises for a damaged record: the files that the records named are still there
/// afterwards.
#[test]
fn a_log_that_is_cut_sets_later_files_aside() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("run");
    let dir = root.display().to_string();
    small_run(&dir);
    let files =
        |kind: &str| tree(&root.join(kind)).into_keys().filter(|path| path.is_file()).count();
    let before: usize = ["shards", "networks", "checkpoints", "matches"].map(files).iter().sum();
    // A file of somebody else's in between.
    write(&root.join("networks/best.onnx"), "mine");
    let away = folder.path().join("away");
    fs::create_dir(&away).expect("made");
    let records: Vec<PathBuf> = tree(&root.join("log")).into_keys().collect();
    let first = records.iter().position(|path| {
        fs::read_to_string(path).is_ok_and(|text| text.contains("\"kind\":\"rows\""))
    });
    for path in &records[first.expect("rows")..] {
        fs::rename(path, away.join(path.file_name().expect("a name"))).expect("moved");
    }
    let output = dagzero(&["verify", &dir]);
    let text = program::text(&output.stdout);
    assert!(text.contains("moves the others to aside/") && text.contains("best.onnx"), "{text}");
    let output = dagzero(&["resume", &dir]);
    assert_eq!(code(&output), 0, "{}", program::text(&output.stderr));
    let after: usize =
        ["shards", "networks", "checkpoints", "matches", "aside"].map(files).iter().sum();
    // Files that were made again with the same bytes need no second copy once their stage starts
    // again.
    assert!(after > before && files("aside") > 0, "{before} files, then {after}");
    assert_eq!(fs::read_to_string(root.join("networks/best.onnx")).expect("there"), "mine");
    let output = dagzero(&["resume", &dir, "--set", "run.cycles=3"]);
    assert_eq!(code(&output), 0, "{}", program::text(&output.stderr));
    assert!(dagzero(&["verify", &dir]).status.success());
}

#[test]
fn a_fork_removes_nothing_but_an_unfinished_fork() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    small_run(&path("a"));
    write(&folder.path().join("b.forking/thesis.tex"), "mine");
    let before = tree(folder.path());
    let fork = || dagzero(&["fork", &path("a"), &path("b")]);
    let output = fork();
    assert_eq!(code(&output), 78, "{}", program::text(&output.stderr));
    assert!(said(&output).contains("thesis.tex"));
    assert_eq!(tree(folder.path()), before);
    // One that was killed is begun anew, unless something of somebody else's came into it.
    fs::remove_dir_all(folder.path().join("b.forking")).expect("removed");
    dz_store::begin_unfinished(&folder.path().join("b.forking")).expect("begun");
    small_run(&path("b.forking"));
    fs::remove_dir_all(folder.path().join("b.forking/work")).expect("removed");
    write(&folder.path().join("b.forking/shards/thesis.tex"), "mine");
    let before = tree(folder.path());
    assert_eq!(code(&fork()), 78);
    assert_eq!(tree(folder.path()), before);
    fs::remove_file(folder.path().join("b.forking/shards/thesis.tex")).expect("removed");
    let output = fork();
    assert_eq!(code(&output), 0, "{}", program::text(&output.stderr));
    assert!(!folder.path().join("b.forking").exists());
    let top: Vec<PathBuf> = tree(&folder.path().join("b")).into_keys().collect();
    assert!(top.iter().all(|path| !path.ends_with("unfinished-fork")));
    assert!(dagzero(&["verify", &path("b")]).status.success());
}

/// Somebody else's page has the name of the report.
#[test]
fn a_report_replaces_reports_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("run");
    let dir = root.display().to_string();
    small_run(&dir);
    for (name, text) in
        [("report.html", "<html><title>Mine</title>"), ("report-cycles.csv", "a;b\n1;2\n")]
    {
        let own = fs::read(root.join(name)).ok();
        write(&root.join(name), text);
        for args in [&["report", &dir, "--csv"][..], &["resume", &dir]] {
            if name != "report.html" && args[0] == "resume" {
                continue;
            }
            let output = dagzero(args);
            assert_eq!(code(&output), 78, "{args:?}: {}", program::text(&output.stderr));
            assert!(said(&output).contains(name));
            assert_eq!(fs::read_to_string(root.join(name)).expect("there"), text);
        }
        fs::remove_file(root.join(name)).expect("removed");
        if let Some(own) = own {
            fs::write(root.join(name), own).expect("put back");
        }
    }
    for _ in 0..2 {
        assert_eq!(code(&dagzero(&["report", &dir, "--csv"])), 0);
    }
}

/// Lines of metrics and segments of the shuffler are left out or made again: no fault of the run.
#[test]
fn what_is_made_again_is_no_fault_of_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("run");
    let dir = root.display().to_string();
    small_run(&dir);
    let metrics = root.join("metrics/trainer.jsonl");
    let mut bytes = fs::read(&metrics).expect("read");
    let steps = |report: &Output| -> usize {
        let found: serde_json::Value = serde_json::from_slice(&report.stdout).expect("JSON");
        found["measures"]["steps"].as_array().expect("a list").len()
    };
    let sound = dagzero(&["report", &dir, "--json"]);
    bytes[3] = 0xff;
    fs::write(&metrics, bytes).expect("written");
    let mut segments = tree(&root.join("work/shuffler")).into_keys().filter(|path| path.is_file());
    let segment = segments.next_back().expect("a segment");
    fs::write(&segment, "").expect("written");
    let output = dagzero(&["verify", &dir, "--json"]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(code(&output), 0, "{found}");
    assert_eq!(found["bad"].as_array().map(Vec::len), Some(0), "{found}");
    let notes = found["notes"].as_array().expect("a list");
    let paths: Vec<&str> = notes.iter().filter_map(|note| note["path"].as_str()).collect();
    let inside = segment.strip_prefix(&root).expect("inside").display().to_string();
    assert_eq!(paths, ["metrics/trainer.jsonl", &inside]);
    let text = program::text(&dagzero(&["verify", &dir]).stdout);
    assert!(text.contains("\nnote ") && text.contains("bad       none"), "{text}");
    // One byte costs one line.
    let hurt = dagzero(&["report", &dir, "--json"]);
    assert!(steps(&hurt) > 1 && steps(&hurt) + 1 >= steps(&sound));
    assert!(program::text(&hurt.stdout).contains("1 damaged lines of metrics/trainer.jsonl"));
    let output = dagzero(&["resume", &dir, "--set", "run.cycles=3"]);
    assert_eq!(code(&output), 0, "{}", program::text(&output.stderr));
}
