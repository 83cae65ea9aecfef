//! Losses of a batch: the policy's cross-entropy, the value's cross-entropy or squared error, and
//! what heads beside them lose.

use std::ops::Range;

use burn::tensor::activation::softmax;
use burn::tensor::{Device, Tensor};
use dz_network_file::{HORIZONS, Head, NetworkSpec};

use crate::error::NetError;
use crate::model::heads::{entropy, error_loss, loss, optimism, soften, unit};
use crate::model::outputs::{HeadOutputs, Logits};
use crate::model::planes;
use crate::tensors::upload;
use crate::train::learner::{HeadRows, TrainBatch, ValueLoss};

/// Losses before those of the heads: policy, value and the value's squared error.
pub(crate) const LOSSES_BEFORE_HEADS: usize = 3;

/// The squared error of a value in [-1, 1] is at most 4. Scaled by this it is in [0, 1], as Silver
/// et al. (2016, 2017) report it.
const MSE_SCALE: f64 = 0.25;

/// Weighted means, each `[1, 1]`.
pub(crate) struct Losses {
    pub(crate) policy: Tensor<2>,
    /// What the value learns by.
    pub(crate) value: Tensor<2>,
    /// The value's squared error scaled by 1/4, without a gradient.
    pub(crate) value_mse: Tensor<2>,
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
        Head::OptimisticPolicy => batch.policy.clone(),
        Head::ShortTermError => shortest_values(&batch.heads[Head::ShortTerm].targets),
        _ => rows.targets.iter().map(|&x| (f64::from(x) / unit) as f32).collect(),
    };
    let mut shares = shares(batch.head_weights(head));
    if head == Head::OptimisticPolicy {
        // Where nobody knows what came, nobody knows whether it was better.
        let known = &batch.heads[Head::ShortTerm].weights;
        shares.iter_mut().zip(known).for_each(|(share, &known)| *share *= f32::from(known > 0.0));
    }
    (spec.target_len(head), HeadPart { targets, shares })
}

/// Win less loss of the shortest horizon of each row of short-term values, which is the last.
fn shortest_values(short_term: &[f32]) -> Vec<f32> {
    let rows = short_term.chunks_exact(3 * HORIZONS);
    rows.map(|row| row[3 * HORIZONS - 3] - row[3 * HORIZONS - 1]).collect()
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
    /// Of a network's answers to the rows of `targets`, whose value learns by `value_loss`;
    /// `cuda_kernels` computes cross-entropies by our kernels.
    pub(crate) fn new(
        logits: Logits,
        heads: HeadOutputs,
        targets: TargetTensors,
        value_loss: ValueLoss,
        cuda_kernels: bool,
    ) -> Self {
        let one = |logits: Tensor<2>, targets: Tensor<1>, shares: Tensor<1>| {
            let targets = targets.reshape(logits.dims());
            entropy(logits, targets, shares, cuda_kernels)
        };
        let of = |wanted: Head| heads.iter().position(|(head, _)| *head == wanted);
        let detached = |at: usize| heads[at].1.clone().detach();
        let shortest = of(Head::ShortTerm).map(|at| shortest_value(detached(at)));
        let optimism = shortest.clone().zip(of(Head::ShortTermError)).map(|(value, at)| {
            let [came, _] = &targets.heads[at];
            optimism(value, detached(at), came.clone())
        });
        let head = |((head, outputs), part): ((Head, Tensor<2>), [Tensor<1>; 2])| {
            let [targets, shares] = part;
            let loss = match (head, &shortest) {
                (Head::ShortTermError, Some(value)) => {
                    error_loss(outputs, value.clone(), targets, shares)
                }
                (Head::OptimisticPolicy, _) => {
                    let shares =
                        optimism.iter().fold(shares, |shares, weights| shares * weights.clone());
                    loss(head, outputs, targets, shares, cuda_kernels)
                }
                _ => loss(head, outputs, targets, shares, cuda_kernels),
            };
            (head, loss)
        };
        let (wdl, shares) = (targets.wdl, targets.value_shares);
        let (value, error) = match value_loss {
            ValueLoss::CrossEntropy => {
                let error = squared_error(logits.wdl.clone().detach(), wdl.clone(), shares.clone());
                (one(logits.wdl, wdl, shares), error)
            }
            ValueLoss::Mse => {
                let error = squared_error(logits.wdl, wdl, shares);
                (error.clone(), error.detach())
            }
        };
        Self {
            policy: one(logits.policy, targets.policy, targets.policy_shares),
            value,
            value_mse: error.mul_scalar(MSE_SCALE),
            heads: heads.into_iter().zip(targets.heads).map(head).collect(),
        }
    }
}

