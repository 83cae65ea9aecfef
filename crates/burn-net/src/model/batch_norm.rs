//! Batch norm of rows.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{
    Autodiff, Backend, Dispatch, Flex, Scalar, Shape, TensorMetadata, backend_extension,
};
use burn::tensor::Tensor;
use dz_network_file::BATCH_NORM_EPSILON;

use crate::model::batches::Batches;
use crate::model::board_ops::BoardOps;
use crate::model::epilogue::BatchNormOutput;

/// Gives each channel of rows `[B * H * W, C]` mean `beta [1, C]` and deviation `gamma [1, C]` over
/// the batch.
pub(crate) fn batch_norm(
    ops: &BoardOps,
    x: Tensor<2>,
    gamma: &Tensor<2>,
    beta: &Tensor<2>,
) -> BatchNormOutput {
    let flat = |row: Tensor<2>| row.flatten(0, 1);
    if let Some(batches) = ops.batches() {
        let mean_of_rows = |rows: Tensor<2>| -> Tensor<2> {
            Tensor::from_dispatch(mean_of_rows::<Dispatch>(rows.into_dispatch(), batches))
        };
        let rows = x.clone().inner();
        let mean = mean_of_rows(rows.clone());
        let centred = rows - mean.clone();
        let variance = mean_of_rows(centred.clone() * centred);
        let output = normalise(batches, x, gamma, beta, &mean, &variance);
        return BatchNormOutput { output, mean: flat(mean), variance: flat(variance) };
    }
    // Written out: Burn's own batch norm copies its input to `[C, B * H * W]` and back.
    let mean = x.clone().mean_dim(0);
    let centred = x + mean.clone().neg();
    let variance = (centred.clone() * centred.clone()).mean_dim(0);
    let scale = variance.clone().add_scalar(BATCH_NORM_EPSILON).sqrt().recip() * gamma.clone();
    let output = centred * scale + beta.clone();
    BatchNormOutput { output, mean: flat(mean.inner()), variance: flat(variance.inner()) }
}

/// One operation where Burn would take a gradient of each step apart: fifteen sums over all rows,
/// where four will do.
fn normalise(
    batches: Batches,
    x: Tensor<2>,
    gamma: &Tensor<2>,
    beta: &Tensor<2>,
    mean: &Tensor<2>,
    variance: &Tensor<2>,
) -> Tensor<2> {
    let deviation = variance.clone().add_scalar(BATCH_NORM_EPSILON).sqrt();
    let mean = mean.clone().autodiff();
    let inverse = deviation.recip().autodiff();
    let inputs = [x, gamma.clone(), beta.clone(), mean, inverse];
    let [x, gamma, beta, mean, inverse] = inputs.map(Tensor::into_dispatch);
    Tensor::from_dispatch(<Dispatch as Norm>::normalise(x, gamma, beta, mean, inverse, batches))
}

/// What Burn does not have.
#[backend_extension(Flex, Cube: cfg(feature = "cuda"), Autodiff)]
pub(crate) trait Norm: Backend {
    /// `(x - mean) * inverse * gamma + beta`, where `mean` and `inverse`, the deviation's, are
    /// those of `x [rows, C]` and change with it; all others are `[1, C]`.
    #[allow(unused_variables)]
    fn normalise(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        mean: FloatTensor<Self>,
        inverse: FloatTensor<Self>,
        batches: Batches,
    ) -> FloatTensor<Self> {
        let scale = Self::float_mul(gamma, inverse);
        Self::float_add(Self::float_mul(Self::float_sub(x, mean), scale), beta)
    }
}

impl Norm for Flex {}

#[cfg(feature = "cuda")]
impl Norm for burn_cubecl::CubeBackend {}

/// What the backward pass keeps of the forward pass: `x`, `gamma`, `mean` and `inverse`.
#[derive(Debug)]
struct Normalise;

impl<B: Backend> Backward<B, 3> for Normalise {
    type State = ([FloatTensor<B>; 4], Batches);

    /// Ioffe & Szegedy 2015, the equations of section 3, with the sums as means: the gradient of
    /// `x` is the gradient of the normalised input, less its components along `beta` and `gamma`.
    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<B>(&ops.node);
        let ([x, gamma, mean, inverse], batches) = ops.state;
        let rows = x.shape()[0];
        let scaled = B::float_mul(B::float_sub(x, mean), inverse.clone());
        let along_beta = mean_of_rows::<B>(gradient.clone(), batches);
        let product = B::float_mul(gradient.clone(), scaled.clone());
        let along_gamma = mean_of_rows::<B>(product, batches);
        let [node_x, node_gamma, node_beta] = ops.parents;
        if let Some(node) = node_x {
            let rest = B::float_sub(gradient, along_beta.clone());
            let rest = B::float_sub(rest, B::float_mul(scaled, along_gamma.clone()));
            gradients.register::<B>(node.id, B::float_mul(rest, B::float_mul(gamma, inverse)));
        }
        for (node, mean) in [(node_gamma, along_gamma), (node_beta, along_beta)] {
            if let Some(node) = node {
                let sum = B::float_mul_scalar(mean, Scalar::Float(rows as f64));
                gradients.register::<B>(node.id, sum);
            }
        }
    }
}

