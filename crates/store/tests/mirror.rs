//! Mirrors: a run is restored to its newest mirrored record, in spite of kills and late writers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use dz_store::{
    Entry, Ledger, Losses, Mailbox, MetricsWriter, Mirror, MirrorError, RowsSummary, Run,
    SelfplaySummary, Stage, restore,
};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A run that goes on cycle by cycle as a real one, and its mailbox.
struct Scene {
    folder: tempfile::TempDir,
    ledger: Ledger,
    cycle: u32,
    shards: u64,
}

const HASH: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let run = Run::create(folder.path().join("run"), "format = 1\n").unwrap();
        run.put_create(&format!("config-history/{HASH}.toml"), b"format = 1\n").unwrap();
        run.replace("expected.json", b"{}").unwrap();
        let mut ledger = Ledger::open(&run).unwrap();
        for stage in Stage::WORKERS.into_iter().chain([Stage::Driver]) {
            ledger.claim(stage).unwrap();
        }
        let started = Entry::RunStarted {
            format: 1,
            config_hash: HASH.to_owned(),
            seed: 1,
            game: "g".to_owned(),
            encoding: "e".to_owned(),
            version: "1".to_owned(),
        };
        ledger.append(started).unwrap();
        Self { folder, ledger, cycle: 1, shards: 0 }
    }

    fn run(&self) -> &Run {
        self.ledger.run()
    }

    fn mailbox(&self) -> Mailbox {
        Mailbox::make(&self.folder.path().join("mailbox").display().to_string()).unwrap()
    }

    /// The run as another machine has it from the mirror.
    fn restored(&self, name: &str) -> Run {
        let dir = self.folder.path().join(name);
        restore(&self.mailbox(), &dir).unwrap();
        Run::open(&dir).unwrap()
    }

    fn mirror(&self, epoch: u64) -> Mirror {
        Mirror::open(&self.mailbox(), self.run(), epoch).unwrap()
    }

    /// Appends what the run does next of a cycle: two shards, the rows, a checkpoint, a candidate.
    fn append(&mut self, part: u32) {
        let cycle = self.cycle;
        let run = self.ledger.run().clone();
        let content = format!("content of part {part} of cycle {cycle}");
        let entry = match part {
            0 | 1 => {
                let path = format!("shards/cycle-{cycle:04}/{:08}.dzs", self.shards);
                self.shards += 1;
                let object = run.put_create(&path, content.as_bytes()).unwrap();
                let (games, positions) = (8, 50);
                Entry::Shard {
                    cycle,
                    generation: 0,
                    number: part,
                    games,
                    positions,
                    object,
                    board: None,
                }
            }
            2 => {
                let summary = SelfplaySummary::default();
                Entry::GamesDone { cycle, generation: 0, summary }
            }
            3 => {
                let path = format!("rows/cycle-{cycle:04}/train-0000.dzr");
                let train = vec![run.put_create(&path, content.as_bytes()).unwrap()];
                let summary = RowsSummary::default();
                Entry::Rows { cycle, train, validation: Vec::new(), summary }
            }
            4 => {
                let path = format!("checkpoints/cycle-{cycle:04}-step-{cycle:09}.dzc");
                let object = run.put_create(&path, content.as_bytes()).unwrap();
                let mut metrics = MetricsWriter::open(&run, Stage::Trainer).unwrap();
                metrics.write(&serde_json::json!({ "step": cycle })).unwrap();
                Entry::Checkpoint { cycle, step: cycle.into(), object }
            }
            5 => {
                let path = format!("networks/cycle-{cycle:04}.dzn");
                let network = run.put_create(&path, content.as_bytes()).unwrap();
                Entry::Candidate { cycle, step: cycle.into(), network, losses: Losses::default() }
            }
            _ => Entry::CycleDone { cycle, wall_ms: 1 },
        };
        let stage = entry_stage(&entry);
        self.ledger.claim(stage).unwrap();
        self.ledger.append(entry).unwrap();
        if part == 6 {
            self.cycle += 1;
        }
    }

    /// Removes what retention may remove.
    fn retain(&self) {
        for path in self.ledger.state().expendable() {
            let _ = fs::remove_file(self.run().root().join(path));
        }
    }
}

fn entry_stage(entry: &Entry) -> Stage {
    match entry {
        Entry::Shard { .. } | Entry::GamesDone { .. } => Stage::Selfplay,
        Entry::Rows { .. } => Stage::Shuffler,
        Entry::Checkpoint { .. } | Entry::Candidate { .. } => Stage::Trainer,
        _ => Stage::Gatekeeper,
    }
}

