//! What layers of a network hand on.

use burn::tensor::Tensor;

/// What a network says of a batch.
#[derive(Debug)]
pub(crate) struct Logits {
    /// `[B, A]`
    pub(crate) policy: Tensor<2>,
    /// Win, draw, loss: `[B, 3]`.
    pub(crate) wdl: Tensor<2>,
}

/// What policy, value and heads are made of.
pub(crate) struct Features {
    /// The tower's outputs, `[B * H * W, C]`.
    pub(crate) trunk: Tensor<2>,
    /// The policy head's convolution, [`Boards::policy_inputs`].
    pub(crate) policy: Tensor<2>,
    /// The value head's hidden layer, `[B, value_hidden]`.
    pub(crate) hidden: Tensor<2>,
}
