//! A small run with workers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use dz_store::{CycleState, Ledger, Mailbox, Run};
pub use dz_testkit::Process;

use super::files::files;
use super::program::{command, smoke_preset};

/// Two cycles of a second, in units of four games; some games of the second are forks, and some are
/// reanalyzed.
const SMALL: [&str; 13] = [
    "run.cycles=2",
    "gate.rule=always",
    "selfplay.fork_share=0.25",
    "selfplay.reanalyse_share=0.25",
    "bootstrap.games=32",
    "bootstrap.playouts=16",
    "selfplay.games=36",
    "window.rows_min=100",
    "gate.games=4",
    "rating.games=2",
    "rating.playouts=8",
    "workers.unit_games=4",
    "workers.audit_share=0.25",
];

/// A run that takes longer hangs.
pub const PATIENCE: Duration = Duration::from_mins(4);

/// Starts the run in `dir` with more settings.
pub fn start_run(dir: &Path, set: &[String]) -> Process {
    let (preset, dir) = (smoke_preset(), dir.display().to_string());
    let mut args = vec!["run", preset.as_str(), "--dir", dir.as_str()];
    for pair in SMALL.into_iter().chain(set.iter().map(String::as_str)) {
        args.extend(["--set", pair]);
    }
    Process::start(&mut command(&args))
}

/// Starts a worker.
pub fn start_worker(mailbox: &str, cache: &Path) -> Process {
    let cache = cache.display().to_string();
    Process::start(&mut command(&["worker", mailbox, "--cache", &cache, "--patience", "120"]))
}

/// The exit code of a process that ends in time.
pub fn wait(process: &mut Process) -> i32 {
    let begun = Instant::now();
    loop {
        if let Some(status) = process.0.try_wait().expect("it can be waited for") {
            return status.code().unwrap_or(-1);
        }
        assert!(begun.elapsed() < PATIENCE, "it hangs");
        thread::sleep(Duration::from_millis(20));
    }
}

/// What a run has published, by path.
pub fn published(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = files(dir, &["shards", "rows", "networks", "matches"]);
    found.insert("ledger".to_owned(), fold(dir).into_bytes());
    found
}

/// What the ledger of a run comes to, without times.
fn fold(dir: &Path) -> String {
    let run = Run::open(dir).unwrap();
    let ledger = Ledger::open(&run).unwrap();
    let state = ledger.state();
    let cycles = state.cycles.iter().map(|(cycle, now)| {
        let CycleState { shards, matches, verdict, champion, rated, .. } = now;
        format!("{cycle}: {shards:?} {matches:?} {verdict:?} {champion:?} {rated}\n")
    });
    format!("{:?}\n{}", state.champion, cycles.collect::<String>())
}

/// Files that differ.
pub fn differences(
    left: &BTreeMap<String, Vec<u8>>,
    right: &BTreeMap<String, Vec<u8>>,
) -> Vec<String> {
    let names = left.keys().chain(right.keys());
    let mut found: Vec<String> =
        names.filter(|name| left.get(*name) != right.get(*name)).cloned().collect();
    found.sort();
    found.dedup();
    found
}

/// Workers of one run: a mailbox, and where they keep networks.
pub struct Fleet {
    pub folder: tempfile::TempDir,
    pub mailbox: String,
}

impl Fleet {
    /// Nobody yet.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mailbox = folder.path().join("mailbox").display().to_string();
        Self { folder, mailbox }
    }

    /// The run's directory.
    pub fn dir(&self) -> PathBuf {
        self.folder.path().join("run")
    }

    /// The settings of the run.
    pub fn set(&self, home_plays: bool) -> Vec<String> {
        let mailbox = format!("workers.mailbox={}", self.mailbox);
        vec![mailbox, format!("workers.home_plays={home_plays}")]
    }

    /// Starts one more worker.
    pub fn worker(&self) -> Process {
        start_worker(&self.mailbox, &self.folder.path().join("cache"))
    }

    /// What is left in a folder of the mailbox.
    pub fn left(&self, folder: &str) -> Vec<String> {
        let listed = Mailbox::open(&self.mailbox).unwrap().list(folder).unwrap();
        listed.into_iter().map(|found| found.path).collect()
    }
}

/// The same run without workers.
pub fn alone() -> BTreeMap<String, Vec<u8>> {
    alone_with(&[])
}

/// As [`alone`], with more settings.
pub fn alone_with(set: &[String]) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("run");
    assert_eq!(wait(&mut start_run(&dir, set)), 0);
    published(&dir)
}