/// The sum over rows of `(v - z)^2` times the row's share of `shares [rows]`, to `[1, 1]`: v is the
/// chance of a win less that of a loss by `logits [rows, 3]`, z the same of the target, `wdl`, flat
/// (Silver et al. 2017, equation 1, without the weights' share).
fn squared_error(logits: Tensor<2>, wdl: Tensor<1>, shares: Tensor<1>) -> Tensor<2> {
    let [rows, classes] = logits.dims();
    // v - z is the win's difference less the loss's.
    let off = softmax(logits, 1) - wdl.reshape([rows, classes]);
    let win = off.clone().slice([0..rows, 0..1]);
    let loss = off.slice([0..rows, 2..3]);
    let error = win - loss;
    (error.clone() * error * shares.reshape([rows, 1])).sum_dim(0)
}

/// Win less loss of the shortest horizon, `[rows, 1]`, of logits of all horizons, `[rows, 9]`.
fn shortest_value(logits: Tensor<2>) -> Tensor<2> {
    let [rows, columns] = logits.dims();
    let shares = softmax(logits.slice([0..rows, columns - 3..columns]), 1);
    shares.clone().slice([0..rows, 0..1]) - shares.slice([0..rows, 2..3])
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

/// Share of the weight on rows whose largest target, the first of equals, is among the five indices
/// with the largest logits; 0 where there is no weight. Shapes as in [`accuracy`].
pub(crate) fn top5_accuracy(logits: &[f32], targets: &[f32], weights: &[f32]) -> f32 {
    let columns = targets.len() / weights.len();
    let is_hit = |(found, wanted): (&[f32], &[f32])| {
        let top = (1..columns).fold(0, |top, i| if wanted[i] > wanted[top] { i } else { top });
        // Of equal logits the first ranks first.
        let before = |i: usize| found[i] > found[top] || (found[i] == found[top] && i < top);
        (0..columns).filter(|&i| before(i)).count() < 5
    };
    let rows = logits.chunks_exact(columns).zip(targets.chunks_exact(columns));
    let hits = rows.zip(shares(weights)).filter(|&(row, _)| is_hit(row));
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
        if let Some(needed) = head.needs().filter(|needed| !spec.heads.contains(needed)) {
            return bad(format!("the head {head} needs the head {needed}"));
        }
    }
    for &head in &spec.heads {
        let HeadRows { targets, weights } = &batch.heads[head];
        let wanted = if head.is_in_rows() { [rows * spec.target_len(head), rows] } else { [0, 0] };
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
    use burn::tensor::{Device, Tensor};

    use super::{accuracy, squared_error, top5_accuracy};
    use crate::tensors::{download, upload};

    #[test]
    fn accuracy_counts_rows_by_weight() {
        let logits = [0.0, 2.0, 1.0, 5.0, -1.0, -2.0];
        let targets = [0.1, 0.9, 0.0, 0.2, 0.3, 0.5];
        assert_eq!(accuracy(&logits, &targets, &[3.0, 1.0]), 0.75);
        assert_eq!(accuracy(&logits, &targets, &[0.0, 1.0]), 0.0);
        assert_eq!(accuracy(&logits, &targets, &[0.0, 0.0]), 0.0);
    }

    #[test]
    fn the_best_five_are_counted() {
        let logits = [7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0];
        let at = |place: usize| -> Vec<f32> {
            (0..7).map(|i| f32::from(u8::from(i == place))).collect()
        };
        assert_eq!(top5_accuracy(&logits, &at(4), &[1.0]), 1.0);
        assert_eq!(top5_accuracy(&logits, &at(5), &[1.0]), 0.0);
        // Of equal logits the first five are the best.
        assert_eq!(top5_accuracy(&[0.0; 7], &at(4), &[1.0]), 1.0);
        assert_eq!(top5_accuracy(&[0.0; 7], &at(5), &[1.0]), 0.0);
        let both = [logits, logits].concat();
        assert_eq!(top5_accuracy(&both, &[at(5), at(0)].concat(), &[3.0, 1.0]), 0.25);
    }

    #[test]
    fn squared_errors_are_of_win_less_loss() {
        let device = Device::flex();
        // Chances 1/2, 1/4, 1/4 and a sure draw against a win and a loss: 1/4 - 1 and 0 + 1.
        let logits = upload(vec![2.0_f32.ln(), 0.0, 0.0, -90.0, 0.0, -90.0], &device);
        let logits: Tensor<2> = logits.reshape([2, 3]);
        let wdl = upload(vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0], &device);
        let found = download(squared_error(logits, wdl, upload(vec![0.75, 0.25], &device)))[0];
        assert!((found - (0.75 * 0.5625 + 0.25)).abs() < 1e-6, "{found}");
    }
}