impl<B: Backend + Norm, C: CheckpointStrategy> Norm for Autodiff<B, C> {
    fn normalise(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        mean: FloatTensor<Self>,
        inverse: FloatTensor<Self>,
        batches: Batches,
    ) -> FloatTensor<Self> {
        let [(x, node_x), (gamma, node_gamma), (beta, node_beta)] =
            [x.into_parts(), gamma.into_parts(), beta.into_parts()];
        let mean = mean.into_primitive();
        let inverse = inverse.into_primitive();
        let state = [x.clone(), gamma.clone(), mean.clone(), inverse.clone()];
        let output = B::normalise(x, gamma, beta, mean, inverse, batches);
        match Normalise.prepare::<C>([node_x, node_gamma, node_beta]).compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((state, batches), output),
            OpsKind::UnTracked(prep) => prep.finish(output),
        }
    }
}

/// `[rows, C]` to `[1, C]`.
fn mean_of_rows<B: Backend>(x: FloatTensor<B>, batches: Batches) -> FloatTensor<B> {
    let channels = x.shape()[1];
    let rows = x.shape()[0];
    let mean = |x, count: usize, of: usize| {
        let parts = B::float_reshape(x, Shape::from(vec![count, of, channels]));
        B::float_reshape(B::float_mean_dim(parts, 1), Shape::from(vec![count, channels]))
    };
    let boards = mean(x, batches.boards, rows / batches.boards);
    let groups = mean(boards, batches.groups, batches.boards / batches.groups);
    if batches.groups == 1 { groups } else { mean(groups, 1, batches.groups) }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use dz_network_file::NetworkSpec;

    use super::*;
    use crate::model::board_ops::ComputeOptions;
    use crate::model::convolution::ConvMethod;
    use crate::precision::Precision;
    use crate::tensors::{download, upload};

    #[test]
    fn many_boards_make_groups_of_one_size() {
        let groups = [1, 256, 257, 260, 1024].map(|boards| Batches::of(boards).groups);
        assert_eq!(groups, [1, 1, 1, 20, 32]);
        assert_eq!([256, 1024].map(|boards| Batches::of(boards).parts()), [256, 32]);
    }

    /// Both ways, with the gradients of all three inputs, where boards are added up in groups and
    /// where they are not.
    #[test]
    fn one_operation_and_burns_own_steps_are_alike() {
        let spec = NetworkSpec::plain([3, 4, 5], 2, 0, 6);
        let device = Device::flex().autodiff();
        let wave = |length: usize, pace: f32| -> Vec<f32> {
            (0..length).map(|i| 2.0 + (i as f32 * pace).sin()).collect()
        };
        let with = |batch: usize, sum_boards_first| {
            let compute =
                ComputeOptions { convolve: ConvMethod::Gather, sum_boards_first, by_point: false };
            let boards = BoardOps::new(&spec, batch, compute, Precision::F32, &device);
            let rows = 20 * batch;
            let tracked = |numbers, shape: [usize; 2]| {
                upload(numbers, &device).reshape::<2, _>(shape).require_grad()
            };
            let x = tracked(wave(rows * 6, 0.7), [rows, 6]);
            let gamma = tracked(wave(6, 1.1), [1, 6]);
            let beta = tracked(wave(6, 1.3), [1, 6]);
            let found = batch_norm(&boards, x.clone(), &gamma, &beta);
            let weights = upload(wave(rows * 6, 0.3), &device).reshape([rows, 6]);
            let y = found.output.clone();
            let gradients = (y.clone() * y * weights).sum().backward();
            let gradient = |of: &Tensor<2>| download(of.grad(&gradients).expect("a gradient"));
            let statistics = [download(found.mean), download(found.variance)];
            let gradients = [gradient(&x), gradient(&gamma), gradient(&beta)];
            [&[download(found.output.inner())][..], &statistics, &gradients].concat()
        };
        for batch in [3, 260] {
            let ours = with(batch, true);
            let burns = with(batch, false);
            for (i, (ours, burns)) in ours.iter().zip(&burns).enumerate() {
                let size = burns.iter().fold(0.0_f32, |most, b| most.max(b.abs()));
                for (a, b) in ours.iter().zip(burns) {
                    assert!((a - b).abs() < 1e-4 * size, "{batch}, {i}: {a} {b}, of {size}");
                }
            }
        }
    }
}
