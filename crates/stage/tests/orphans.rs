//! Real processes and real signals: stages drain when they are asked to, and die with their driver.
//!
//! This test has a `main` of its own: it starts its own executable as a driver and as stages.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::thread;
use std::time::Duration;

use dz_stage::{ChildSpec, Stage, StageArgs, Stop, Supervisor, exit_with, run_stage};
use dz_store::{Run, RunLock};
use dz_testkit::wait_until;
use dz_testkit_runs::begin_run;

/// The keys that have no default.
const CONFIG: &str = r#"
format = 1
run = { game = "tictactoe", cycles = 2 }
selfplay = { games = 8 }
bootstrap = { games = 8 }
network = { blocks = 1, channels = 8 }
gate = { rule = "always" }
"#;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["act-as-driver", kind, dir] => driver(kind, dir),
        ["act-as-stage", kind, dir] => stage(kind, Path::new(dir)),
        _ => {
            one_signal_drains_and_two_abort();
            a_killed_driver_takes_a_good_stage_along();
            a_killed_driver_takes_a_stubborn_stage_along();
            println!("orphans: 3 passed");
            ExitCode::SUCCESS
        }
    }
}

fn one_signal_drains_and_two_abort() {
    let (_dir, root) = new_run();
    let mut child = start("act-as-stage", "good", &root);
    wait_for(&root.join("in-turn"));
    terminate(&child);
    assert_eq!(child.wait().unwrap().code(), Some(75));
    assert!(root.join("drained").exists());

    let (_dir, root) = new_run();
    let mut child = start("act-as-stage", "stubborn", &root);
    wait_for(&root.join("in-turn"));
    terminate(&child);
    thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "one signal is no abort");
    terminate(&child);
    assert_eq!(child.wait().unwrap().code(), Some(75));
    assert!(!root.join("drained").exists());
}

fn a_killed_driver_takes_a_good_stage_along() {
    let (_dir, root) = new_run();
    let mut child = start("act-as-driver", "good", &root);
    wait_for(&root.join("in-turn"));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_for(&root.join("drained"));
    let run = Run::open(&root).unwrap();
    RunLock::acquire_within(&run, Stage::Selfplay, Duration::from_secs(4)).unwrap();
}

fn a_killed_driver_takes_a_stubborn_stage_along() {
    let (_dir, root) = new_run();
    let mut child = start("act-as-driver", "stubborn", &root);
    wait_for(&root.join("in-turn"));
    let run = Run::open(&root).unwrap();
    assert!(RunLock::holder(&run, Stage::Selfplay).is_some());
    child.kill().unwrap();
    child.wait().unwrap();
    RunLock::acquire_within(&run, Stage::Selfplay, Duration::from_secs(20)).unwrap();
    assert!(!root.join("drained").exists());
}

fn driver(kind: &str, dir: &str) -> ExitCode {
    let program = std::env::current_exe().unwrap();
    let args = ["act-as-stage", kind, dir].map(Into::into).to_vec();
    let spec = ChildSpec { stage: Stage::Selfplay, program, args };
    Supervisor::new(vec![spec]).run(&Stop::new(), |_| {}).unwrap();
    ExitCode::SUCCESS
}

/// A good stage drains when asked; a stubborn one never looks.
fn stage(kind: &str, root: &Path) -> ExitCode {
    let args = StageArgs { run: root.to_owned(), once: false, programs: None, events: true };
    let stubborn = kind == "stubborn";
    exit_with(&run_stage(Stage::Selfplay, &args, |context, _| {
        fs::write(root.join("in-turn"), "")?;
        while stubborn || !context.stop.requested() {
            thread::sleep(Duration::from_millis(10));
        }
        fs::write(root.join("drained"), "")?;
        Ok(())
    }))
}

fn new_run() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    begin_run(&path, CONFIG);
    (dir, path)
}

fn start(role: &str, kind: &str, root: &Path) -> Child {
    let program = std::env::current_exe().unwrap();
    Command::new(program).args([role, kind]).arg(root).spawn().unwrap()
}

/// SIGTERM by kill(1), which needs no unsafe code here.
fn terminate(child: &Child) {
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
}

fn wait_for(path: &Path) {
    wait_until(&path.display().to_string(), Duration::from_secs(30), || path.exists());
}
