//! What the backward passes of a batch's shards give, and how it is added up.

use burn::tensor::{Device, Tensor};

/// What the backward pass of some rows gives: the gradient `[N]` of their part of the loss, and the
/// statistics of each convolution's outputs.
pub(crate) struct Gradient {
    pub(crate) flat: Tensor<1>,
    pub(crate) statistics: Tensor<1>,
    /// Policy loss, value loss, the value's squared error, and the losses of the heads,
    /// `[3 + heads]`.
    pub(crate) losses: Tensor<1>,
}

impl Gradient {
    /// Counts the statistics by the share of rows that they come from. Gradient and losses are
    /// parts of a sum already.
    pub(crate) fn scaled(self, share: f64) -> Self {
        Self { statistics: self.statistics.mul_scalar(share), ..self }
    }

    /// The same on another device.
    pub(crate) fn on(self, device: &Device) -> Self {
        let Self { flat, statistics, losses } = self;
        let [flat, statistics, losses] = [flat, statistics, losses].map(|t| t.to_device(device));
        Self { flat, statistics, losses }
    }

    pub(crate) fn add(self, other: Self) -> Self {
        Self {
            flat: self.flat + other.flat,
            statistics: self.statistics + other.statistics,
            losses: self.losses + other.losses,
        }
    }
}
