//! Heads beside policy and value, and what each learns from a row.

use burn::tensor::Tensor;
use burn::tensor::activation::{log_softmax, sigmoid};
use dz_network_file::{Head, HeadOutput, NetworkSpec, Unit};

use crate::cuda;
use crate::model::board_ops::BoardOps;
use crate::model::linear::Linear;
use crate::model::outputs::{Features, HeadOutputs};
use crate::tensors::Parameters;

/// From where on the loss of a number is linear, in its unit: `lc0`'s moves-left head has 10 plies
/// of a unit of 20, `KataGo`'s lead 8 points, 0.42 of the unit on 19x19.
const HUBER: f64 = 0.5;

/// The same for squared errors of values (`KataGo`: 0.4).
const ERROR_HUBER: f64 = 0.4;

/// What is added to variances, so that small ones divide nothing by 0 (`KataGo`: 0.0001).
const OPTIMISM_VARIANCE_MIN: f64 = 1e-4;

/// Standard deviations above what was expected at which a row counts a half (`KataGo`: 1.5).
const OPTIMISM_EXCESS: f64 = 1.5;

/// How steeply rows count more with each standard deviation (`KataGo`: 3).
const OPTIMISM_SLOPE: f64 = 3.0;

/// Values are in [-1, 1].
const SQUARED_ERROR_MAX: f64 = 4.0;

/// The heads of a network, in order. On evaluators that ask for policy and value alone they cost
/// nothing.
#[derive(Clone, Debug)]
pub(crate) struct Heads(Vec<(Head, Linear)>);

impl Heads {
    /// Takes the layers of the specification's heads from `parameters`.
    pub(crate) fn new(spec: &NetworkSpec, parameters: &Parameters) -> Self {
        let layer =
            |&head: &Head| (head, Linear::new(parameters, head.layer(), spec.head_layer(head)));
        Self(spec.heads.iter().map(layer).collect())
    }

    /// The numbers of heads that stand beside the value and are exported, `[B, 1]` each, in the
    /// order of [`NetworkSpec::value_columns`].
    pub(crate) fn value_columns(&self, ops: &BoardOps, features: &Features) -> Vec<Tensor<2>> {
        let columns = self.0.iter().filter(|(head, _)| head.is_value_column());
        columns.map(|(_, layer)| layer.logits(ops, features.hidden.clone())).collect()
    }

    pub(crate) fn forward(&self, ops: &BoardOps, features: &Features) -> HeadOutputs {
        let one = |(head, layer): &(Head, Linear)| {
            let logits = |input: &Tensor<2>| layer.logits(ops, input.clone());
            let output = match head.output() {
                HeadOutput::Policy => ops.policy_logits(logits(&features.policy)),
                HeadOutput::Values(_) | HeadOutput::Number(_) | HeadOutput::SquaredError => {
                    logits(&features.hidden)
                }
                HeadOutput::Points => logits(&features.trunk),
            };
            (*head, output)
        };
        self.0.iter().map(one).collect()
    }
}

/// A head's loss, `[1, 1]`: the sum over rows of cross-entropies in nats, their mean over horizons
/// or points where a row has several, or of the Huber loss of a number, times the row's share of
/// `shares [rows]`. `targets` is flat, `[rows, target_len]`, in the head's unit.
pub(crate) fn loss(
    head: Head,
    outputs: Tensor<2>,
    targets: Tensor<1>,
    shares: Tensor<1>,
    cuda_kernels: bool,
) -> Tensor<2> {
    let [_, columns] = outputs.dims();
    let [rows] = shares.dims();
    let classes = match head.output() {
        HeadOutput::Number(_) => {
            let each = huber(outputs, targets.reshape([rows, 1]), HUBER);
            return (each * shares.reshape([rows, 1])).sum_dim(0);
        }
        // Its loss is `error_loss`; alone it has no target.
        HeadOutput::Policy | HeadOutput::Points | HeadOutput::SquaredError => columns,
        // [rows, horizons * 3] -> [rows * horizons, 3]
        HeadOutput::Values(horizons) => columns / horizons,
    };
    let each = [outputs.shape().num_elements() / classes, classes];
    entropy(outputs.reshape(each), targets.reshape(each), shares, cuda_kernels)
}

