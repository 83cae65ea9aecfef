//! What layers of a network hand on.

use burn::tensor::Tensor;
use dz_network_file::Head;

use crate::tensors::Tensors;

/// The outputs of each head for a batch: a row for each position, or for each point of each.
pub(crate) type HeadOutputs = Vec<(Head, Tensor<2>)>;

/// The outputs of a network for a batch.
#[derive(Debug)]
pub(crate) struct Logits {
    /// `[B, A]`
    pub(crate) policy: Tensor<2>,
    /// Win, draw, loss: `[B, 3]`.
    pub(crate) wdl: Tensor<2>,
    /// Numbers beside win, draw and loss, `[B, 1]` each, where the network has them and plays.
    pub(crate) columns: Vec<Tensor<2>>,
}

/// What policy, value and heads are made of.
pub(crate) struct Features {
    /// The tower's outputs, `[B * H * W, C]`.
    pub(crate) trunk: Tensor<2>,
    /// The policy head's convolution, [`BoardOps::policy_inputs`].
    pub(crate) policy: Tensor<2>,
    /// The value head's hidden layer, `[B, value_hidden]`.
    pub(crate) hidden: Tensor<2>,
}

/// What a batch that is learned from gives.
pub(crate) struct TrainOutputs {
    pub(crate) logits: Logits,
    pub(crate) heads: HeadOutputs,
    /// Mean and variance over the batch of each convolution's outputs, by `LAYER.mean` and
    /// `LAYER.variance`.
    pub(crate) statistics: Tensors,
}
