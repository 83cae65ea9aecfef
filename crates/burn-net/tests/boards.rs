//! Batches whose rows are of several boards.

use crate::common::{all_heads, full, head_weights, learner, nested, options, rows_with_heads};
use dz_burn_net::{
    BurnLearner, DeviceChoice, Learner, LearnerOptions, LossReport, NetError, TrainBatch,
};
use dz_network_file::{NetworkSpec, PerHead};

/// A network for boards of any size, with a pass beside the points, on this board.
fn on(spec: &NetworkSpec, height: usize, width: usize) -> NetworkSpec {
    NetworkSpec { any_size: true, height, width, policy_len: height * width + 1, ..spec.clone() }
}

fn with_heads(spec: NetworkSpec) -> BurnLearner {
    let options = LearnerOptions { head_weights: head_weights(), ..options() };
    BurnLearner::new(spec, DeviceChoice::Cpu, options).unwrap()
}

/// All losses, in order.
fn losses(report: &LossReport) -> Vec<f32> {
    let heads = report.heads.present().map(|(_, &loss)| loss);
    let LossReport { policy_loss, value_loss, value_mse, policy_entropy, .. } = *report;
    [policy_loss, value_loss, value_mse, policy_entropy].into_iter().chain(heads).collect()
}

/// Rows whose policy counts `weight` and whose value counts half of it.
fn weighted(spec: &NetworkSpec, len: usize, seed: u64, weight: f32) -> TrainBatch {
    let mut batch = rows_with_heads(spec, len, seed, weight);
    batch.policy_weights.fill(weight);
    batch.value_weights.fill(weight / 2.0);
    batch
}

#[test]
fn losses_are_means_over_the_rows_of_all_boards() {
    for network in [full(), nested()] {
        let small = all_heads(on(&network, 4, 5));
        let large = all_heads(on(&network, 7, 6));
        let parts = [weighted(&small, 9, 1, 1.0), weighted(&large, 15, 2, 2.0)];
        // Each board alone, by the same fresh weights; the larger one is not the learner's own.
        let alone = parts
            .each_ref()
            .map(|part| losses(&with_heads(small.clone()).step(part, 0.01).unwrap().losses));
        let mixed = with_heads(small.clone()).step_parts(&parts, 0.01).unwrap().losses;
        assert_eq!(mixed.rows, 24);
        let shares = [9.0 / 39.0, 30.0 / 39.0];
        for (at, found) in losses(&mixed).into_iter().enumerate() {
            let wanted = shares[0] * alone[0][at] + shares[1] * alone[1][at];
            assert!(
                (found - wanted).abs() < 1e-5 * wanted.abs().max(1.0),
                "{at}: {found} {wanted}"
            );
        }
    }
}

/// The gradient of two boards is the sum of both, so a step goes where both together point. A
/// board whose rows count nothing leaves no trace in the weights but for statistics of batch norm.
#[test]
fn a_board_whose_rows_count_nothing_moves_no_weight() {
    let small = on(&full(), 4, 5);
    let part = weighted(&small, 16, 3, 1.0);
    let mut silent = weighted(&on(&full(), 6, 6), 16, 4, 0.0);
    silent.heads = PerHead::default();
    let mut alone = learner(small.clone());
    let mut both = learner(small);
    let one = alone.step(&part, 0.01).unwrap();
    let other = both.step_parts(&[part, silent], 0.01).unwrap();
    assert!((one.losses.policy_loss - other.losses.policy_loss).abs() < 1e-6);
    let norms = [one.gradient_norm, other.gradient_norm];
    assert!((norms[0] - norms[1]).abs() < 1e-5 * norms[0], "{norms:?}");
}

#[test]
fn both_boards_are_learnt_by_heart_and_a_stop_in_between_changes_nothing() {
    let small = on(&full(), 4, 5);
    let parts = [weighted(&small, 16, 5, 1.0), weighted(&on(&full(), 6, 6), 16, 6, 1.0)];
    let mut whole = learner(small.clone());
    let before = parts.each_ref().map(|part| whole.evaluate(part).unwrap().losses);
    for _ in 0..60 {
        whole.step_parts(&parts, 0.01).unwrap();
    }
    for (part, before) in parts.iter().zip(before) {
        let after = whole.evaluate(part).unwrap().losses;
        let left = |losses: LossReport| losses.policy_loss - losses.policy_entropy;
        assert!(left(after) < 0.3 * left(before), "{before:?} {after:?}");
        assert!(after.value_loss < 0.7 * before.value_loss, "{before:?} {after:?}");
    }
    let mut resumed = learner(small);
    resumed.load(&whole.save().unwrap()).unwrap();
    let [one, other] = [&mut whole, &mut resumed].map(|l| l.step_parts(&parts, 0.01).unwrap());
    assert_eq!(one, other);
    assert_eq!(whole.save().unwrap(), resumed.save().unwrap());
}

#[test]
fn other_boards_are_refused_where_the_network_has_one_size_or_other_moves() {
    let own = full();
    let other = NetworkSpec { height: 6, width: 6, ..own.clone() };
    let error = learner(own).step(&weighted(&other, 4, 1, 1.0), 0.01).unwrap_err();
    assert!(matches!(error, NetError::BadBatch { .. }), "{error}");
    let small = on(&full(), 4, 5);
    let without_pass = NetworkSpec { policy_len: 36, ..on(&full(), 6, 6) };
    let error = learner(small).step(&weighted(&without_pass, 4, 1, 1.0), 0.01).unwrap_err();
    assert!(error.to_string().contains("36 moves on a board of 6x6"), "{error}");
}
