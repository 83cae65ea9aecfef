//! The parameters of a layer that learns by the kernels.

use burn::tensor::Tensor;

/// The parameters of a layer that learns, in 32 bits. They may be views of a flat tensor
/// ([`view`]), which nothing else may use.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
pub(crate) struct LayerWeights {
    /// Of the convolution, as files have it, `[out * in * side * side]`.
    pub(crate) weight: Tensor<1>,
    /// Batch norm's scale, `[out]`.
    pub(crate) gamma: Tensor<1>,
    /// `[out]`
    pub(crate) beta: Tensor<1>,
}
