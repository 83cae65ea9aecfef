//! `dagzero verify` and `dagzero replay` on a small finished run: whatever is changed is named.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use crate::common::cli::command;
use crate::common::program::{self, smoke_preset};
use dagzero::Exit;
use serde_json::Value;

/// A finished run of two short cycles, the second with a network.
fn run_dir() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("run").display().to_string();
    let set = ["run.cycles=2", "bootstrap.games=48", "selfplay.games=32", "gate.rule=always"];
    let mut command = program::command(&["run"]);
    command.args([&smoke_preset(), "--dir", &dir]);
    for pair in set {
        command.args(["--set", pair]);
    }
    let done = command.output().expect("dagzero starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    (folder, dir)
}

/// A run stands for the files of its rating matches and its final match, in any order, but not for
/// its gates. Its model is that of its report, so Elo differs from that of the files.
#[test]
fn a_run_is_rated_by_its_matches() {
    let (_folder, dir) = run_dir();
    let rated = |args: &[&str]| {
        let (exit, out) = command(&[&["rate", "--json"], args].concat(), "");
        assert_eq!(exit.expect("rated"), Exit::Done);
        serde_json::from_str::<Value>(&out).expect("JSON")
    };
    let mut files: Vec<String> = fs::read_dir(Path::new(&dir).join("matches"))
        .expect("a folder")
        .map(|file| file.expect("a file").path().display().to_string())
        .collect();
    files.sort();
    assert!(["-final-", "-gate-"].iter().all(|word| files.iter().any(|f| f.contains(word))));
    files.retain(|file| !file.contains("-gate-"));
    let records = |found: &Value| -> BTreeMap<String, [Value; 4]> {
        let rows = found["ratings"].as_array().expect("a list");
        let record = |row: &Value| {
            let counts = ["games", "wins", "draws", "losses"].map(|key| row[key].clone());
            (row["player"].as_str().expect("a name").to_owned(), counts)
        };
        rows.iter().map(record).collect()
    };
    let by_files = rated(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let by_run = rated(&[&dir]);
    assert_eq!(records(&by_run), records(&by_files));
    assert!(records(&by_run).len() >= 2);
    assert_eq!((&by_run["draws"], &by_files["draws"]), (&"davidson".into(), &"half".into()));
}

/// How `verify` ends, and what it prints as JSON.
fn verify(dir: &str, more: &[&str]) -> (Exit, Value) {
    let (exit, out) = command(&[&["verify", dir, "--json"], more].concat(), "");
    (exit.expect("verified"), serde_json::from_str(&out).expect("JSON"))
}

fn bad_paths(findings: &Value) -> Vec<&str> {
    paths_in(findings, "bad")
}

/// Paths in one of the lists of findings.
fn paths_in<'a>(findings: &'a Value, list: &str) -> Vec<&'a str> {
    let found = findings[list].as_array().expect("a list");
    found.iter().map(|found| found["path"].as_str().expect("a path")).collect()
}

/// Every file of the run that must not change unseen, by kind.
fn kinds(dir: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut kinds: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for folder in ["log", "shards", "rows", "checkpoints", "networks", "matches", "work/shuffler"] {
        let mut folders = vec![dir.join(folder)];
        while let Some(inner) = folders.pop() {
            for entry in fs::read_dir(inner).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                let kind = name.trim_matches(|c: char| c.is_ascii_digit() || c == '-');
                kinds.entry(format!("{folder} {kind}")).or_default().push(path);
            }
        }
    }
    kinds.insert("config".to_owned(), vec![dir.join("config.toml")]);
    kinds
}

/// As of a version of the program that had a key less.
#[test]
fn a_configuration_in_other_words_is_named_and_a_resume_puts_it_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("run").display().to_string();
    let config = smoke_preset();
    let set = ["--set", "run.cycles=1", "--set", "bootstrap.games=48"];
    let (exit, _) = command(&[&["init", &config, "--dir", &dir], &set[..]].concat(), "");
    assert_eq!(exit.expect("made"), Exit::Done);
    let path = Path::new(&dir).join("config.toml");
    let whole = fs::read_to_string(&path).expect("text");
    let key = whole.lines().find(|line| line.starts_with("lead_cycles_max")).expect("the key");
    let shorter = whole.replace(&format!("{key}\n"), "");
    assert_ne!(shorter, whole);
    fs::write(&path, &shorter).expect("written");
    assert_eq!(bad_paths(&verify(&dir, &[]).1), ["config.toml"]);
    assert!(program::dagzero(&["resume", &dir]).status.success());
    let (exit, findings) = verify(&dir, &[]);
    assert_eq!((exit, bad_paths(&findings)), (Exit::Done, Vec::new()), "{findings}");
    assert_eq!(fs::read_to_string(&path).expect("text"), whole);
}

