//! What a turn publishes, counts and reports, and what it refuses.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use crate::common::fakes::{Fault, faulty};
use crate::common::{TestRun, block, whole_run};
use dz_burn_net::{BurnLearner, DeviceChoice, Learner, LearnerOptions, Precision};
use dz_config::RunConfig;
use dz_network_file::{NetworkFile, NetworkSpec};
use dz_stage::exit_code_of;
use dz_store::{Entry, Stage};
use trainer::checkpoint::{Cursor, Header, pack, unpack};
use trainer::{StepMetrics, effective_steps};

#[test]
fn every_whole_batch_is_a_step_and_the_rest_is_left() {
    let test = whole_run();
    let mut step = 0;
    for cycle in 1..=2 {
        let rows = block(u64::from(cycle), 60).len() as u64;
        assert_ne!(rows % 16, 0, "the test wants rows left over");
        let candidate = test.candidate(cycle).unwrap();
        assert_eq!(candidate.losses.steps, rows / 16);
        assert_eq!(candidate.losses.rows, rows / 16 * 16);
        step += rows / 16;
        assert_eq!(candidate.step, step);
        let file = NetworkFile::from_bytes(&test.run.get(&candidate.network).unwrap()).unwrap();
        assert_eq!((file.header.cycle, file.header.step), (cycle, step));
        file.check_fits("tictactoe", &file.header.spec.encoding).unwrap();
    }
}

#[test]
fn losses_fall_and_are_those_of_the_metrics() {
    let test = whole_run();
    let (first, second) = (test.candidate(1).unwrap().losses, test.candidate(2).unwrap().losses);
    assert!(second.policy < first.policy && first.policy < 9.0_f64.ln() + 0.3, "{first:?}");
    assert!(second.validation_value.unwrap() < 3.0_f64.ln(), "{second:?}");
    assert!((0.0..=1.0).contains(&second.policy_accuracy.unwrap()));
    // Five of nine points.
    assert!(second.policy_top5_accuracy.unwrap() >= second.policy_accuracy.unwrap(), "{second:?}");
    for mse in [second.value_mse, second.validation_value_mse] {
        assert!((0.0..0.5).contains(&mse.unwrap()), "{second:?}");
    }
    assert!(second.value_accuracy.unwrap() > 0.4, "{second:?}");
    let lines: Vec<StepMetrics> = test.run.metrics(Stage::Trainer).unwrap();
    let steps = effective_steps(lines);
    assert_eq!(steps.len() as u64, first.steps + second.steps);
    let of_second: Vec<_> = steps.iter().filter(|line| line.cycle == 2).collect();
    let mean =
        of_second.iter().map(|l| f64::from(l.gradient_norm)).sum::<f64>() / of_second.len() as f64;
    assert!((mean - second.gradient_norm.unwrap()).abs() < 1e-9);
    assert_eq!(of_second.last().unwrap().learning_rate, second.learning_rate);
    assert_eq!(of_second.last().unwrap().rows_done, second.rows);
    // Warm-up of 5 steps to 0.01, then down to 1e-4.
    assert!((steps[0].learning_rate - 0.002).abs() < 1e-9);
    assert!(second.learning_rate < 2e-4, "{second:?}");
}

#[test]
fn the_turn_is_reported_in_a_line() {
    let test = TestRun::new();
    test.publish_rows(1, 40);
    let mut process = test.process();
    process.turn(1).unwrap();
    let line = process.lines().pop().unwrap();
    for part in ["trained ", " steps, ", " rows/s; policy ", "(validation ", ", lr "] {
        assert!(line.contains(part), "{line}");
    }
}

#[test]
fn few_rows_train_nothing_and_say_so() {
    let test = TestRun::changed("batch = 16", "batch = 1000");
    test.publish_rows(1, 10);
    let mut process = test.process();
    process.turn(1).unwrap();
    let lines = process.lines().join("\n");
    assert!(lines.contains("fewer than a batch of 1000"), "{lines}");
    assert_eq!(test.candidate(1).unwrap().step, 0);
}

#[test]
fn a_cycle_whose_games_are_all_for_validation_is_skipped_with_a_note() {
    let test = TestRun::new();
    let mut process = test.process();
    // The first cycle, which has no network yet; one in the middle; and one to show that training
    // goes on.
    for (cycle, games) in [(1, 0), (2, 40), (3, 0), (4, 40)] {
        test.publish_rows(cycle, games);
        assert_eq!(
            test.state().cycle_state(cycle).unwrap().rows.as_ref().unwrap().train.is_empty(),
            games == 0
        );
        process.turn(cycle).unwrap();
        test.end_cycle(cycle);
        let said = process.lines().join("\n");
        let skipped =
            format!("nothing was trained in cycle {cycle}: all its new games are for validation");
        assert_eq!(said.contains(&skipped), games == 0, "{said}");
    }
    let steps = |cycle: u32| test.candidate(cycle).unwrap().step;
    assert_eq!(steps(1), 0);
    assert!(steps(2) > 0 && steps(3) == steps(2) && steps(4) > steps(3));
    assert_eq!(test.candidate(3).unwrap().losses.steps, 0);
    // Another process finds the same network at the same step.
    drop(process);
    let spec = |cycle: u32| {
        let bytes = test.run.get(&test.candidate(cycle).unwrap().network).unwrap();
        NetworkFile::from_bytes(&bytes).unwrap().header.spec
    };
    assert_eq!(spec(1), spec(2));
}

