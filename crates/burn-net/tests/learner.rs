//! Learning, exact resume, and what a checkpoint refuses.

#![allow(clippy::unwrap_used)]

use crate::common;
use crate::common::{full, info, learner, on_threads, options, rows, small, wide};
use dz_burn_net::{BurnLearner, DeviceChoice, Learner, LearnerOptions, NetError};
use dz_network_file::{NetworkError, NetworkFile, NetworkSpec};

fn train(learner: &mut BurnLearner, steps: std::ops::Range<u64>) {
    let spec = learner.spec().clone();
    for i in steps {
        learner.step(&rows(&spec, 24, i), 0.003).unwrap();
    }
}

#[test]
fn a_fresh_network_knows_nothing() {
    let spec = full();
    let mut learner = learner(spec.clone());
    let batch = rows(&spec, 32, 3);
    let (policy, value) = ((spec.policy_len as f32).ln(), 3.0_f32.ln());
    for losses in
        [learner.evaluate(&batch).unwrap().losses, learner.step(&batch, 0.001).unwrap().losses]
    {
        assert!((losses.policy_loss - policy).abs() < 0.2, "{losses:?}");
        assert!((losses.value_loss - value).abs() < 0.2, "{losses:?}");
        assert_eq!(losses.rows, 32);
    }
}

#[test]
fn one_batch_is_learnt_by_heart() {
    let spec = full();
    let mut learner = learner(spec.clone());
    let batch = rows(&spec, 32, 3);
    let first = learner.step(&batch, 0.01).unwrap().losses;
    for _ in 0..80 {
        learner.step(&batch, 0.01).unwrap();
    }
    let last = learner.evaluate(&batch).unwrap().losses;
    assert!(
        last.policy_loss - last.policy_entropy < 0.2 * (first.policy_loss - first.policy_entropy)
    );
    assert!(last.value_loss < 0.6 * first.value_loss, "{first:?} {last:?}");
    assert!(last.policy_loss >= last.policy_entropy);
}

#[test]
fn rows_count_by_their_weights() {
    let spec = small();
    let mut doubled = rows(&spec, 8, 1);
    doubled.policy_weights[0] = 2.0;
    doubled.policy_weights[3] = 0.0;
    doubled.value_weights.fill(0.0);
    // The same by hand: row 3 replaced by a second copy of row 0.
    let mut copied = rows(&spec, 8, 1);
    let (bytes, a) = (copied.planes.shape.packed_bytes(), spec.policy_len);
    copied.planes.bits.copy_within(0..bytes, 3 * bytes);
    copied.policy.copy_within(0..a, 3 * a);
    let learner = learner(spec);
    let losses = |batch| learner.evaluate(batch).unwrap().losses;
    let (one, other) = (losses(&doubled), losses(&copied));
    assert!((one.policy_loss - other.policy_loss).abs() < 1e-6, "{one:?} {other:?}");
    assert!((one.policy_entropy - other.policy_entropy).abs() < 1e-6);
    assert_eq!(one.value_loss, 0.0);
}

#[test]
fn the_same_seed_gives_the_same_bytes_whatever_the_threads() {
    let run = |threads, seed| {
        on_threads(threads, || {
            let options = LearnerOptions { seed, ..options() };
            let mut learner = BurnLearner::new(full(), DeviceChoice::Cpu, options).unwrap();
            train(&mut learner, 0..4);
            learner.save().unwrap()
        })
    };
    let one = run(1, 7);
    assert_eq!(one, run(2, 7));
    assert_ne!(one, run(1, 8));
}

/// 150 rows run as three shards of 50, which may be learnt from at the same time.
#[test]
fn batches_of_several_shards_do_not_depend_on_the_threads() {
    let run = |spec: &NetworkSpec, threads| {
        on_threads(threads, || {
            let mut learner = learner(spec.clone());
            for i in 0..2 {
                learner.step(&rows(spec, 150, i), 0.003).unwrap();
            }
            learner.save().unwrap()
        })
    };
    for spec in [small(), wide()] {
        let one = run(&spec, 1);
        for threads in [2, 3] {
            assert_eq!(one, run(&spec, threads));
        }
    }
}

