//! What follows a convolution.

use burn::tensor::Tensor;
use burn::tensor::activation::relu;

/// What happens to a convolution's outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Epilogue<'a> {
    /// They are what is wanted.
    Identity,
    /// What is below 0 becomes 0.
    Relu,
    /// First this is added, `[B * H * W, out]`.
    AddRelu(&'a Tensor<2>),
}

impl Epilogue<'_> {
    /// Does it.
    pub(crate) fn of(self, y: Tensor<2>) -> Tensor<2> {
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

/// What batch norm makes of rows.
pub(crate) struct BatchNormOutput {
    /// `[B * H * W, C]`
    pub(crate) output: Tensor<2>,
    /// Of each channel over the batch, without a gradient, `[C]`.
    pub(crate) mean: Tensor<1>,
    /// The same.
    pub(crate) variance: Tensor<1>,
}