#[test]
fn old_checkpoints_are_removed_and_the_newest_stay() {
    let test = TestRun::new();
    for cycle in 1..=2 {
        test.publish_rows(cycle, 40);
        let mut process = test.process();
        process.trainer.checkpoint_every = Duration::ZERO;
        process.turn(cycle).unwrap();
        test.end_cycle(cycle);
    }
    let state = test.state();
    let mut newest: Vec<_> = state.checkpoints().map(|(_, c)| c.object.path.clone()).collect();
    assert!(newest.len() > 10);
    let newest = newest.split_off(newest.len() - 3);
    assert_eq!(test.checkpoint_files(), newest);
}

/// A first cycle with a checkpoint after every step; the path of the newest.
fn cycle_of_checkpoints(test: &TestRun) -> String {
    test.publish_rows(1, 60);
    let mut process = test.process();
    process.trainer.checkpoint_every = Duration::ZERO;
    process.turn(1).unwrap();
    drop(process);
    test.end_cycle(1);
    test.state().checkpoint().unwrap().object.path.clone()
}

#[test]
fn a_damaged_checkpoint_falls_back_to_the_one_before_and_the_same_bytes_come_out() {
    let whole = whole_run();
    let test = TestRun::new();
    let newest = cycle_of_checkpoints(&test);
    test.damage(&newest);
    test.publish_rows(2, 60);
    let mut process = test.process();
    process.turn(2).unwrap();
    let lines = process.lines().join("\n");
    assert!(lines.contains(&newest) && lines.contains("the older checkpoint"), "{lines}");
    assert!(lines.contains("training on the rest of cycle 1 again"), "{lines}");
    assert!(whole.results() == test.results(), "other bytes after a fallback");
}

#[test]
fn a_checkpoint_that_was_moved_away_leaves_its_name_to_equal_bytes_alone() {
    let test = TestRun::new();
    let newest = cycle_of_checkpoints(&test);
    std::fs::remove_file(test.path.join(&newest)).unwrap();
    // What is trained again now has other bytes.
    let config = test.run.config_toml().unwrap();
    let config = config.replace("learning_rate = 0.01", "learning_rate = 0.02");
    std::fs::write(test.path.join("config.toml"), &config).unwrap();
    let config_hash = RunConfig::from_text(&config, &[]).unwrap().hash();
    test.append(Stage::Driver, Entry::ConfigChanged { config_hash, changes: Vec::new() });
    test.publish_rows(2, 60);
    let mut process = test.process();
    process.turn(2).unwrap();
    let state = test.state();
    let known: Vec<_> = state.checkpoints().map(|(_, kept)| &kept.object).collect();
    assert!(
        known.iter().any(|object| object.path == newest.replace(".dzc", "-2.dzc")),
        "{known:?}"
    );
    for object in &known {
        assert!(known.iter().all(|other| other.path != object.path || other == object));
    }
}

#[test]
fn without_the_rows_of_the_cycle_before_a_fallback_goes_on_with_a_warning() {
    let test = TestRun::new();
    test.damage(&cycle_of_checkpoints(&test));
    for object in &test.state().cycle_state(1).unwrap().rows.clone().unwrap().train {
        test.run.delete(&object.path).unwrap();
    }
    test.publish_rows(2, 60);
    let mut process = test.process();
    process.turn(2).unwrap();
    let lines = process.lines().join("\n");
    assert!(lines.contains("steps of cycle 1 are lost"), "{lines}");
    let losses = test.candidate(2).unwrap().losses;
    assert_eq!(losses.steps, block(2, 60).len() as u64 / 16);
}

#[test]
fn if_no_checkpoint_is_good_training_does_not_begin_anew() {
    let test = TestRun::new();
    test.publish_rows(1, 40);
    test.process().turn(1).unwrap();
    test.end_cycle(1);
    for path in test.checkpoint_files() {
        test.damage(&path);
    }
    test.publish_rows(2, 40);
    let error = format!("{:#}", test.process().turn(2).unwrap_err());
    assert!(error.contains("no checkpoint of this run is good"), "{error}");
    assert!(error.contains("Restore one"), "{error}");
    assert_eq!(test.candidate(2), None);
}

