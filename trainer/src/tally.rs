//! Running means of a cycle.

use dz_burn_net::{LossReport, StepReport, TrainBatch};
use dz_network_file::PerHead;
use serde::{Deserialize, Serialize};

/// A running weighted mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mean {
    sum: f64,
    weight: f64,
}

impl Mean {
    /// Takes in a value that counts `weight`, 0 or more.
    pub fn add(&mut self, value: f64, weight: f64) {
        self.sum += value * weight;
        self.weight += weight;
    }

    /// The mean; `None` where nothing counted.
    pub fn get(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }
}

/// Means over the steps of a cycle so far. They are part of the checkpoint, so kills lose none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Steps.
    pub steps: u64,
    /// Rows trained on.
    pub rows: u64,
    /// Policy cross-entropy in nats, by the rows' policy weights.
    pub policy: Mean,
    /// What the value learns by, by the rows' value weights.
    pub value: Mean,
    /// Squared error of win less loss, scaled by 1/4, by the rows' value weights.
    #[serde(default)]
    pub value_mse: Mean,
    /// Losses of the network's heads, by the rows' weights in them; left out where it has none.
    #[serde(default, skip_serializing_if = "PerHead::is_empty")]
    pub heads: PerHead<Option<Mean>>,
    /// Gradient norm before clipping, a step.
    pub gradient_norm: Mean,
    /// Learning rate of the last step.
    pub learning_rate: f64,
}

impl Tally {
    /// Counts one step on a batch of these parts.
    pub fn add(&mut self, parts: &[TrainBatch], report: &StepReport, learning_rate: f64) {
        self.steps += 1;
        for batch in parts {
            // The losses are those of all parts.
            self.rows += batch.planes.len as u64;
            self.policy.add(f64::from(report.losses.policy_loss), total(&batch.policy_weights));
            let value_weight = total(&batch.value_weights);
            self.value.add(f64::from(report.losses.value_loss), value_weight);
            self.value_mse.add(f64::from(report.losses.value_mse), value_weight);
            add_heads(&mut self.heads, batch, &report.losses);
        }
        self.gradient_norm.add(f64::from(report.gradient_norm), 1.0);
        self.learning_rate = learning_rate;
    }
}

/// Adds a batch's losses of heads, each by the weight of its rows.
pub(crate) fn add_heads(
    heads: &mut PerHead<Option<Mean>>,
    batch: &TrainBatch,
    losses: &LossReport,
) {
    for (head, &loss) in losses.heads.present() {
        let mean = heads[head].get_or_insert_default();
        mean.add(f64::from(loss), total(batch.head_weights(head)));
    }
}

/// Sum of weights, in order.
pub(crate) fn total(weights: &[f32]) -> f64 {
    weights.iter().map(|&weight| f64::from(weight)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_count_by_weight() {
        let mut mean = Mean::default();
        assert_eq!(mean.get(), None);
        mean.add(7.0, 0.0);
        assert_eq!(mean.get(), None);
        mean.add(1.0, 3.0);
        mean.add(5.0, 1.0);
        assert_eq!(mean.get(), Some(2.0));
    }
}