/// The files that matter of a run, by path.
fn files(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![run.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(run).unwrap().display().to_string();
            if path.is_dir() {
                if !["snapshots", "work", "logs"].contains(&name.as_str()) {
                    folders.push(path);
                }
            } else {
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn never() -> bool {
    false
}

#[test]
fn a_run_comes_back_as_it_was_at_every_moment() {
    let mut scene = Scene::new();
    let mut mirror = scene.mirror(1);
    for step in 0..21 {
        scene.append(step % 7);
        scene.retain();
        assert!(mirror.advance(&never).unwrap());
        mirror.remove_needless().unwrap();
        assert!(!mirror.has_needless());
        let dir = scene.folder.path().join(format!("restored-{step}"));
        let restored = restore(&scene.mailbox(), &dir).unwrap();
        assert_eq!(restored.records, scene.ledger.state().number);
        assert_eq!(files(&dir), files(scene.run().root()), "after step {step}");
        let other = Ledger::open(&Run::open(&dir).unwrap()).unwrap();
        assert_eq!(other.state(), scene.ledger.state());
    }
    // Files that are no longer needed are gone from the mirror, too: 6 shards, the newest rows, two
    // checkpoints, three networks.
    assert_eq!(scene.mailbox().list("mirror/objects").unwrap().len(), 12);
}

#[test]
fn a_home_that_is_killed_anywhere_leaves_a_prefix() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    for round in 0..5 {
        let mut scene = Scene::new();
        let mut states = BTreeMap::new();
        let mut epoch = 1;
        let mut mirror = scene.mirror(epoch);
        for step in 0..14 {
            scene.append(step % 7);
            states.insert(scene.ledger.state().number, scene.ledger.state().clone());
            if random.random_range(0..3) == 0 {
                // Killed after some objects.
                let left = std::cell::Cell::new(random.random_range(0..3));
                let stops = || left.replace(left.get() - 1) <= 0;
                mirror.advance(&stops).unwrap();
                epoch += 1;
                mirror = scene.mirror(epoch);
            } else if random.random_range(0..2) == 0 {
                mirror.advance(&never).unwrap();
                mirror.remove_needless().unwrap();
            }
            if mirror.records() > 0 {
                let dir = scene.folder.path().join(format!("restored-{step}"));
                restore(&scene.mailbox(), &dir).unwrap();
                let other = Ledger::open(&Run::open(&dir).unwrap()).unwrap();
                assert_eq!(other.state().number, mirror.records());
                let wanted = states.get(&mirror.records());
                assert!(wanted.is_none_or(|state| state == other.state()), "round {round}");
            }
        }
    }
}

#[test]
fn a_home_that_was_taken_over_changes_nothing_any_more() {
    let mut scene = Scene::new();
    let mut old = scene.mirror(1);
    (0..4).for_each(|part| scene.append(part));
    old.advance(&never).unwrap();
    // Another machine goes on.
    let run = scene.restored("other");
    let mut new = Mirror::open(&scene.mailbox(), &run, 2).unwrap();
    let mut ledger = Ledger::open(&run).unwrap();
    ledger.claim(Stage::Trainer).unwrap();
    let object = run.put_create("checkpoints/cycle-0001-step-000000001.dzc", b"new").unwrap();
    ledger.append(Entry::Checkpoint { cycle: 1, step: 1, object }).unwrap();
    new.advance(&never).unwrap();
    // The old home wakes up and writes what it had in mind.
    scene.append(4);
    old.advance(&never).unwrap();
    assert_eq!(files(scene.restored("again").root()), files(run.root()));
    // When it starts again it is refused.
    let error = Mirror::open(&scene.mailbox(), scene.run(), 3).unwrap_err();
    assert!(matches!(error, MirrorError::Diverged { .. }), "{error}");
    assert!(!error.is_temporary() && error.to_string().lines().count() == 1);
}

#[test]
fn what_the_old_home_wrote_while_its_run_was_restored_is_dropped() {
    let mut scene = Scene::new();
    let mut old = scene.mirror(1);
    (0..4).for_each(|part| scene.append(part));
    old.advance(&never).unwrap();
    let run = scene.restored("other");
    // The old home does not know yet that another machine goes on.
    (4..7).for_each(|part| scene.append(part));
    old.advance(&never).unwrap();
    let mut ledger = Ledger::open(&run).unwrap();
    ledger.claim(Stage::Driver).unwrap();
    let mut new = Mirror::open(&scene.mailbox(), &run, 2).unwrap();
    new.advance(&never).unwrap();
    scene.append(7);
    old.advance(&never).unwrap();
    let third = scene.restored("again");
    assert_eq!(files(third.root()), files(run.root()));
    // The old one is refused, and so is the new one once a third has gone on.
    let refused = |run: &Run, epoch: u64| {
        let error = Mirror::open(&scene.mailbox(), run, epoch).unwrap_err();
        assert!(matches!(error, MirrorError::Diverged { .. }), "{error}");
    };
    refused(scene.run(), 3);
    Ledger::open(&third).unwrap().claim(Stage::Driver).unwrap();
    Mirror::open(&scene.mailbox(), &third, 4).unwrap().advance(&never).unwrap();
    ledger.claim(Stage::Driver).unwrap();
    ledger.claim(Stage::Driver).unwrap();
    refused(&run, 5);
}

#[test]
fn a_restore_that_was_killed_can_be_begun_again() {
    let mut scene = Scene::new();
    let mut mirror = scene.mirror(1);
    (0..7).for_each(|part| scene.append(part));
    mirror.advance(&never).unwrap();
    let dir = scene.folder.path().join("run-2.restoring");
    let begin = || dz_store::begin_unfinished(&dir);
    begin().unwrap();
    restore(&scene.mailbox(), &dir).unwrap();
    // Killed here, with every file that a restore writes.
    begin().unwrap();
    let left: Vec<_> = fs::read_dir(&dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [dir.join("unfinished-fork")]);
    restore(&scene.mailbox(), &dir).unwrap();
    fs::write(dir.join("work/driver/notes.txt"), "of somebody").unwrap();
    let error = begin().unwrap_err().to_string();
    assert!(error.contains("work/driver/notes.txt"), "{error}");
}

#[test]
fn many_small_parts_become_few() {
    let mut scene = Scene::new();
    let mut mirror = scene.mirror(1);
    for _ in 0..600 {
        scene.ledger.claim(Stage::Trainer).unwrap();
        mirror.advance(&never).unwrap();
    }
    let parts = scene.mailbox().list("mirror/streams/log").unwrap().len();
    assert_eq!(parts, 2 + 600 - 2 * 256);
    let dir = scene.folder.path().join("other");
    restore(&scene.mailbox(), &dir).unwrap();
    assert_eq!(files(&dir), files(scene.run().root()));
}

#[test]
fn damage_is_named_and_nothing_is_made_up() {
    let mut scene = Scene::new();
    let none = restore(&scene.mailbox(), &scene.folder.path().join("none")).unwrap_err();
    assert!(matches!(none, MirrorError::None { .. }), "{none}");
    (0..7).for_each(|part| scene.append(part));
    scene.mirror(1).advance(&never).unwrap();
    let root = scene.folder.path().join("mailbox");
    let listed = scene.mailbox().list("mirror").unwrap();
    let kinds = ["mirror/head", "mirror/objects", "mirror/streams/log", "mirror/config"];
    for (number, kind) in kinds.iter().enumerate() {
        let path = &listed.iter().find(|found| found.path.starts_with(kind)).unwrap().path;
        let whole = fs::read(root.join(path)).unwrap();
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        let cut = &whole[..whole.len() - 1];
        for (word, content) in [("changed", &changed[..]), ("cut", cut)] {
            fs::write(root.join(path), content).unwrap();
            let dir = scene.folder.path().join(format!("{number}-{word}"));
            let found = restore(&scene.mailbox(), &dir);
            // A configuration is text that carries no hash of its own.
            assert!(found.is_err() || *kind == "mirror/config", "{kind} {word}");
        }
        fs::remove_file(root.join(path)).unwrap();
        let gone = restore(&scene.mailbox(), &scene.folder.path().join(format!("{number}-gone")));
        assert!(gone.is_err(), "{kind}");
        fs::write(root.join(path), &whole).unwrap();
    }
    restore(&scene.mailbox(), &scene.folder.path().join("whole")).unwrap();
}

#[test]
fn a_shard_that_the_run_goes_on_without_is_lost_in_the_copy_too() {
    let mut scene = Scene::new();
    (0..4).for_each(|part| scene.append(part));
    let shard = scene.ledger.state().shards().next().unwrap().1.object.clone();
    fs::remove_file(scene.run().root().join(&shard.path)).unwrap();
    assert!(scene.mirror(1).advance(&never).is_err(), "nobody has given it up yet");
    assert!(scene.run().enter_loss(&shard).unwrap());
    scene.mirror(1).advance(&never).unwrap();
    let dir = scene.folder.path().join("other");
    restore(&scene.mailbox(), &dir).unwrap();
    let run = Run::open(&dir).unwrap();
    assert!(run.is_lost(&shard));
    assert!(run.is_given_up(scene.ledger.state(), &shard));
}

#[test]
fn metrics_that_a_power_cut_took_are_mirrored_again() {
    let mut scene = Scene::new();
    (0..7).for_each(|part| scene.append(part));
    scene.mirror(1).advance(&never).unwrap();
    let path = scene.run().root().join("metrics/trainer.jsonl");
    fs::write(&path, b"").unwrap();
    (0..5).for_each(|part| scene.append(part));
    scene.mirror(2).advance(&never).unwrap();
    let dir = scene.folder.path().join("other");
    restore(&scene.mailbox(), &dir).unwrap();
    assert_eq!(fs::read(dir.join("metrics/trainer.jsonl")).unwrap(), fs::read(&path).unwrap());
}

#[test]
fn ages_are_by_the_clock_of_the_store() {
    let scene = Scene::new();
    let mailbox = scene.mailbox();
    assert_eq!(mailbox.age("home/1").unwrap(), None);
    mailbox.replace("home/1", b"x").unwrap();
    assert!(mailbox.age("home/1").unwrap().unwrap().as_secs() < 60);
    let file = fs::File::open(scene.folder.path().join("mailbox/home/1")).unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(90)).unwrap();
    let age = mailbox.age("home/1").unwrap().unwrap();
    assert!((89..150).contains(&age.as_secs()), "{age:?}");
    assert_eq!(mailbox.list("clock").unwrap(), vec![]);
}