#[test]
fn a_checkpoint_of_another_game_or_network_is_refused() {
    let test = TestRun::new();
    test.publish_rows(1, 40);
    test.process().turn(1).unwrap();
    test.end_cycle(1);
    test.publish_rows(2, 40);
    let good = test.results().0;
    let (header, state) = unpack(&good).unwrap();
    let other_game = pack(&Header { game: "hex:size=3".into(), ..header.clone() }, state);
    let learner = BurnLearner::new(
        NetworkSpec { channels: 16, ..spec(&test) },
        DeviceChoice::Cpu,
        LearnerOptions::to_measure(Precision::F32),
    );
    let other_network = pack(&header, &learner.unwrap().save().unwrap());
    for (name, bytes, said) in [
        ("game", other_game, "of game 'hex:size=3', this run's is 'tictactoe'"),
        ("network", other_network, "its channels is 16, the run's is 8"),
    ] {
        let object = test.run.put_create(&format!("checkpoints/{name}.dzc"), &bytes).unwrap();
        test.append(Stage::Trainer, Entry::Checkpoint { cycle: 1, step: 9, object });
        let error = format!("{:#}", test.process().turn(2).unwrap_err());
        assert!(error.contains(said) && error.contains(name), "{error}");
        assert!(error.contains("new run"), "{error}");
    }
}

fn spec(test: &TestRun) -> NetworkSpec {
    NetworkFile::from_bytes(&test.results().1[0]).unwrap().header.spec
}

#[test]
fn divergence_stops_and_names_the_last_good_checkpoint() {
    for fault in [Fault::HugeLoss, Fault::NotANumber] {
        let test = TestRun::new();
        test.publish_rows(1, 40);
        test.process().turn(1).unwrap();
        test.end_cycle(1);
        test.publish_rows(2, 40);
        let good = test.state().checkpoint().unwrap().clone();
        let mut process = test.process();
        let fresh = std::mem::replace(
            &mut process.trainer,
            trainer::Trainer::new(Box::new(|_, _| unreachable!("never asked"))),
        );
        process.trainer.make_learner = faulty(fresh.make_learner, fault(good.step + 2));
        let error = process.turn(2).unwrap_err();
        assert_ne!(exit_code_of(&error), 0);
        let error = format!("{error:#}");
        assert!(error.contains(&good.object.path), "{error}");
        assert!(error.contains("training diverged at step"), "{error}");
        assert_eq!(test.state().checkpoint(), Some(&good));
        assert_eq!(test.candidate(2), None);
    }
}

/// Checkpoints are due at every step; those of the explosion are not published, so the newest is a
/// good one.
#[test]
fn an_explosion_stops_before_anything_is_built_on_it() {
    let every_cycle_ends_well = "bootstrap = { games = 8 }";
    for steps in [5, 1_000] {
        let alarms = format!(
            "{every_cycle_ends_well}\nalarms = {{ loss_steps = {steps}, loss_factor = 1.5 }}"
        );
        let test = TestRun::changed(every_cycle_ends_well, &alarms);
        test.publish_rows(1, 120);
        let mut process = test.process();
        let fresh = std::mem::replace(
            &mut process.trainer,
            trainer::Trainer::new(Box::new(|_, _| unreachable!("never asked"))),
        );
        let begins = 25;
        process.trainer.make_learner = faulty(fresh.make_learner, Fault::Explode(begins));
        process.trainer.checkpoint_every = Duration::ZERO;
        let error = process.turn(1).unwrap_err();
        let newest = test.state().checkpoint().unwrap().clone();
        // The median follows eight steps later.
        assert!((begins..begins + 8).contains(&newest.step), "{newest:?}");
        let error = format!("{error:#}");
        assert!(error.contains(&newest.object.path), "{error}");
        assert!(error.contains("training has exploded"), "{error}");
        assert_eq!(test.candidate(1), None);
    }
}

#[test]
fn a_cursor_beyond_the_turn_is_refused() {
    let test = TestRun::new();
    test.publish_rows(1, 40);
    test.process().turn(1).unwrap();
    let (header, state) = {
        let bytes = test.results().0;
        let (header, state) = unpack(&bytes).unwrap();
        (header, state.to_vec())
    };
    let later = Header { cursor: Cursor::begin(7), ..header };
    let object = test.run.put_create("checkpoints/later.dzc", &pack(&later, &state)).unwrap();
    test.append(Stage::Trainer, Entry::Checkpoint { cycle: 1, step: 9, object });
    let error = format!("{:#}", test.process().turn(1).unwrap_err());
    assert!(error.contains("records are missing"), "{error}");
}
