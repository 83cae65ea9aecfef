//! A run is played by the configuration that its ledger names, regardless of edits and their times.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use crate::common::{
    cli,
    program::{self, dagzero, smoke_preset, text},
};
use dagzero::Exit;
use dz_config::{ConfigError, Effect, Key, RunConfig};
use dz_store::{Entry, Ledger, Run};
use dz_testkit::wait_until;

struct Small {
    folder: tempfile::TempDir,
}

impl Small {
    /// A run that has begun, with `sets` over the preset; a game of its own may have heads and komi
    /// that tic-tac-toe has not.
    fn init(sets: &[&str]) -> Self {
        let small = Self { folder: tempfile::tempdir().expect("a folder") };
        let (config, dir) = (smoke_preset(), small.dir());
        let mut args = vec!["init", &config, "--dir", &dir];
        for set in sets {
            args.extend(["--set", set]);
        }
        let (exit, _) = cli::command(&args, "");
        assert_eq!(exit.expect("made"), Exit::Done);
        small
    }

    fn dir(&self) -> String {
        self.folder.path().join("run").display().to_string()
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("run/config.toml")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).expect("text")
    }

    fn write(&self, text: &str) {
        fs::write(self.file(), text).expect("written");
    }

    /// Changes one line of the file.
    fn edit(&self, from: &str, to: &str) {
        let text = self.text();
        assert_eq!(text.matches(from).count(), 1, "{from}");
        self.write(&text.replace(from, to));
    }

    /// What a driver makes of the file as it stands, without starting a stage.
    fn enter(&self) -> anyhow::Result<Exit> {
        let (file, dir) = (self.file().display().to_string(), self.dir());
        cli::command(&["init", &file, "--dir", &dir], "").0
    }

    fn verify(&self) {
        let (exit, said) = cli::command(&["verify", &self.dir()], "");
        assert_eq!(exit.expect("looked at"), Exit::Done, "{said}");
    }

    /// The hash that the ledger names, and the newest changes that it has.
    fn ledger(&self) -> (String, Vec<String>) {
        let ledger = Ledger::open(&Run::open(self.dir()).expect("a run")).expect("a ledger");
        let mut records = ledger.records().expect("records").into_iter().rev();
        let changes = records.find_map(|record| match record.entry {
            Entry::ConfigChanged { changes, .. } => Some(changes),
            _ => None,
        });
        (ledger.state().config_hash.clone(), changes.unwrap_or_default())
    }
}

/// The whole configuration with one key changed to something else that is allowed, as a file.
fn changed(whole: &str, key: &Key) -> Option<String> {
    let config = RunConfig::from_text(whole, &[]).expect("good");
    let path = key.path();
    let value = config.value(&path).expect("every key has a value");
    let mut others: Vec<String> = match &value {
        toml_value if toml_value.is_bool() => {
            vec![(toml_value.as_bool() == Some(false)).to_string()]
        }
        toml_value if toml_value.is_integer() => {
            let n = toml_value.as_integer().expect("whole");
            [n + 1, n + 2, n - 1, n - 2, 2 * n].iter().map(ToString::to_string).collect()
        }
        toml_value if toml_value.is_float() => {
            let x = toml_value.as_float().expect("real");
            [x + 0.25, x * 0.5, x + 1.0, x - 0.25].iter().map(|x| format!("{x:?}")).collect()
        }
        _ => Vec::new(),
    };
    // Words that the key takes stand in quotes.
    others.extend(key.allowed.split('"').skip(1).step_by(2).map(|word| format!("\"{word}\"")));
    let own = [
        "\"go:size=4\"",
        "{ above = 0.9 }",
        "{ losses = 3 }",
        "{ kind = \"absolute\", value = 0.25 }",
        "{ kind = \"katago\", reduction = 0, loss_share = 0.1, mix_power = 2 }",
        "\"cpu\"",
        "[\"cpu\"]",
        "[\"go:size=4,komi=0.5\"]",
        "{ fixed = -0.9 }",
        "{ root = 0.1 }",
        "[{ name = \"random\", kind = \"random\" }]",
        "0.5",
        "1.5",
        "3",
        "16",
    ];
    others.extend(own.iter().map(|&text| text.to_owned()));
    others.into_iter().find_map(|other| {
        let set = format!("{path}={other}");
        let new = RunConfig::from_text(whole, &[set]).ok()?;
        (config.diff(&new).len() == 1).then(|| new.to_toml())
    })
}

