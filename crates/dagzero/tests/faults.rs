//! A disk that takes nothing, and a second process of a kind: the run waits, the second is refused.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::program::{command, dagzero, smoke_preset};
use dz_store::FAULTS_ENV;

/// A small run in a folder of its own.
struct Small {
    folder: tempfile::TempDir,
    config: String,
}

impl Small {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder, config: smoke_preset() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn dir(&self) -> String {
        self.path("run").display().to_string()
    }

    fn run(&self) -> Command {
        let mut run = command(&["run", &self.config, "--dir", &self.dir()]);
        for pair in ["run.cycles=1", "bootstrap.games=32", "window.rows_min=100"] {
            run.args(["--set", pair]);
        }
        run
    }

    /// Starts the run under faults; what it says goes to the file `said`.
    fn start(&self, faults: &str) -> Child {
        let said = File::create(self.path("said")).expect("a file");
        let mut run = self.run();
        run.env(FAULTS_ENV, faults).stdout(said).stderr(Stdio::null());
        run.spawn().expect("dagzero starts")
    }

    /// Starts it on a disk that is full for shards until the file is removed, and waits until that
    /// is noticed and all stages are alive.
    fn start_without_room(&self) -> (Child, PathBuf) {
        let full = self.path("full");
        fs::write(&full, "").expect("written");
        let run = self.start(&format!("enospc shards.* while={}", full.display()));
        self.wait_for("PAUSED");
        let begun = Instant::now();
        while self.stages().len() < 4 {
            assert!(
                begun.elapsed() < Duration::from_mins(1),
                "stages are missing\n{}",
                self.said()
            );
            thread::sleep(Duration::from_millis(50));
        }
        (run, full)
    }

    /// The stages that are alive, and their processes.
    fn stages(&self) -> BTreeMap<String, u64> {
        let status = dagzero(&["status", &self.dir(), "--json"]);
        let status: serde_json::Value = serde_json::from_slice(&status.stdout).expect("JSON");
        let stages = status["stages"].as_array().expect("a list").iter();
        let named = stages.map(|stage| {
            let name = stage["stage"].as_str().expect("a name").to_owned();
            (name, stage["process_id"].as_u64().expect("a number"))
        });
        named.collect()
    }

    fn said(&self) -> String {
        fs::read_to_string(self.path("said")).expect("what it said")
    }

    fn wait_for(&self, words: &str) {
        let begun = Instant::now();
        while !self.said().contains(words) {
            assert!(begun.elapsed() < Duration::from_mins(1), "no '{words}' in\n{}", self.said());
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn is_sound(&self) {
        let verified = dagzero(&["verify", &self.dir()]);
        assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    }
}

fn refused(output: &Output, by: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(75), "{by}: {said}");
    assert!(said.contains("in use") && said.contains(by), "{by}: {said}");
}

#[test]
fn a_full_disk_pauses_the_run_and_nobody_may_take_it_over_meanwhile() {
    let small = Small::new();
    let (mut run, full) = small.start_without_room();
    assert!(small.said().contains("no space left for shards/"), "{}", small.said());

    // All of them are alive and wait; a second one of each kind gives up after some seconds.
    let status = dagzero(&["status", &small.dir(), "--json"]);
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).expect("JSON");
    assert_eq!(status["driven_by"], run.id());
    let paused = &status["paused"][0];
    assert_eq!(paused["stage"], "selfplay", "{status}");
    assert!(paused["since_unix_ms"].as_u64() > Some(0), "{status}");
    assert!(paused["reason"].as_str().is_some_and(|why| why.contains("no space left")), "{status}");
    for shown in [vec!["status", &small.dir()], vec!["watch", &small.dir(), "--once"]] {
        let shown = dagzero(&shown);
        let shown = String::from_utf8_lossy(&shown.stdout);
        assert!(shown.contains("PAUSED") && shown.contains("selfplay since"), "{shown}");
    }
    let seconds = ["selfplay", "shuffler", "trainer", "gatekeeper"].map(|stage| {
        let mut second = command(&[stage, "--run", &small.dir()]);
        second.stdout(Stdio::piped()).stderr(Stdio::piped());
        (stage, second.spawn().expect("dagzero starts"))
    });
    refused(&small.run().output().expect("dagzero starts"), "driver");
    for (stage, second) in seconds {
        refused(&second.wait_with_output().expect("an end"), stage);
    }
    assert!(run.try_wait().expect("a state").is_none(), "it still waits");

    fs::remove_file(&full).expect("room");
    assert!(run.wait().expect("an end").success(), "{}", small.said());
    assert!(small.said().contains("goes on after"), "{}", small.said());
    let status = dagzero(&["status", &small.dir(), "--json"]);
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).expect("JSON");
    assert_eq!(status["paused"], serde_json::json!([]));
    small.is_sound();
}

#[test]
fn a_stage_that_somebody_else_stops_while_it_waits_is_started_again() {
    let small = Small::new();
    let (mut run, full) = small.start_without_room();
    let trainer = || small.stages().get("trainer").copied();
    let first = trainer().expect("it waits for rows");
    let killed = Command::new("kill").arg(first.to_string()).status().expect("kill starts");
    assert!(killed.success());
    let begun = Instant::now();
    while trainer().is_none_or(|now| now == first) {
        assert!(begun.elapsed() < Duration::from_mins(1), "no other one\n{}", small.said());
        thread::sleep(Duration::from_millis(50));
    }
    fs::remove_file(&full).expect("room");
    assert!(run.wait().expect("an end").success(), "{}", small.said());
    small.is_sound();
}

#[test]
fn single_errors_of_the_device_cost_a_pause_and_no_byte() {
    let small = Small::new();
    let points = ["shards.sync", "rows.name", "checkpoints.folder", "networks.write"];
    let more = ["matches.torn", "log.shard.folder", "log.verdict.name", "log.finished.sync"];
    let points = [points, more].concat();
    let fuse = |point: &str| small.path(&format!("fuse-{point}"));
    let rule = |point: &&str| format!("eio {point}:* once={}", fuse(point).display());
    let rules: Vec<String> = points.iter().map(rule).collect();
    let ended = small.start(&rules.join(";")).wait().expect("an end");
    assert!(ended.success(), "{}", small.said());
    assert!(points.iter().all(|point| fuse(point).exists()), "every fault has come");
    // A shard and the entry of another may fail at the same moment, on two threads, and share a
    // pause.
    let pauses = small.said().matches("PAUSED").count();
    assert!((points.len() - 1..=points.len()).contains(&pauses), "{pauses}: {}", small.said());
    small.is_sound();
}