/// 128 rows are two shards of 64, on one device or on two.
#[test]
fn two_devices_that_share_a_batch_learn_what_one_does() {
    let spec = full();
    let run = |devices: &[DeviceChoice]| {
        let mut learner = BurnLearner::on(spec.clone(), devices, options()).unwrap();
        let reports: Vec<_> =
            (0..3).map(|i| learner.step(&rows(&spec, 128, i), 0.003).unwrap()).collect();
        (reports, learner.save().unwrap())
    };
    let one = run(&[DeviceChoice::Cpu]);
    assert!(run(&[DeviceChoice::Cpu; 2]) == one, "other reports or other bytes");
    // More devices than rows: some have nothing to do.
    let mut crowd = BurnLearner::on(spec.clone(), &[DeviceChoice::Cpu; 5], options()).unwrap();
    assert_eq!(crowd.step(&rows(&spec, 3, 1), 0.003).unwrap().losses.rows, 3);
    let error = BurnLearner::on(spec, &[], options()).unwrap_err();
    assert!(error.to_string().contains("devices"), "{error}");
}

/// The shards' losses add up to the batch's, which a fresh network makes known: both evaluate
/// alike.
#[test]
fn losses_of_several_shards_are_those_of_the_batch() {
    let spec = small();
    let mut learner = learner(spec.clone());
    let mut batch = rows(&spec, 130, 4);
    for (i, weight) in batch.policy_weights.iter_mut().enumerate() {
        *weight = (i % 3) as f32;
    }
    let whole = learner.evaluate(&batch).unwrap().losses;
    let parts = learner.step(&batch, 0.0).unwrap().losses;
    // Batch norm takes other statistics in training, but a fresh network's outputs are all near 0.
    assert!((whole.policy_loss - parts.policy_loss).abs() < 0.05, "{whole:?} {parts:?}");
    assert!((whole.value_loss - parts.value_loss).abs() < 0.05, "{whole:?} {parts:?}");
}

#[test]
fn resume_is_exact_across_learners_and_threads() {
    let whole = on_threads(1, || {
        let mut learner = learner(full());
        train(&mut learner, 0..9);
        learner.save().unwrap()
    });
    let half = on_threads(2, || {
        let mut learner = learner(full());
        train(&mut learner, 0..4);
        learner.save().unwrap()
    });
    // A learner with other initial weights and a past of its own: all of it must be replaced.
    let options = LearnerOptions { seed: 1, ..options() };
    let mut resumed = BurnLearner::new(full(), DeviceChoice::Cpu, options).unwrap();
    train(&mut resumed, 40..42);
    resumed.load(&half).unwrap();
    assert_eq!(resumed.steps(), 4);
    assert_eq!(resumed.save().unwrap(), half);
    train(&mut resumed, 4..9);
    assert_eq!(resumed.save().unwrap(), whole);
}

#[test]
fn what_was_exported_does_not_change_with_further_training() {
    let spec = small();
    let mut learner = learner(spec.clone());
    train(&mut learner, 0..3);
    let batch = rows(&spec, 8, 77);
    let (file, losses, saved) = (
        learner.export(&info()).unwrap(),
        learner.evaluate(&batch).unwrap(),
        learner.save().unwrap(),
    );
    let bytes = file.to_bytes().unwrap();
    train(&mut learner, 3..6);
    assert_ne!(learner.export(&info()).unwrap(), file);
    assert_eq!(file.to_bytes().unwrap(), bytes);
    // Evaluating and exporting change nothing, and going back gives the same again.
    learner.load(&saved).unwrap();
    assert_eq!(learner.evaluate(&batch).unwrap(), losses);
    assert_eq!(learner.export(&info()).unwrap(), file);
    assert_eq!(learner.save().unwrap(), saved);
    assert_eq!(NetworkFile::from_bytes(&bytes).unwrap().header.step, 3);
}

