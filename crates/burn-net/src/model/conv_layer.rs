//! Convolution layers.

use burn::tensor::Tensor;

use crate::cuda::layer_weights::LayerWeights;
use crate::cuda::tiles::FACTORS;
use crate::model::batch_norm::batch_norm;
use crate::model::board_ops::BoardOps;
use crate::model::convolution::kernel3x3;
use crate::model::epilogue::{BatchNormOutput, Epilogue};
use crate::model::linear::{matmul, matmul_in_parts};
use crate::tensors::{Parameters, WeightFormat};

/// A convolution with the batch norm behind it.
#[derive(Clone, Debug)]
pub(crate) struct ConvLayer {
    /// The layer's name in network files.
    pub(crate) name: String,
    weights: ConvWeights,
}

/// What a convolution layer computes with.
#[derive(Clone, Debug)]
enum ConvWeights {
    /// To play: batch norm is folded into kernel and bias.
    Folded {
        kernel: ConvKernel,
        /// `[1, out]`
        bias: Tensor<2>,
    },
    /// To learn by Burn's operations.
    BatchNorm {
        kernel: ConvKernel,
        /// `[1, out]`
        gamma: Tensor<2>,
        /// `[1, out]`
        beta: Tensor<2>,
    },
    /// To learn by the CUDA kernels.
    InPlace(LayerWeights),
}

/// The kernel of a convolution.
#[derive(Clone, Debug)]
enum ConvKernel {
    /// 1x1: a matrix `[in, out]`.
    Pointwise(Tensor<2>),
    /// 3x3, `[9 * in, out]`, for [`Convolver`](crate::model::convolution::Convolver); or either
    /// size, packed.
    Spatial(Tensor<2>),
}

/// How a pass over the network applies a convolution layer: to play, or to learn.
pub(crate) type ApplyConv<'a> = dyn FnMut(&ConvLayer, Tensor<2>, Epilogue<'_>) -> Tensor<2> + 'a;

impl ConvLayer {
    /// Takes the layer `name` of `shape` `[out, in, side]` from `parameters`. With `gamma` and
    /// `beta` it learns, with a `bias` it plays.
    pub(crate) fn new(parameters: &Parameters, name: &str, shape: [usize; 3]) -> Self {
        let [out, ..] = shape;
        let row = |part: &str| parameters.part(name, part).reshape([1, out]);
        let weights = if parameters.format(name) == WeightFormat::InPlace {
            let [weight, gamma, beta] =
                ["weight", "gamma", "beta"].map(|part| parameters.part(name, part));
            ConvWeights::InPlace(LayerWeights { weight, gamma, beta })
        } else {
            let kernel = ConvKernel::new(parameters, name, shape);
            if parameters.get(name, "gamma").is_some() {
                ConvWeights::BatchNorm { kernel, gamma: row("gamma"), beta: row("beta") }
            } else {
                ConvWeights::Folded { kernel, bias: row("bias") }
            }
        };
        Self { name: name.to_owned(), weights }
    }

    /// Plays: `[B * H * W, in]` to `[B * H * W, out]`.
    pub(crate) fn forward(
        &self,
        ops: &BoardOps,
        x: Tensor<2>,
        epilogue: Epilogue<'_>,
    ) -> Tensor<2> {
        let ConvWeights::Folded { kernel, bias } = &self.weights else {
            return self.forward_train(ops, x, epilogue).output;
        };
        match kernel {
            ConvKernel::Spatial(kernel) => {
                ops.convolver().convolve_then(x.cast(kernel.dtype()), kernel, bias, epilogue)
            }
            ConvKernel::Pointwise(kernel) => {
                epilogue.apply(matmul(x, kernel, bias.dtype()) + bias.clone())
            }
        }
    }

    /// Learns: the same, with batch norm, and its batch statistics.
    pub(crate) fn forward_train(
        &self,
        ops: &BoardOps,
        x: Tensor<2>,
        epilogue: Epilogue<'_>,
    ) -> BatchNormOutput {
        let (kernel, gamma, beta) = match &self.weights {
            ConvWeights::BatchNorm { kernel, gamma, beta } => (kernel, gamma, beta),
            ConvWeights::InPlace(weights) => return ops.convolver().learn(x, weights, epilogue),
            ConvWeights::Folded { .. } => {
                unreachable!("a network whose batch norm is folded does not learn")
            }
        };
        let sums = beta.dtype();
        let x = match kernel {
            ConvKernel::Spatial(kernel) => {
                ops.convolver().convolve(x.cast(kernel.dtype()), kernel).cast(sums)
            }
            ConvKernel::Pointwise(kernel) => matmul_in_parts(ops, x, kernel, sums),
        };
        let found = batch_norm(ops, x, gamma, beta);
        BatchNormOutput { output: epilogue.apply(found.output), ..found }
    }
}

impl ConvKernel {
    fn new(parameters: &Parameters, name: &str, [out, inputs, side]: [usize; 3]) -> Self {
        let weight = parameters.part(name, "weight");
        match (parameters.format(name), side) {
            (WeightFormat::Packed, _) => Self::Spatial(weight.reshape([-1, FACTORS as isize])),
            (_, 3) => Self::Spatial(kernel3x3(weight.reshape([out, inputs, 3, 3]))),
            _ => Self::Pointwise(weight.reshape([out, inputs]).transpose()),
        }
    }
}
