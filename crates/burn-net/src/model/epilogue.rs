//! What follows a convolution: batch norm where a network learns, then the epilogue.

use burn::tensor::Tensor;
use burn::tensor::activation::relu;

/// What happens to the outputs of a convolution before the next layer reads them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Epilogue<'a> {
    /// Nothing.
    Identity,
    /// Rectification.
    Relu,
    /// A residual, `[B * H * W, out]`, is added first.
    AddRelu(&'a Tensor<2>),
}

impl Epilogue<'_> {
    /// Applies it.
    pub(crate) fn apply(self, y: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Identity => y,
            Self::Relu => relu(y),
            Self::AddRelu(added) => {
                let added = added.clone().cast(y.dtype());
                relu(y + added)
            }
        }
    }
}

/// Rows after batch norm, and the batch statistics.
pub(crate) struct BatchNormOutput {
    /// `[B * H * W, C]`
    pub(crate) output: Tensor<2>,
    /// Mean of each channel over the batch, without a gradient, `[C]`.
    pub(crate) mean: Tensor<1>,
    /// Variance of each channel over the batch, without a gradient, `[C]`.
    pub(crate) variance: Tensor<1>,
}
