//! Cross-entropies of a batch.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};
use dz_network::NetworkSpec;

use crate::tower::Logits;
use crate::{NetError, TrainBatch, planes};

/// Weighted means of cross-entropies, each `[1, 1]`.
pub(crate) struct Losses {
    pub(crate) policy: Tensor<2>,
    pub(crate) value: Tensor<2>,
}

impl Losses {
    /// Of a network's answers to a batch.
    pub(crate) fn new(logits: Logits, batch: &TrainBatch, device: &Device) -> Self {
        let one = |logits: Tensor<2>, targets: &[f32], weights: &[f32]| {
            let [rows, columns] = logits.dims();
            let targets = TensorData::new(targets.to_vec(), [rows, columns]);
            let weights = TensorData::new(shares(weights), [rows, 1]);
            // [B, A] -> [B, 1] -> [1, 1]; along one dimension at a time, which is summed in order.
            let rows = (log_softmax(logits, 1) * Tensor::from_data(targets, device)).sum_dim(1);
            (rows * Tensor::from_data(weights, device)).sum_dim(0).neg()
        };
        Self {
            policy: one(logits.policy, &batch.policy, &batch.policy_weights),
            value: one(logits.wdl, &batch.wdl, &batch.value_weights),
        }
    }
}

/// Weights scaled to sum to 1; all 0 if they are.
fn shares(weights: &[f32]) -> Vec<f32> {
    let sum: f64 = weights.iter().map(|&w| f64::from(w)).sum();
    let scale = if sum > 0.0 { 1.0 / sum } else { 0.0 };
    weights.iter().map(|&w| (f64::from(w) * scale) as f32).collect()
}

/// Weighted mean entropy of the policy targets, in nats.
pub(crate) fn policy_entropy(batch: &TrainBatch) -> f32 {
    let columns = batch.policy.len() / batch.planes.len;
    let rows = batch.policy.chunks_exact(columns).zip(shares(&batch.policy_weights));
    let entropy = |row: &[f32]| -> f64 {
        row.iter().filter(|&&p| p > 0.0).map(|&p| -f64::from(p) * f64::from(p).ln()).sum()
    };
    rows.map(|(row, share)| f64::from(share) * entropy(row)).sum::<f64>() as f32
}

/// Share of the weight on rows whose largest logit stands where the largest target does, the first of
/// equals; 0 where there is no weight. `logits` and `targets` have one row for each weight.
pub(crate) fn accuracy(logits: &[f32], targets: &[f32], weights: &[f32]) -> f32 {
    let columns = targets.len() / weights.len();
    let top = |row: &[f32]| (1..columns).fold(0, |top, i| if row[i] > row[top] { i } else { top });
    let rows = logits.chunks_exact(columns).zip(targets.chunks_exact(columns));
    let hits = rows.zip(shares(weights)).filter(|((found, wanted), _)| top(found) == top(wanted));
    hits.map(|(_, share)| f64::from(share)).sum::<f64>() as f32
}

/// Checks that a batch's parts fit each other and the network, and that its weights are weights.
pub(crate) fn check(batch: &TrainBatch, spec: &NetworkSpec) -> Result<(), NetError> {
    planes::check(&batch.planes, spec)?;
    let rows = batch.planes.len;
    let bad = |what| Err(NetError::BadBatch { what });
    if rows == 0 {
        return bad("it has no rows".to_owned());
    }
    for (name, found, wanted) in [
        ("policy targets", batch.policy.len(), rows * spec.policy_len),
        ("wdl targets", batch.wdl.len(), rows * 3),
        ("policy weights", batch.policy_weights.len(), rows),
        ("value weights", batch.value_weights.len(), rows),
    ] {
        if found != wanted {
            return bad(format!("{found} {name} for {rows} rows, {wanted} needed"));
        }
    }
    let weights = batch.policy_weights.iter().chain(&batch.value_weights);
    match weights.into_iter().find(|w| !w.is_finite() || **w < 0.0) {
        Some(weight) => bad(format!("a row's weight is {weight}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::accuracy;

    #[test]
    fn accuracy_counts_rows_by_weight() {
        let logits = [0.0, 2.0, 1.0, 5.0, -1.0, -2.0];
        let targets = [0.1, 0.9, 0.0, 0.2, 0.3, 0.5];
        assert_eq!(accuracy(&logits, &targets, &[3.0, 1.0]), 0.75);
        assert_eq!(accuracy(&logits, &targets, &[0.0, 1.0]), 0.0);
        assert_eq!(accuracy(&logits, &targets, &[0.0, 0.0]), 0.0);
    }
}