#[test]
fn every_flipped_bit_cut_and_loss_is_named() {
    let (_folder, dir) = run_dir();
    let (exit, sound) = verify(&dir, &[]);
    assert_eq!((exit, bad_paths(&sound)), (Exit::Done, vec![]), "{sound}");
    assert!(sound["objects"].as_u64() > Some(10) && sound["games"].as_u64() > Some(80), "{sound}");
    let root = Path::new(&dir);
    let kinds = kinds(root);
    assert!(kinds.len() >= 9, "{:?}", kinds.keys());
    for (kind, paths) in &kinds {
        let path = paths.last().expect("a file");
        let name = path.strip_prefix(root).expect("inside").display().to_string();
        let good = fs::read(path).expect("read");
        let named = |change: &str| {
            let (exit, findings) = verify(&dir, &[]);
            // Segments are made again, so they are no fault of the run.
            let is_note = kind.starts_with("work/");
            let (list, expected) =
                if is_note { ("notes", Exit::Done) } else { ("bad", Exit::Wrong) };
            assert_eq!(exit, expected, "{kind}, {change}");
            let paths = paths_in(&findings, list);
            assert!(paths.contains(&name.as_str()), "{kind}, {change}: {findings}");
        };
        for place in 0..6 {
            let mut flipped = good.clone();
            let at = place * (good.len() - 1) / 5;
            flipped[at] ^= 1 << (place % 8);
            fs::write(path, &flipped).expect("written");
            named(&format!("bit {} of byte {at}", place % 8));
        }
        for length in [0, good.len() / 2, good.len() - 1] {
            fs::write(path, &good[..length]).expect("written");
            named(&format!("cut to {length} bytes"));
        }
        // Segments can be made again, nothing says that a last record has been there, and a folder
        // without a configuration is no run.
        if !["work/", "log", "config"].iter().any(|free| kind.starts_with(free)) {
            fs::remove_file(path).expect("removed");
            named("missing");
        }
        fs::write(path, &good).expect("restored");
    }
    assert_eq!(verify(&dir, &[]).0, Exit::Done);
}

#[test]
fn what_is_quarantined_is_out_of_the_way_and_the_run_goes_on() {
    let (_folder, dir) = run_dir();
    let root = Path::new(&dir);
    let kinds = kinds(root);
    let mut hurt = Vec::new();
    for kind in ["shards", "checkpoints"] {
        let found = kinds.iter().filter(|(name, _)| name.starts_with(kind));
        let path = found.flat_map(|(_, paths)| paths).max().expect("a file").clone();
        let mut bytes = fs::read(&path).expect("read");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        fs::write(&path, bytes).expect("written");
        hurt.push(path);
    }
    let (exit, findings) = verify(&dir, &["--quarantine"]);
    assert_eq!(exit, Exit::Wrong);
    let moved = findings["quarantined"].as_array().expect("a list");
    assert_eq!(moved.len(), 2, "{findings}");
    assert!(hurt.iter().all(|path| !path.exists()));
    assert!(moved.iter().all(|moved| Path::new(moved["to"].as_str().expect("a path")).exists()));
    let done = program::dagzero(&["resume", &dir, "--set", "run.cycles=3"]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(said.contains("goes on from the older checkpoint"), "{said}");
    // Both stay named: the files are not there.
    assert_eq!(bad_paths(&verify(&dir, &[]).1).len(), 2);
}

#[test]
fn a_run_in_use_is_not_quarantined() {
    let (_folder, dir) = run_dir();
    let run = dz_store::Run::open(&dir).expect("a run");
    let _lock = dz_store::RunLock::acquire(&run, dz_store::Stage::Trainer).expect("free");
    let (result, _) = command(&["verify", &dir, "--quarantine"], "");
    assert_eq!(Exit::of(&result.expect_err("refused")), Exit::TryAgain);
}

/// How `replay` of a game ends, and what it prints as JSON.
fn replay(dir: &str, game: u64) -> (Exit, Value) {
    let (exit, out) = command(&["replay", dir, "--game", &game.to_string(), "--json"], "");
    (exit.expect("replayed"), serde_json::from_str(&out).expect("JSON"))
}

#[test]
fn recorded_games_are_played_again_and_changed_ones_are_reported() {
    let (_folder, dir) = run_dir();
    let run = dz_store::Run::open(&dir).expect("a run");
    let ledger = dz_store::Ledger::open(&run).expect("a ledger");
    let shards: Vec<_> = ledger.state().shards().map(|(_, shard)| shard).collect();
    let generations: std::collections::BTreeSet<_> = shards.iter().map(|s| s.generation).collect();
    assert_eq!(generations.len(), 2, "games without and with a network");
    for shard in &shards {
        let reader = dz_shard::ShardReader::open(&run.local_path(&shard.object)).expect("a shard");
        let first = reader.header().first_game();
        for game in [first, first + shard.games - 1] {
            let (exit, outcome) = replay(&dir, game);
            assert_eq!(exit, Exit::Done, "{outcome}");
            assert_eq!(outcome["exact"], true, "{outcome}");
            assert_eq!(outcome["plies"], outcome["plies_compared"], "{outcome}");
            assert_eq!(outcome["counts"], outcome["counts_equal"], "{outcome}");
        }
    }
    let missing = command(&["replay", &dir, "--game", "999999"], "").0;
    assert_eq!(Exit::of(&missing.expect_err("no such game")), Exit::Usage);

    // One visit more in the record, then another evaluator's name over it.
    let path = run.local_path(&shards.last().expect("a shard").object);
    for foreign in [false, true] {
        let mut reader = dz_shard::ShardReader::open(&path).expect("a shard");
        let mut header = reader.header().clone();
        let mut games: Vec<_> = reader.games().collect::<Result<_, _>>().expect("games");
        if foreign {
            header.evaluators = vec!["another-machine".to_owned()];
        } else {
            games[0].plies[1].visits[0].1 += 1;
        }
        let (number, first) = (games[0].number, header.first_game());
        assert_eq!(number, first);
        let mut writer = dz_shard::ShardWriter::new(Vec::new(), header, dz_shard::SHARD_LEVEL)
            .expect("a header");
        for game in games {
            writer.push(game).expect("a game");
        }
        fs::write(&path, writer.finish().expect("a shard").0).expect("written");
        let (exit, outcome) = replay(&dir, number);
        let wrong = outcome["counts"].as_u64().expect("a count")
            - outcome["counts_equal"].as_u64().expect("a count");
        assert_eq!((wrong, &outcome["exact"]), (1, &Value::Bool(!foreign)), "{outcome}");
        assert_eq!(exit, if foreign { Exit::Done } else { Exit::Wrong }, "{outcome}");
    }
}
