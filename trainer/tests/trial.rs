//! Trials on a run's rows: a range of learning rates, and one batch by heart.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use crate::common::TestRun;
use dz_config::RunConfig;
use trainer::Trial;

/// A trial of the run's newest rows under its own configuration.
fn trial(test: &TestRun) -> anyhow::Result<Trial> {
    let config = RunConfig::of_run(&test.path.join(dz_store::layout::CONFIG)).unwrap();
    Trial::new(&test.run, &test.state(), &config)
}

#[test]
fn a_rate_is_found_between_those_that_do_nothing_and_those_that_destroy() {
    let test = TestRun::new();
    test.publish_rows(1, 40);
    test.publish_rows(2, 40);
    let before = test.state();
    let trial = trial(&test).unwrap();
    assert_eq!(trial.cycle, 2, "the newest rows");
    // More batches than the cycle has.
    let found = trial.range_test(1e-5, 100.0, 150).unwrap();
    let steps = &found.steps;
    assert!(steps.windows(2).all(|pair| pair[1].learning_rate > pair[0].learning_rate));
    assert_eq!(steps[0].learning_rate, 1e-5);
    assert!(steps[0].smoothed > 2.0, "ln 9 + ln 3 is 3.3: {:?}", steps[0]);
    let suggested = found.suggested.unwrap();
    assert_eq!(suggested, found.least / 10.0);
    assert!((1e-4..1.0).contains(&suggested), "{suggested}");
    let least = steps.iter().map(|step| step.smoothed).fold(f64::INFINITY, f64::min);
    assert!(steps.iter().any(|step| step.learning_rate == found.least && step.smoothed == least));
    assert_eq!(test.state(), before, "a trial leaves nothing behind");
}

#[test]
fn a_range_that_ends_too_soon_suggests_nothing() {
    let test = TestRun::new();
    test.publish_rows(1, 40);
    let low = trial(&test).unwrap().range_test(1e-4, 1e-2, 60).unwrap();
    assert_eq!((low.suggested, low.diverged_at), (None, None));
    assert_eq!(low.steps.len(), 60);
}

#[test]
fn one_batch_is_learnt_by_heart_at_a_good_rate_alone() {
    let test = TestRun::new();
    test.publish_rows(1, 40);
    let good = trial(&test).unwrap().overfit(0.01, 200).unwrap();
    assert!(good.passed() && good.excess_before > 0.5, "{good:?}");
    let idle = trial(&test).unwrap().overfit(1e-7, 20).unwrap();
    assert!(!idle.passed(), "{idle:?}");
    assert_eq!(idle.excess_before, good.excess_before, "the same network and batch");
}

#[test]
fn without_rows_there_is_nothing_to_try() {
    let test = TestRun::new();
    let error = trial(&test).err().unwrap().to_string();
    assert!(error.contains("rows"), "{error}");
    let small = TestRun::changed("batch = 16", "batch = 4096");
    small.publish_rows(1, 4);
    let error = trial(&small).err().unwrap().to_string();
    assert!(error.contains("fewer than a batch"), "{error}");
}