/// Every key that there is, edited by hand: a stage that is started alone refuses, and the driver
/// refuses what may not change and enters the rest before anything is played.
#[test]
fn any_key_that_is_edited_is_refused_or_entered() {
    // A game that has all that keys can ask for.
    let small = Small::init(&[
        "run.game=go:size=3,komi=0.5",
        "run.cycles=2",
        "bootstrap.games=24",
        "network.blocks=2",
        "network.any_size=true",
        "gate.rule=always",
    ]);
    let whole = small.text();
    let mut seen = BTreeMap::new();
    let unknown = |key: &Key| changed(&whole, key).is_none();
    let unknown: Vec<String> =
        RunConfig::keys().iter().filter(|key| unknown(key)).map(Key::path).collect();
    // Weights of boards go with `run.boards` alone.
    assert_eq!(unknown, ["format", "run.board_weights"], "no other value is known for these");
    for key in RunConfig::keys() {
        let path = key.path();
        let Some(edited) = changed(&whole, &key) else { continue };
        let (hash_before, _) = small.ledger();
        small.write(&edited);
        let change = RunConfig::from_text(&whole, &[]).expect("good");
        let change = change.diff(&RunConfig::from_text(&edited, &[]).expect("good")).remove(0);
        let words = format!("{path}: {} -> {}", change.old, change.new);

        let alone = dagzero(&["selfplay", "--run", &small.dir(), "--once"]);
        let said = text(&alone.stderr);
        assert_eq!(alone.status.code(), Some(78), "{path}: {said}");
        assert!(said.contains(&words), "{words} is not in {said}");
        assert_eq!(small.ledger().0, hash_before, "{path}");

        let entered = small.enter();
        let contradicts = |error: &anyhow::Error| error.is::<ConfigError>();
        if entered.as_ref().is_err_and(contradicts) {
            // Searches ask for more than the configuration alone knows: the file is bad, and says
            // by which key.
            let error = entered.expect_err("a bad file");
            assert!(error.to_string().contains(&path), "{path}: {error:#}");
            assert_eq!((Exit::of(&error), small.ledger().0), (Exit::Config, hash_before));
            small.write(&whole);
        } else if key.effect == Effect::Fixed {
            let error = entered.expect_err("a fixed key");
            let said = format!("{error:#}");
            assert_eq!(Exit::of(&error), Exit::Config, "{said}");
            assert!(said.contains(&words) && !said.contains('\n'), "{words} is not in {said}");
            assert_eq!(small.ledger().0, hash_before, "{path}");
            small.write(&whole);
        } else {
            entered.unwrap_or_else(|error| panic!("{path}: {error:#}"));
            let (hash, changes) = small.ledger();
            let new = RunConfig::from_text(&edited, &[]).expect("good");
            assert_eq!(hash, new.hash(), "{path}");
            assert!(changes.len() == 1 && changes[0].starts_with(&words), "{words}: {changes:?}");
            small.write(&whole);
            small.enter().unwrap_or_else(|error| panic!("{path} back: {error:#}"));
        }
        assert_eq!(small.ledger().0, RunConfig::from_text(&whole, &[]).expect("good").hash());
        *seen.entry(key.effect).or_insert(0) += 1;
    }
    println!("{seen:?}");
    assert!(seen.len() == 3 && seen.values().sum::<i32>() > 100, "{seen:?}");
    small.verify();
    assert!(dagzero(&["resume", &small.dir()]).status.success());
    small.verify();
}

/// f3 of the cases: each of these keys was taken by a resume, and `verify` found the wreck.
#[test]
fn fixed_keys_edited_between_cycles_are_refused_and_the_run_is_whole() {
    let small = Small::init(&["run.cycles=2", "bootstrap.games=48"]);
    assert!(dagzero(&["resume", &small.dir()]).status.success());
    let whole = small.text();
    for (from, to) in [
        ("seed = 1\n", "seed = 2\n"),
        ("games_per_shard = 16", "games_per_shard = 7"),
        ("optimizer = \"adamw\"", "optimizer = \"sgd\""),
        ("\nchannels = 16", "\nchannels = 32"),
        ("validation_share = 0.1", "validation_share = 0.4"),
    ] {
        small.edit(from, to);
        // More cycles alone would be taken.
        small.edit("\ncycles = 2\n", "\ncycles = 4\n");
        let resumed = dagzero(&["resume", &small.dir()]);
        let said = text(&resumed.stderr);
        assert_eq!(resumed.status.code(), Some(78), "{said}");
        let key = from.trim().split(' ').next().expect("a key");
        assert!(said.contains(key) && said.lines().count() == 1, "{said}");
        small.write(&whole);
        small.verify();
    }
    small.edit("\ncycles = 2\n", "\ncycles = 3\n");
    let resumed = dagzero(&["resume", &small.dir()]);
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert!(text(&resumed.stdout).contains("changed run.cycles: 2 -> 3"));
    small.verify();
}