/// The loss of squared errors 4 / (1 + e^-x) of logits x, `[rows, 1]`, against the squared errors
/// of `values`, `[rows, 1]`, which get no gradient, with respect to `targets [rows]`: the sum over
/// rows of Huber losses times the row's share, `[1, 1]`.
pub(crate) fn error_loss(
    logits: Tensor<2>,
    values: Tensor<2>,
    targets: Tensor<1>,
    shares: Tensor<1>,
) -> Tensor<2> {
    let [rows] = shares.dims();
    let off = values - targets.reshape([rows, 1]);
    let expected = sigmoid(logits).mul_scalar(SQUARED_ERROR_MAX);
    let each = huber(expected, off.clone() * off, ERROR_HUBER);
    (each * shares.reshape([rows, 1])).sum_dim(0)
}

/// How much rows count for the optimistic policy, `[rows]`, 0 to 1: 1 / (1 + e^(-3 (z - 1.5))),
/// where z is by how many standard deviations the result, `came [rows]`, was above `values`,
/// `[rows, 1]`. `logits [rows, 1]` give the variance (`KataGo`, `metrics_pytorch.py`: short-term
/// optimistic policy, without its term for points).
pub(crate) fn optimism(values: Tensor<2>, logits: Tensor<2>, came: Tensor<1>) -> Tensor<1> {
    let [rows, _] = values.dims();
    let variance = sigmoid(logits).mul_scalar(SQUARED_ERROR_MAX).add_scalar(OPTIMISM_VARIANCE_MIN);
    let excess = (came.reshape([rows, 1]) - values) / variance.sqrt();
    sigmoid(excess.sub_scalar(OPTIMISM_EXCESS).mul_scalar(OPTIMISM_SLOPE)).reshape([rows])
}

/// Of `[rows, 1]` each; linear from `bound` on.
fn huber(outputs: Tensor<2>, targets: Tensor<2>, bound: f64) -> Tensor<2> {
    let distance = (outputs - targets).abs();
    let near = distance.clone().clamp_max(bound);
    // d^2 / 2 up to the bound, then bound (d - bound / 2).
    near.clone() * (distance - near.mul_scalar(0.5))
}

/// The sum over rows of cross-entropies of `logits` against `targets`, `[N, classes]` each, times
/// the row's share of `shares [rows]`, to `[1, 1]`; their mean where a row has several, which
/// follow each other. `cuda_kernels` computes them by our kernels.
pub(crate) fn entropy(
    logits: Tensor<2>,
    targets: Tensor<2>,
    shares: Tensor<1>,
    cuda_kernels: bool,
) -> Tensor<2> {
    let ([count, _], [rows]) = (logits.dims(), shares.dims());
    if cuda_kernels {
        return cuda::cross_entropy(logits, targets, shares, count / rows);
    }
    // Along one dimension at a time, which is summed in order.
    let each = (log_softmax(logits, 1) * targets).sum_dim(1).neg();
    let each = if count == rows { each } else { each.reshape([rows, count / rows]).mean_dim(1) };
    (each * shares.reshape([rows, 1])).sum_dim(0)
}

/// One unit of a head's number, in plies or points; 1 where it gives no number.
pub(crate) fn unit(head: Head, spec: &NetworkSpec) -> f64 {
    match head.output() {
        HeadOutput::Number(Unit::Area) => spec.area() as f64,
        HeadOutput::Number(Unit::Side) => (spec.area() as f64).sqrt(),
        _ => 1.0,
    }
}