#[test]
fn large_gradients_are_clipped_and_small_ones_are_not() {
    let spec = small();
    let batch = rows(&spec, 8, 1);
    let with = |clip_norm| {
        let options = LearnerOptions { clip_norm, ..options() };
        let mut learner = BurnLearner::new(small(), DeviceChoice::Cpu, options).unwrap();
        learner.step(&batch, 0.01).unwrap()
    };
    let norm = with(1e9).gradient_norm;
    assert!(norm > 0.0 && !with(1e9).clipped);
    let clipped = with(f64::from(norm) / 2.0);
    assert!(clipped.clipped);
    assert_eq!(clipped.gradient_norm, norm);
}

#[test]
fn divergence_is_an_error_and_leaves_the_weights() {
    let spec = small();
    let mut learner = learner(spec.clone());
    train(&mut learner, 0..2);
    let before = learner.save().unwrap();
    let mut batch = rows(&spec, 8, 1);
    batch.policy[0] = f32::NAN;
    let error = learner.step(&batch, 0.01).unwrap_err();
    assert!(matches!(error, NetError::Diverged { step: 3, .. }), "{error}");
    assert_eq!(learner.save().unwrap(), before);
}

#[test]
fn batches_that_do_not_fit_are_refused() {
    let spec = small();
    let mut learner = learner(spec.clone());
    let mut refused = |change: &dyn Fn(&mut dz_burn_net::TrainBatch)| {
        let mut batch = rows(&spec, 4, 1);
        change(&mut batch);
        let error = learner.step(&batch, 0.01).unwrap_err();
        assert!(matches!(error, NetError::BadBatch { .. }), "{error}");
    };
    refused(&|b| b.policy.truncate(1));
    refused(&|b| b.wdl.truncate(1));
    refused(&|b| b.value_weights.truncate(1));
    refused(&|b| b.policy_weights[1] = -1.0);
    refused(&|b| b.planes.shape.width = 9);
    refused(&|b| b.planes.len = 0);
}

#[test]
fn damaged_and_foreign_checkpoints_are_refused() {
    let mut learner = learner(small());
    train(&mut learner, 0..2);
    let bytes = learner.save().unwrap();
    let mut refused = |bytes: &[u8]| match learner.load(bytes).unwrap_err() {
        NetError::File(error) => error,
        other => panic!("{other}"),
    };
    let truncated = refused(&bytes[..bytes.len() - 1]);
    assert!(matches!(truncated, NetworkError::Truncated { .. }), "{truncated}");
    let mut damaged = bytes.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let damaged = refused(&damaged);
    assert!(matches!(damaged, NetworkError::HashMismatch { .. }), "{damaged}");
    let wider = NetworkSpec { channels: 9, ..small() };
    let wider = refused(&common::learner(wider).save().unwrap());
    assert!(wider.to_string().contains("channels is 9, the run's is 8"), "{wider}");
    let network = refused(&common::learner(small()).export(&info()).unwrap().to_bytes().unwrap());
    assert!(network.to_string().contains("a network file"), "{network}");
    assert_eq!(learner.save().unwrap(), bytes, "a refused checkpoint changes nothing");
}

#[test]
fn options_out_of_range_are_named() {
    for (options, key) in [
        (LearnerOptions { weight_decay: -1.0, ..options() }, "weight_decay"),
        (LearnerOptions { clip_norm: 0.0, ..options() }, "clip_norm"),
        (LearnerOptions { ema_decay: 1.0, ..options() }, "ema_decay"),
        (LearnerOptions { value_weight: f64::NAN, ..options() }, "value_weight"),
    ] {
        let error = BurnLearner::new(small(), DeviceChoice::Cpu, options).unwrap_err();
        assert!(error.to_string().contains(key), "{error}");
    }
}
