//! A batch whose rows are of several boards: each part has the share of the losses that its rows'
//! weights have.

use dz_network_file::{NetworkSpec, PerHead};

use crate::train::learner::TrainBatch;
use crate::train::losses::{Targets, mean_entropy};

/// The weights of all rows of a batch.
pub(crate) struct Totals {
    policy: f64,
    value: f64,
    heads: PerHead<f64>,
}

impl Totals {
    /// Of all parts of a batch together, for a network with the heads of `spec`.
    pub(crate) fn of(spec: &NetworkSpec, parts: &[&TrainBatch]) -> Self {
        let mut totals = Self { policy: 0.0, value: 0.0, heads: PerHead::default() };
        for batch in parts {
            totals.policy += total(&batch.policy_weights);
            totals.value += total(&batch.value_weights);
            for &head in &spec.heads {
                totals.heads[head] += total(batch.head_weights(head));
            }
        }
        totals
    }

    /// Turns shares of a part's weight into shares of that of all parts. The heads of `shards` are
    /// in the order of the network's.
    pub(crate) fn scale(&self, spec: &NetworkSpec, batch: &TrainBatch, shards: &mut [Targets]) {
        let policy = share(&batch.policy_weights, self.policy);
        let value = share(&batch.value_weights, self.value);
        let heads: Vec<f32> = spec
            .heads
            .iter()
            .map(|&head| share(batch.head_weights(head), self.heads[head]))
            .collect();
        for shard in shards {
            times(&mut shard.policy_shares, policy);
            times(&mut shard.value_shares, value);
            for (head, &share) in shard.heads.iter_mut().zip(&heads) {
                times(&mut head.shares, share);
            }
        }
    }

    /// Entropy of the policy targets, the mean over the rows of all parts by their weights.
    pub(crate) fn policy_entropy(&self, parts: &[&TrainBatch]) -> f32 {
        if let [batch] = parts {
            return mean_entropy(&batch.policy, &batch.policy_weights);
        }
        let of = |batch: &&TrainBatch| {
            let share = share(&batch.policy_weights, self.policy);
            mean_entropy(&batch.policy, &batch.policy_weights) * share
        };
        parts.iter().map(of).sum()
    }
}

fn total(weights: &[f32]) -> f64 {
    weights.iter().map(|&weight| f64::from(weight)).sum()
}

/// What rows of these weights count of a total; 0 where nothing counts.
fn share(weights: &[f32], total_weight: f64) -> f32 {
    if total_weight > 0.0 { (total(weights) / total_weight) as f32 } else { 0.0 }
}

fn times(numbers: &mut [f32], factor: f32) {
    for number in numbers {
        *number *= factor;
    }
}