/// Policies to the power 1/4, scaled to sum to 1 again: `KataGo`'s soft policy. A move that was
/// never visited stays at 0, since rows do not hold which moves are legal. `policy` is `[rows, A]`.
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
    use crate::tensors::{download, upload};

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
        let outputs = column(&[0.0, 1.3, 0.5, 2.0]);
        let found = download(huber(outputs.clone(), column(&[0.0, 1.0, 1.0, -1.0]), HUBER));
        // d = 0, 0.3, 0.5 and 3: d^2 / 2, and 0.5 (3 - 0.25).
        for (found, wanted) in found.iter().zip([0.0, 0.045, 0.125, 1.375]) {
            assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
        }
        let [targets, shares] =
            [[0.0, 1.0, 1.0, -1.0], [0.4, 0.3, 0.2, 0.1]].map(|x| upload(x.to_vec(), &device));
        let whole = download(loss(Head::Margin, outputs, targets, shares, false))[0];
        assert!((whole - (0.3 * 0.045 + 0.2 * 0.125 + 0.1 * 1.375)).abs() < 1e-6, "{whole}");
    }

    #[test]
    fn horizons_and_points_count_alike() {
        let device = Device::flex();
        let one = |head, outputs: Tensor<2>, targets: Vec<f32>, shares: Vec<f32>| {
            let [targets, shares] = [targets, shares].map(|numbers| upload(numbers, &device));
            download(loss(head, outputs, targets, shares, false))[0]
        };
        // Two rows of three horizons with equal logits: ln 3 each, whatever the target.
        let outputs: Tensor<2> = Tensor::zeros([2, 9], &device);
        let found = one(Head::ShortTerm, outputs, [1.0, 0.0, 0.0].repeat(6), vec![0.5, 0.25]);
        assert!((found - 0.75 * 3.0_f32.ln()).abs() < 1e-6, "{found}");
        // Two rows of two points: logits ln 2, 0, 0 give 1/2, 1/4, 1/4.
        let outputs: Tensor<2> =
            upload([2.0_f32.ln(), 0.0, 0.0].repeat(4), &device).reshape([4, 3]);
        let targets = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        let found = one(Head::Ownership, outputs, targets.concat(), vec![1.0, 0.5]);
        assert!((found - 2.0 * 2.0_f32.ln()).abs() < 1e-6, "{found}");
    }

    #[test]
    fn rows_that_turned_out_well_count_for_the_optimistic_policy() {
        let device = Device::flex();
        let column = |numbers: &[f32]| -> Tensor<2> {
            upload(numbers.to_vec(), &device).reshape([numbers.len(), 1])
        };
        // A variance of 4 s with s = 1/16, so a standard deviation of 1/2: z = 0, 1.5, 2.5, -2.
        let logit = -15.0_f32.ln();
        let came = upload(vec![0.25, 1.0, 1.0, -1.0], &device);
        let values = column(&[0.25, 0.25, -0.25, 0.0]);
        let found = download(optimism(values, column(&[logit; 4]), came));
        let wanted = [-1.5, 0.0, 1.0, -3.5_f32].map(|x| 1.0 / (1.0 + (-3.0 * x).exp()));
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-3, "{found} {wanted}");
        }
    }

    /// Logits 0 and ln 3 say squared errors of 2 and 3.
    #[test]
    fn errors_lose_by_their_distance_from_what_values_were_off() {
        let device = Device::flex();
        let column = |numbers: &[f32]| -> Tensor<2> {
            upload(numbers.to_vec(), &device).reshape([numbers.len(), 1])
        };
        let flat = |numbers: &[f32]| -> Tensor<1> { upload(numbers.to_vec(), &device) };
        let logits = column(&[0.0, 3.0_f32.ln()]);
        // Off by 1.3 and -1.8: 1.69 and 3.24.
        let values = column(&[0.5, -0.9]);
        let found = error_loss(logits, values, flat(&[-0.8, 0.9]), flat(&[0.25, 0.75]));
        // d = 0.31 and 0.24, both within 0.4.
        let wanted = 0.25 * 0.31_f32.powi(2) / 2.0 + 0.75 * 0.24_f32.powi(2) / 2.0;
        assert!((download(found)[0] - wanted).abs() < 1e-6);
        let far = error_loss(column(&[0.0]), column(&[0.0]), flat(&[0.0]), flat(&[1.0]));
        assert!((download(far)[0] - 0.4 * (2.0 - 0.2)).abs() < 1e-6, "linear far off");
    }
}
