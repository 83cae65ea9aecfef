//! Heads beside policy and value, and what each learns from a row.

use burn::tensor::Tensor;
use burn::tensor::activation::log_softmax;
use dz_network::{HORIZONS, Head, NetworkSpec};

use crate::board::Boards;
use crate::tower::{Features, Linear, Tensors};

/// From where on the loss of a number is linear, in its unit: `lc0`'s moves-left head has 10 plies of a unit
/// of 20, `KataGo`'s lead 8 points, 0.42 of the unit on 19x19.
const HUBER: f64 = 0.5;

/// The heads of a network, in order. On evaluators that ask for policy and value alone they cost nothing.
#[derive(Clone, Debug)]
pub(crate) struct Heads(Vec<(Head, Linear)>);

/// What each head says of a batch: a row for each position, or for each point of each.
pub(crate) type HeadOutputs = Vec<(Head, Tensor<2>)>;

impl Heads {
    /// Takes the layers of the specification's heads from `tensors`.
    pub(crate) fn new(spec: &NetworkSpec, tensors: &Tensors) -> Self {
        let layer = |&head: &Head| {
            let (name, shape) = head.layer(spec);
            (head, Linear::new(tensors, name, shape))
        };
        Self(spec.heads.iter().map(layer).collect())
    }

    pub(crate) fn forward(&self, on: &Boards, features: &Features) -> HeadOutputs {
        let one = |(head, layer): &(Head, Linear)| {
            let say = |input: &Tensor<2>| layer.forward_on(on, input.clone());
            let output = match head {
                Head::Reply | Head::SoftPolicy => on.policy_logits(say(&features.policy)),
                Head::ShortTerm | Head::PliesLeft | Head::Margin => say(&features.hidden),
                Head::Ownership => say(&features.trunk),
            };
            (*head, output)
        };
        self.0.iter().map(one).collect()
    }
}

/// Each row's loss, `[rows, 1]`: cross-entropy in nats, the mean over horizons or points where there are
/// several, or the Huber loss of a number. `targets` is flat, `[rows, target_len]`, in the head's unit.
pub(crate) fn row_losses(
    head: Head,
    outputs: Tensor<2>,
    targets: Tensor<1>,
    rows: usize,
) -> Tensor<2> {
    let [_, columns] = outputs.dims();
    match head {
        Head::PliesLeft | Head::Margin => {
            let distance = (outputs - targets.reshape([rows, 1])).abs();
            let near = distance.clone().clamp_max(HUBER);
            // d^2 / 2 up to the bound, then bound (d - bound / 2).
            near.clone() * (distance - near.mul_scalar(0.5))
        }
        Head::Reply | Head::SoftPolicy => {
            cross_entropies(outputs, targets.reshape([rows, columns]))
        }
        Head::ShortTerm => {
            // [rows, HORIZONS * 3] -> [rows * HORIZONS, 3] -> [rows, HORIZONS] -> [rows, 1]
            let each = [rows * HORIZONS, 3];
            cross_entropies(outputs.reshape(each), targets.reshape(each))
                .reshape([rows, HORIZONS])
                .mean_dim(1)
        }
        Head::Ownership => {
            // [rows * H * W, 3] -> [rows, H * W] -> [rows, 1]
            let [points, _] = outputs.dims();
            cross_entropies(outputs, targets.reshape([points, columns]))
                .reshape([rows, points / rows])
                .mean_dim(1)
        }
    }
}

/// `[N, classes]` each, to `[N, 1]`.
fn cross_entropies(logits: Tensor<2>, targets: Tensor<2>) -> Tensor<2> {
    (log_softmax(logits, 1) * targets).sum_dim(1).neg()
}

/// What one unit of a head's number is, in plies or points; 1 where it gives no number.
pub(crate) fn unit(head: Head, spec: &NetworkSpec) -> f64 {
    match head {
        Head::PliesLeft => spec.area() as f64,
        Head::Margin => (spec.area() as f64).sqrt(),
        _ => 1.0,
    }
}

/// Policies to the power 1/4, scaled to sum to 1 again: `KataGo`'s soft policy. What was never visited stays
/// at 0, since rows do not tell which moves are legal. `policy` is `[rows, A]`.
pub(crate) fn soften(policy: &[f32], policy_len: usize) -> Vec<f32> {
    let mut soft = Vec::with_capacity(policy.len());
    for row in policy.chunks_exact(policy_len) {
        // Two square roots: they round alike on every machine, which a power need not.
        let roots = || row.iter().map(|&share| f64::from(share).sqrt().sqrt());
        let total: f64 = roots().sum();
        let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
        soft.extend(roots().map(|root| (root * scale) as f32));
    }
    soft
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::tower::{download, upload};

    #[test]
    fn policies_are_softened_by_their_fourth_root() {
        let soft = soften(&[0.0, 0.0625, 0.9375, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], 3);
        // 0.0625 has the fourth root 0.5, 0.9375 has 0.984_0.
        let other = 0.9375_f32.sqrt().sqrt();
        assert_eq!(soft[0], 0.0);
        assert!(
            (soft[1] - 0.5 / (0.5 + other)).abs() < 1e-6 && (soft[1] + soft[2] - 1.0).abs() < 1e-6
        );
        assert_eq!(soft[3..], [0.0, 0.0, 0.0, 0.0, 1.0, 0.0], "a row without a target keeps none");
    }

    #[test]
    fn numbers_lose_squarely_near_by_and_linearly_far_off() {
        let device = Device::flex();
        let column = |numbers: &[f32]| -> Tensor<2> {
            upload(numbers.to_vec(), &device).reshape([numbers.len(), 1])
        };
        let targets = upload(vec![0.0, 1.0, 1.0, -1.0], &device);
        let outputs = column(&[0.0, 1.3, 0.5, 2.0]);
        let found = download(row_losses(Head::Margin, outputs, targets, 4));
        // d = 0, 0.3, 0.5 and 3: d^2 / 2, and 0.5 (3 - 0.25).
        for (found, wanted) in found.iter().zip([0.0, 0.045, 0.125, 1.375]) {
            assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
        }
    }

    #[test]
    fn horizons_and_points_count_alike() {
        let device = Device::flex();
        // Two rows of three horizons with equal logits: ln 3 each, whatever the target.
        let outputs: Tensor<2> = Tensor::zeros([2, 9], &device);
        let targets = upload([1.0, 0.0, 0.0].repeat(6), &device);
        for loss in download(row_losses(Head::ShortTerm, outputs, targets, 2)) {
            assert!((loss - 3.0_f32.ln()).abs() < 1e-6);
        }
        // One row of two points: logits ln 2, 0, 0 give 1/2, 1/4, 1/4.
        let outputs: Tensor<2> =
            upload([2.0_f32.ln(), 0.0, 0.0].repeat(2), &device).reshape([2, 3]);
        let targets = upload(vec![1.0, 0.0, 0.0, 0.0, 0.0, 1.0], &device);
        let loss = download(row_losses(Head::Ownership, outputs, targets, 1));
        assert!((loss[0] - 1.5 * 2.0_f32.ln()).abs() < 1e-6, "{loss:?}");
    }
}
