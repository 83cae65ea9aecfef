//! However often a trainer is stopped or killed, the same bytes come out.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use crate::common::fakes::{Fault, faulty};
use crate::common::{Process, TestRun, whole_run};
use dz_store::Losses;

/// Steps of the first cycle in [`whole_run`].
fn steps_of_cycle(test: &TestRun, cycle: u32) -> u64 {
    test.candidate(cycle).unwrap().losses.steps
}

fn without_wall_time(test: &TestRun) -> Vec<Losses> {
    let losses = (1..=2).map(|cycle| test.candidate(cycle).unwrap().losses);
    losses.map(|losses| Losses { wall_ms: 0, ..losses }).collect()
}

fn with_fault(process: &mut Process, fault: Fault) {
    let make = std::mem::replace(
        &mut process.trainer.make_learner,
        Box::new(|_, _| unreachable!("replaced below")),
    );
    process.trainer.make_learner = faulty(make, fault);
}

/// Takes the turn of a cycle with a process killed before each of `steps`.
fn with_kills(test: &TestRun, cycle: u32, steps: &[u64]) {
    for &step in steps {
        let mut process = test.process();
        // A checkpoint after every step, so that each kill comes at another place in the rows.
        process.trainer.checkpoint_every = Duration::ZERO;
        with_fault(&mut process, Fault::Kill(step));
        let error = process.turn(cycle).unwrap_err();
        assert!(format!("{error:#}").contains("killed"), "{error:#}");
        assert_eq!(test.candidate(cycle), None);
    }
    test.process().turn(cycle).unwrap();
}

/// On a GPU, the next step is submitted before the last report is collected.
#[test]
fn late_reports_change_nothing() {
    let whole = whole_run();
    let late = TestRun::new();
    for cycle in 1..=2 {
        late.publish_rows(cycle, 60);
        let mut process = late.process();
        with_fault(&mut process, Fault::OneStepLate);
        process.turn(cycle).unwrap();
        late.end_cycle(cycle);
    }
    assert!(whole.results() == late.results(), "other bytes");
    assert_eq!(without_wall_time(&whole), without_wall_time(&late));
}

#[test]
fn kills_change_nothing() {
    let whole = whole_run();
    let first = steps_of_cycle(&whole, 1);
    assert!(first > 10, "{first}");
    let killed = TestRun::new();
    for (cycle, kills) in [(1, vec![1, 2, 8, first]), (2, vec![first + 1, first + 5])] {
        killed.publish_rows(cycle, 60);
        with_kills(&killed, cycle, &kills);
        killed.end_cycle(cycle);
    }
    assert!(whole.results() == killed.results(), "other bytes after kills");
    assert_eq!(without_wall_time(&whole), without_wall_time(&killed));
}

#[test]
fn a_kill_without_a_checkpoint_goes_back_to_the_last_one() {
    let whole = whole_run();
    let first = steps_of_cycle(&whole, 1);
    let killed = TestRun::new();
    for (cycle, kill) in [(1, 7), (2, first + 3)] {
        killed.publish_rows(cycle, 60);
        let mut process = killed.process();
        with_fault(&mut process, Fault::Kill(kill));
        process.turn(cycle).unwrap_err();
        drop(process);
        killed.process().turn(cycle).unwrap();
        killed.end_cycle(cycle);
    }
    assert!(whole.results() == killed.results(), "other bytes after kills");
}

#[test]
fn a_stop_drains_and_publishes() {
    let whole = whole_run();
    let stopped = TestRun::new();
    for cycle in 1..=2 {
        stopped.publish_rows(cycle, 60);
        for _ in 0..3 {
            let mut process = stopped.process();
            let before = stopped.state().checkpoint().map_or(0, |c| c.step);
            process.stop.ask();
            process.turn(cycle).unwrap();
            assert_eq!(stopped.candidate(cycle), None, "the turn is not over");
            assert_eq!(stopped.state().checkpoint().unwrap().step, before + 1);
        }
        stopped.process().turn(cycle).unwrap();
        stopped.end_cycle(cycle);
    }
    assert!(whole.results() == stopped.results(), "other bytes after stops");
    assert_eq!(without_wall_time(&whole), without_wall_time(&stopped));
}

#[test]
fn a_turn_killed_before_its_candidate_only_publishes_it() {
    let whole = whole_run();
    let test = TestRun::new();
    test.publish_rows(1, 60);
    test.process().turn(1).unwrap();
    // The same turn again, as if the candidate's entry had not been written.
    let again = TestRun::new();
    again.publish_rows(1, 60);
    let checkpoint = test.state().checkpoint().unwrap().clone();
    let bytes = test.run.get(&checkpoint.object).unwrap();
    let object = again.run.put_create(&checkpoint.object.path, &bytes).unwrap();
    let step = checkpoint.step;
    again.append(dz_store::Stage::Trainer, dz_store::Entry::Checkpoint { cycle: 1, step, object });
    let mut process = again.process();
    with_fault(&mut process, Fault::Kill(step + 1));
    process.turn(1).unwrap();
    assert_eq!(again.results().1[0], whole.results().1[0]);
    assert!(process.lines().last().unwrap().starts_with(&format!("trained {step} steps")));
}

#[test]
fn threads_change_nothing() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let test = TestRun::new();
        test.publish_rows(1, 40);
        pool.install(|| test.process().turn(1).unwrap());
        test.results()
    };
    assert!(run(1) == run(2), "other bytes with two threads");
}
