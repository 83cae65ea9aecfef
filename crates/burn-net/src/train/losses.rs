//! Losses of a batch: cross-entropies of policy and value, and what heads beside them lose.

use std::ops::Range;

use burn::tensor::{Device, Tensor};
use dz_network_file::{Head, NetworkSpec};

use crate::error::NetError;
use crate::model::heads::{entropy, loss, soften, unit};
use crate::model::outputs::{HeadOutputs, Logits};
use crate::model::planes;
use crate::tensors::upload;
use crate::train::learner::{HeadRows, TrainBatch};

/// Weighted means of cross-entropies, each `[1, 1]`.
pub(crate) struct Losses {
    pub(crate) policy: Tensor<2>,
    pub(crate) value: Tensor<2>,
    /// Of the network's heads, in their order.
    pub(crate) heads: Vec<(Head, Tensor<2>)>,
}

/// What the losses of some of a batch's rows are taken against. Shares are of the whole batch, so
/// the losses of its parts add up to those of all of it.
pub(crate) struct Targets {
    pub(crate) rows: Range<usize>,
    /// `[rows, A]`
    pub(crate) policy: Vec<f32>,
    /// `[rows, 3]`
    pub(crate) wdl: Vec<f32>,
    /// Each row's share of the batch's weight, `[rows]`.
    pub(crate) policy_shares: Vec<f32>,
    pub(crate) value_shares: Vec<f32>,
    /// Of the network's heads, in their order.
    pub(crate) heads: Vec<HeadPart>,
}

/// A head's targets in its unit, `[rows, target_len]`, and shares, `[rows]`.
pub(crate) struct HeadPart {
    pub(crate) targets: Vec<f32>,
    pub(crate) shares: Vec<f32>,
}

/// The targets of some rows on a device, as flat tensors.
pub(crate) struct TargetTensors {
    pub(crate) policy: Tensor<1>,
    pub(crate) wdl: Tensor<1>,
    pub(crate) policy_shares: Tensor<1>,
    pub(crate) value_shares: Tensor<1>,
    /// Targets and shares of the network's heads, in their order.
    pub(crate) heads: Vec<[Tensor<1>; 2]>,
}

impl Targets {
    /// Cuts a batch into so many parts, at most as many as it has rows, as equal as can be.
    pub(crate) fn split(batch: &TrainBatch, spec: &NetworkSpec, parts: usize) -> Vec<Self> {
        let rows = batch.planes.len;
        let heads: Vec<_> = spec.heads.iter().map(|&head| whole(batch, spec, head)).collect();
        let columns = batch.policy.len() / rows;
        let policy_shares = shares(&batch.policy_weights);
        let value_shares = shares(&batch.value_weights);
        let part = |i: usize| {
            let rows = i * rows / parts..(i + 1) * rows / parts;
            Self {
                policy: batch.policy[rows.start * columns..rows.end * columns].to_vec(),
                wdl: batch.wdl[rows.start * 3..rows.end * 3].to_vec(),
                policy_shares: policy_shares[rows.clone()].to_vec(),
                value_shares: value_shares[rows.clone()].to_vec(),
                heads: heads.iter().map(|(columns, head)| head.part(*columns, &rows)).collect(),
                rows,
            }
        };
        (0..parts).map(part).collect()
    }

    /// Copies the targets to a device.
    pub(crate) fn upload(self, device: &Device) -> TargetTensors {
        let flat = |values: Vec<f32>| upload(values, device);
        let head = |HeadPart { targets, shares }: HeadPart| [flat(targets), flat(shares)];
        TargetTensors {
            policy: flat(self.policy),
            wdl: flat(self.wdl),
            policy_shares: flat(self.policy_shares),
            value_shares: flat(self.value_shares),
            heads: self.heads.into_iter().map(head).collect(),
        }
    }
}

/// A head's targets for all rows, and how many numbers each has.
fn whole(batch: &TrainBatch, spec: &NetworkSpec, head: Head) -> (usize, HeadPart) {
    let rows = &batch.heads[head];
    let unit = unit(head, spec);
    let targets = match head {
        Head::SoftPolicy => soften(&batch.policy, spec.policy_len),
        _ => rows.targets.iter().map(|&x| (f64::from(x) / unit) as f32).collect(),
    };
    (spec.target_len(head), HeadPart { targets, shares: shares(batch.head_weights(head)) })
}

impl HeadPart {
    fn part(&self, columns: usize, rows: &Range<usize>) -> Self {
        Self {
            targets: self.targets[rows.start * columns..rows.end * columns].to_vec(),
            shares: self.shares[rows.clone()].to_vec(),
        }
    }
}

impl Losses {
    /// Of a network's answers to the rows of `targets`; `cuda_kernels` computes
    /// cross-entropies by our kernels.
    pub(crate) fn new(
        logits: Logits,
        heads: HeadOutputs,
        targets: TargetTensors,
        cuda_kernels: bool,
    ) -> Self {
        let one = |logits: Tensor<2>, targets: Tensor<1>, shares: Tensor<1>| {
            let targets = targets.reshape(logits.dims());
            entropy(logits, targets, shares, cuda_kernels)
        };
        let head = |((head, outputs), part): ((Head, Tensor<2>), [Tensor<1>; 2])| {
            let [targets, shares] = part;
            (head, loss(head, outputs, targets, shares, cuda_kernels))
        };
        Self {
            policy: one(logits.policy, targets.policy, targets.policy_shares),
            value: one(logits.wdl, targets.wdl, targets.value_shares),
            heads: heads.into_iter().zip(targets.heads).map(head).collect(),
        }
    }
}

/// Weights scaled to sum to 1; all 0 if they are.
fn shares(weights: &[f32]) -> Vec<f32> {
    let sum: f64 = weights.iter().map(|&w| f64::from(w)).sum();
    let scale = if sum > 0.0 { 1.0 / sum } else { 0.0 };
    weights.iter().map(|&w| (f64::from(w) * scale) as f32).collect()
}

/// Weighted mean entropy of distributions, in nats; 0 where there is no weight. `targets` has one
/// row for each weight.
pub fn mean_entropy(targets: &[f32], weights: &[f32]) -> f32 {
    let rows = targets.chunks_exact(targets.len() / weights.len()).zip(shares(weights));
    let entropy = |row: &[f32]| -> f64 {
        row.iter().filter(|&&p| p > 0.0).map(|&p| -f64::from(p) * f64::from(p).ln()).sum()
    };
    rows.map(|(row, share)| f64::from(share) * entropy(row)).sum::<f64>() as f32
}

/// Share of the weight on rows whose largest logit stands where the largest target does, the first
/// of equals; 0 where there is no weight. `logits` and `targets` have one row for each weight.
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
    for &head in &spec.heads {
        let HeadRows { targets, weights } = &batch.heads[head];
        // The soft policy is made of the policy.
        let is_there = head != Head::SoftPolicy;
        let wanted = if is_there { [rows * spec.target_len(head), rows] } else { [0, 0] };
        let found = [targets.len(), weights.len()];
        if found != wanted {
            return bad(format!(
                "{found:?} targets and weights of the head {head} for {rows} rows, {wanted:?} needed"
            ));
        }
    }
    let of_heads = batch.heads.iter().flat_map(|(_, head)| &head.weights);
    let weights = batch.policy_weights.iter().chain(&batch.value_weights).chain(of_heads);
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
