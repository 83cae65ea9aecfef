//! Steps of the trainer, thinned so that a long training is still a curve.

use serde::Deserialize;

use crate::measures::StepPoint;

/// Points of the curves of steps.
const STEP_POINTS_MAX: u64 = 240;

/// A step as the trainer measures it; other fields are not shown.
#[derive(Deserialize)]
pub(crate) struct StepLine {
    pub(crate) step: u64,
    policy_loss: f64,
    value_loss: f64,
    policy_entropy: f64,
    clipped: Option<bool>,
}

/// Means over equal stretches, so that a long training is still a curve.
pub(crate) fn thinned(steps: &[StepLine]) -> Vec<StepPoint> {
    let stretch = (steps.len() as u64).div_ceil(STEP_POINTS_MAX).max(1) as usize;
    let mean = |chunk: &[StepLine], of: fn(&StepLine) -> f64| {
        chunk.iter().map(of).sum::<f64>() / chunk.len() as f64
    };
    let point = |chunk: &[StepLine]| StepPoint {
        step: chunk.last().map_or(0, |line| line.step),
        policy_loss: mean(chunk, |line| line.policy_loss),
        value_loss: mean(chunk, |line| line.value_loss),
        policy_entropy: mean(chunk, |line| line.policy_entropy),
        clipped: clipped_share(chunk),
    };
    steps.chunks(stretch).map(point).collect()
}

/// Share of clipped steps among those whose lines have it.
fn clipped_share(steps: &[StepLine]) -> Option<f64> {
    let known: Vec<bool> = steps.iter().filter_map(|line| line.clipped).collect();
    let clipped = known.iter().filter(|&&clipped| clipped).count();
    (!known.is_empty()).then(|| clipped as f64 / known.len() as f64)
}
