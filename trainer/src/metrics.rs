//! What is measured at each step: one line of `metrics/trainer.jsonl`.

use std::collections::BTreeMap;

use dz_network_file::PerHead;
use serde::{Deserialize, Serialize};

/// One step, before it changed the weights. Losses are means over the batch, in nats.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepMetrics {
    /// The cycle, from 1.
    pub cycle: u32,
    /// The step, from 1 since the run began.
    pub step: u64,
    /// Rows of the cycle trained on, this step included.
    pub rows_done: u64,
    /// Policy cross-entropy.
    pub policy_loss: f32,
    /// What the value learns by: cross-entropy of win, draw and loss, or squared error.
    pub value_loss: f32,
    /// Squared error of win less loss, scaled by 1/4 to 0 to 1; none in lines of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_mse: Option<f32>,
    /// Entropy of the policy targets: the least that the policy loss can be.
    pub policy_entropy: f32,
    /// Euclidean norm of the gradient before clipping.
    pub gradient_norm: f32,
    /// Whether it was clipped.
    pub clipped: bool,
    /// Losses of the heads beside policy and value, by name; left out where the network has none.
    #[serde(default, skip_serializing_if = "PerHead::is_empty")]
    pub heads: PerHead<Option<f32>>,
    /// Learning rate.
    pub learning_rate: f64,
    /// Rows a second of this step: learning alone, without waiting for rows.
    pub rows_per_second: f64,
}

/// The steps that count, in order. After a kill a trainer goes back to its last checkpoint, so a
/// line supersedes all earlier lines of its step and of later ones.
pub fn effective_steps(lines: impl IntoIterator<Item = StepMetrics>) -> Vec<StepMetrics> {
    let mut steps = BTreeMap::new();
    for line in lines {
        steps.split_off(&line.step);
        steps.insert(line.step, line);
    }
    steps.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resumed_trainers_lines_supersede() {
        let line = |step, policy_loss| StepMetrics {
            cycle: 1,
            step,
            rows_done: step * 8,
            policy_loss,
            value_loss: 1.0,
            value_mse: Some(0.25),
            policy_entropy: 0.5,
            gradient_norm: 0.1,
            clipped: false,
            heads: PerHead::default(),
            learning_rate: 0.1,
            rows_per_second: 100.0,
        };
        let lines = [(1, 1.0), (2, 1.1), (3, 1.2), (4, 1.3), (2, 2.1), (3, 2.2)];
        let kept = effective_steps(lines.map(|(step, loss)| line(step, loss)));
        assert_eq!(kept, [line(1, 1.0), line(2, 2.1), line(3, 2.2)]);
    }
}
