//! Steps of learning whose losses are known: does a device learn what it is shown?

use dz_cpu_net::random_positions;
use dz_network_file::{Head, HeadOutput, NetworkSpec, PerHead};
use serde::Serialize;

use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::infer::canary::canary_spec;
use crate::precision::Precision;
use crate::train::burn_learner::BurnLearner;
use crate::train::convolution_choice::{largest, learns_by_cuda_kernels};
use crate::train::learner::{HeadRows, Learner, LearnerOptions, TrainBatch};

/// Rows of a step: no more than the processor takes without cutting them into shards, each with a
/// batch norm of its own.
const ROWS: usize = 64;
/// Steps: the second one's losses depend on what the first one made of all gradients.
const STEPS: usize = 2;
const LEARNING_RATE: f64 = 1e-3;

/// What a device made of the steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LearningReport {
    /// What products took their factors in.
    pub precision: Precision,
    /// Whether 3x3 convolutions were worked out by our kernels for cards.
    #[serde(rename = "on_chip")]
    pub cuda_kernels: bool,
    /// Steps that were made.
    pub steps: usize,
    /// Largest difference of a loss or of a gradient's norm from the processor's, as a share of
    /// that; infinite if one was not a number.
    pub difference_max: f64,
    /// What it may be at most.
    pub tolerance: f64,
}

impl LearningReport {
    /// Whether the device learns rightly.
    pub fn passed(&self) -> bool {
        self.difference_max <= self.tolerance
    }
}

/// Makes the steps on a device, in the format that it learns in, and on the processor in 32 bits.
///
/// # Errors
/// [`NetError::Device`] if the device fails.
pub fn learning_canary(choice: DeviceChoice) -> Result<LearningReport, NetError> {
    report(choice, choice.learning_precision(), LEARNING_RATE)
}

fn report(
    choice: DeviceChoice,
    precision: Precision,
    learning_rate: f64,
) -> Result<LearningReport, NetError> {
    let (_, wanted) = numbers(DeviceChoice::Cpu, Precision::F32, LEARNING_RATE)?;
    let (cuda_kernels, found) = numbers(choice, precision, learning_rate)?;
    let difference_max = difference_max(&wanted, &found);
    // Factors are rounded to 10 bits in TF32, to 7 in bf16.
    let tolerance = if precision == Precision::Bf16 { 0.05 } else { 0.01 };
    Ok(LearningReport { precision, cuda_kernels, steps: STEPS, difference_max, tolerance })
}

/// Losses and norm of the gradient of each step, as a run would make it; whether by our kernels for
/// cards.
fn numbers(
    choice: DeviceChoice,
    precision: Precision,
    learning_rate: f64,
) -> Result<(bool, Vec<f32>), NetError> {
    let spec = canary_spec();
    let rows = random_rows(&spec, ROWS);
    let cuda_kernels = learns_by_cuda_kernels(&[choice], &spec, precision)?;
    let options = LearnerOptions { cuda_kernels, ..LearnerOptions::to_measure(precision) };
    let mut learner = BurnLearner::new(spec, choice, options)?;
    let mut numbers = Vec::new();
    for _ in 0..STEPS {
        let step = learner.step(&rows, learning_rate)?;
        numbers.extend([step.losses.policy_loss, step.losses.value_loss, step.gradient_norm]);
    }
    Ok((learner.has_cuda_kernels(), numbers))
}

fn difference_max(wanted: &[f32], found: &[f32]) -> f64 {
    let share = |(wanted, found): (&f32, &f32)| f64::from((found - wanted) / wanted).abs();
    largest(wanted.iter().zip(found).map(share))
}

/// Random positions, each to be answered with one move and a win; heads with the same, with nothing
/// but wins, and with 3.
pub fn random_rows(spec: &NetworkSpec, rows: usize) -> TrainBatch {
    let mut policy = vec![0.0; rows * spec.policy_len];
    for (i, row) in policy.chunks_exact_mut(spec.policy_len).enumerate() {
        row[i % spec.policy_len] = 1.0;
    }
    let targets = |head: Head| match head.output() {
        _ if !spec.heads.contains(&head) || !head.is_in_rows() => Vec::new(),
        HeadOutput::Policy => policy.clone(),
        HeadOutput::Values(_) | HeadOutput::Points => {
            [1.0, 0.0, 0.0].repeat(rows * spec.target_len(head) / 3)
        }
        HeadOutput::Number(_) | HeadOutput::SquaredError => vec![3.0; rows],
    };
    let heads = PerHead::from_fn(|head| {
        let targets = targets(head);
        let weights = vec![1.0; if targets.is_empty() { 0 } else { rows }];
        HeadRows { targets, weights }
    });
    TrainBatch {
        planes: random_positions(spec, rows, 3),
        policy,
        wdl: [1.0, 0.0, 0.0].repeat(rows),
        policy_weights: vec![1.0; rows],
        value_weights: vec![1.0; rows],
        heads,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_formats_pass_and_steps_of_another_size_do_not() {
        let report =
            |precision, rate| report(DeviceChoice::Cpu, precision, rate).expect("the processor");
        let half = report(Precision::Bf16, LEARNING_RATE);
        println!("{half:?}");
        assert!(half.passed() && half.difference_max > 1e-4, "{half:?}");
        assert_eq!(report(Precision::F32, LEARNING_RATE).difference_max, 0.0);
        assert!(!report(Precision::F32, 2.0 * LEARNING_RATE).passed());
    }

    #[test]
    fn what_is_no_number_is_no_small_difference() {
        assert_eq!(difference_max(&[1.0, 2.0], &[1.0, 2.5]), 0.25);
        for bad in [f32::NAN, f32::INFINITY] {
            assert_eq!(difference_max(&[1.0, 2.0, 3.0], &[1.0, bad, 3.0]), f64::INFINITY);
        }
    }
}
