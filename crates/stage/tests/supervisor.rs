//! The supervisor with shells as stages.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use dz_stage::{ChildSpec, Event, Restarts, Stage, StageFailure, Stop, Supervisor, Update};
use dz_testkit::wait_until;

fn shell(stage: Stage, script: &str) -> ChildSpec {
    ChildSpec { stage, program: "/bin/sh".into(), args: vec!["-c".into(), script.into()] }
}

fn supervisor(specs: Vec<ChildSpec>) -> Supervisor {
    let mut supervisor = Supervisor::new(specs);
    let (window, pause) = (Duration::from_mins(1), Duration::from_millis(10));
    supervisor.restarts = Restarts { max: 3, window, pause };
    supervisor.grace = Duration::from_secs(20);
    supervisor
}

fn run(specs: Vec<ChildSpec>, stop: &Stop) -> (Result<(), StageFailure>, Vec<Event>) {
    let mut events = Vec::new();
    let result = supervisor(specs).run(stop, |update| {
        if let Update::Event(event) = update {
            events.push(event);
        }
    });
    (result, events)
}

fn starts(counter: &Path) -> usize {
    std::fs::read_to_string(counter).unwrap().lines().count()
}

#[test]
fn events_come_through_and_other_lines_do_no_harm() {
    let note = Event::Note { stage: Stage::Trainer, text: "it's alive".into() };
    let line = serde_json::to_string(&note).unwrap().replace('\'', "'\\''");
    let script = format!("echo no event; printf '%s\\n' '{line}'; printf '%s' '{line}'");
    let (result, events) = run(vec![shell(Stage::Trainer, &script)], &Stop::new());
    result.unwrap();
    assert_eq!(events, [note.clone(), note]);
}

#[test]
fn a_crash_is_followed_by_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let counter = dir.path().join("starts");
    let at = counter.display();
    let script = format!("echo x >>{at}; [ $(wc -l <{at}) -ge 3 ] || kill -9 $$");
    run(vec![shell(Stage::Selfplay, &script)], &Stop::new()).0.unwrap();
    assert_eq!(starts(&counter), 3);
}

#[test]
fn a_stage_that_always_crashes_takes_the_others_along_and_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let counter = dir.path().join("starts");
    let script = format!("echo x >>{}; echo out of luck >&2; exit 75", counter.display());
    let begun = Instant::now();
    let specs = vec![shell(Stage::Selfplay, "exec sleep 60"), shell(Stage::Trainer, &script)];
    let failure = run(specs, &Stop::new()).0.unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(15));
    assert_eq!((failure.stage, failure.starts, starts(&counter)), (Stage::Trainer, 4, 4));
    assert_eq!(failure.last_lines, ["out of luck"]);
    assert_eq!(failure.exit_code(), 75);
    let text = failure.to_string();
    assert!(text.contains("trainer ended with exit code 75 (started 4 times)"), "{text}");
    assert!(text.ends_with("out of luck"), "{text}");
}

#[test]
fn bad_configuration_is_never_tried_again() {
    let failure = run(vec![shell(Stage::Trainer, "exit 78")], &Stop::new()).0.unwrap_err();
    assert_eq!((failure.starts, failure.exit_code()), (1, 78));
}

#[test]
fn a_fault_that_comes_back_the_same_is_not_tried_a_third_time() {
    let same = shell(Stage::Trainer, "echo the rows are damaged >&2; exit 1");
    let failure = run(vec![same], &Stop::new()).0.unwrap_err();
    assert_eq!((failure.starts, failure.exit_code()), (2, 1));
    // Another fault each time may still go away.
    let other = shell(Stage::Trainer, "echo fault $$ >&2; exit 1");
    assert_eq!(run(vec![other], &Stop::new()).0.unwrap_err().starts, 4);
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let spec =
        ChildSpec { stage: Stage::Trainer, program: "/nonexistent/trainer".into(), args: vec![] };
    let text = run(vec![spec], &Stop::new()).0.unwrap_err().to_string();
    assert!(text.contains("/nonexistent/trainer"), "{text}");
}

/// Runs a script that says `ready` (as an event) until it is asked to stop as often as `asks`.
fn stopped_after(script: &str, asks: usize) -> Result<(), StageFailure> {
    let ready = serde_json::to_string(&Event::Note { stage: Stage::Trainer, text: "ready".into() });
    let script = script.replace("READY", &format!("echo '{}'", ready.unwrap()));
    let stop = Stop::new();
    supervisor(vec![shell(Stage::Trainer, &script)]).run(&stop, |update| {
        if matches!(update, Update::Event(_)) {
            for _ in 0..asks {
                stop.ask();
            }
        }
    })
}

#[test]
fn a_stop_lets_stages_drain_and_a_second_one_kills_them() {
    let dir = tempfile::tempdir().unwrap();
    let drained = dir.path().join("drained");
    let script = format!(
        "trap 'echo x >{}; exit 75' TERM; READY; while :; do sleep 0.05; done",
        drained.display()
    );
    stopped_after(&script, 1).unwrap();
    assert!(drained.exists());

    let begun = Instant::now();
    stopped_after("trap '' TERM; READY; while :; do sleep 0.05; done", 2).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_child_sees_the_end_of_its_pipe_when_the_supervisor_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let ended = dir.path().join("ended");
    let script = format!("READY; cat >/dev/null; echo x >{}", ended.display());
    let note = Event::Note { stage: Stage::Trainer, text: "ready".into() };
    let script =
        script.replace("READY", &format!("echo '{}'", serde_json::to_string(&note).unwrap()));
    // The callback's panic is the supervisor's death; it unwinds and drops what it held.
    let died = thread::spawn(move || {
        let _ = supervisor(vec![shell(Stage::Trainer, &script)]).run(&Stop::new(), |update| {
            assert!(matches!(update, Update::Idle), "the driver dies");
        });
    });
    assert!(died.join().is_err());
    wait_until("the child's end", Duration::from_secs(20), || ended.exists());
}