/// Published files of a run.
fn objects(dir: &str) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for folder in ["shards", "rows", "networks", "matches"] {
        let run = Run::open(dir).expect("a run");
        for path in run.list(folder).expect("a list") {
            let bytes = fs::read(Path::new(dir).join(&path)).expect("a file");
            found.insert(path, bytes);
        }
    }
    found
}

#[test]
fn a_stage_that_starts_again_does_not_take_an_edited_file() {
    let sets = ["run.cycles=6", "bootstrap.games=48"];
    let unedited = Small::init(&sets);
    assert!(dagzero(&["resume", &unedited.dir()]).status.success());
    let small = Small::init(&sets);
    let whole = small.text();
    let mut run = program::command(&["resume", &small.dir()]);
    let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let status = || -> serde_json::Value {
        let said = dagzero(&["status", &small.dir(), "--json"]);
        serde_json::from_slice(&said.stdout).unwrap_or_default()
    };
    let is_done = || status()["cycles_done"].as_u64() >= Some(1);
    wait_until("a cycle", Duration::from_mins(1), is_done);
    small.edit("seed = 1\n", "seed = 2\n");
    small.edit("learning_rate = 0.002", "learning_rate = 0.01");
    let edits = status()["config_edits"].as_str().map(str::to_owned).unwrap_or_default();
    assert!(edits.contains("run.seed: 1 -> 2"), "{edits}");
    for stage in status()["stages"].as_array().expect("stages") {
        let process = stage["process_id"].to_string();
        // It may have ended meanwhile.
        let _ = Command::new("kill").args(["-s", "KILL", &process]).stderr(Stdio::null()).status();
    }
    assert!(run.wait().expect("an end").success());
    assert!(objects(&small.dir()) == objects(&unedited.dir()), "other bytes than without the edit");
    let resumed = dagzero(&["resume", &small.dir()]);
    assert_eq!(resumed.status.code(), Some(78), "{}", text(&resumed.stderr));
    small.write(&whole);
    small.verify();
}

#[test]
fn a_finished_run_takes_no_settings_that_nothing_is_played_by() {
    let small = Small::init(&["run.cycles=1", "bootstrap.games=48"]);
    assert!(dagzero(&["resume", &small.dir()]).status.success());
    let records = small.ledger();
    let refused = dagzero(&["resume", &small.dir(), "--set", "selfplay.games=50"]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(78), "{said}");
    assert!(said.contains("selfplay.games") && said.contains("run.cycles=2"), "{said}");
    assert_eq!(small.ledger(), records);
    // What changes speed alone is not entered either, and not left in the file.
    let speed = dagzero(&["resume", &small.dir(), "--set", "run.threads=1"]);
    assert!(speed.status.success(), "{}", text(&speed.stderr));
    assert!(
        text(&speed.stdout).contains("not taken, because the run is over: run.threads: 0 -> 1")
    );
    small.edit("threads = 0", "threads = 1");
    assert!(dagzero(&["resume", &small.dir()]).status.success());
    small.verify();
    assert_eq!(small.ledger(), records);
    // With another cycle it is taken.
    let more = ["--set", "selfplay.games=50", "--set", "run.cycles=2"];
    let more = dagzero(&[&["resume", &small.dir()], &more[..]].concat());
    assert!(more.status.success() && text(&more.stdout).contains("After 2 cycles"));
    small.verify();
}

#[test]
fn a_run_of_an_earlier_version_without_copies_opens_and_is_protected_from_then_on() {
    let small = Small::init(&["run.cycles=1", "bootstrap.games=48"]);
    let copies = Path::new(&small.dir()).join("config-history");
    fs::remove_dir_all(&copies).expect("removed");
    let whole = small.text();
    small.edit("seed = 1\n", "seed = 2\n");
    let refused = dagzero(&["resume", &small.dir()]);
    assert_eq!(refused.status.code(), Some(78));
    assert!(text(&refused.stderr).contains("is not the configuration that the run's ledger names"));
    small.write(&whole);
    assert!(dagzero(&["resume", &small.dir()]).status.success());
    assert_eq!(fs::read_dir(&copies).expect("made again").count(), 1);
    small.verify();
}

#[test]
fn a_section_given_by_set_keeps_its_other_keys() {
    let small = Small::init(&["training={learning_rate=0.5}", "run.cycles=1"]);
    let text = small.text();
    assert!(text.contains("learning_rate = 0.5\n") && text.contains("\nbatch = 16\n"), "{text}");
}

#[test]
fn no_machine_is_asked_for_thousands_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("run").display().to_string();
    let refused = dagzero(&["run", &smoke_preset(), "--dir", &dir, "--set", "run.threads=4096"]);
    assert_eq!(refused.status.code(), Some(78));
    assert!(text(&refused.stderr).contains("run.threads = 4096"), "{}", text(&refused.stderr));
    assert!(!Path::new(&dir).exists());
}
