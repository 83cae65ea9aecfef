//! A step of the optimizer on flat tensors.

use burn::tensor::Tensor;

/// Decay of the mean of gradients, Kingma and Ba 2015 (arXiv:1412.6980).
pub(crate) const BETA1: f64 = 0.9;

/// Decay of the mean of squared gradients, same paper.
pub(crate) const BETA2: f64 = 0.999;

/// Keeps the step finite where gradients vanish, same paper.
pub(crate) const EPSILON: f64 = 1e-8;

/// What a step of `AdamW` is made with, beside its constants.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
pub(crate) struct AdamStep {
    /// The gradient is multiplied by this.
    pub(crate) gradient_scale: f32,
    pub(crate) learning_rate: f32,
    /// What makes up for that the mean of gradients began at 0.
    pub(crate) first_scale: f32,
    /// The same of their squares.
    pub(crate) second_scale: f32,
    /// What the average of parameters keeps.
    pub(crate) average_share: f32,
}

/// What a step changes, `[N]` each.
pub(crate) struct AdamFlats {
    pub(crate) parameters: Tensor<1>,
    /// Mean of gradients.
    pub(crate) first: Tensor<1>,
    /// Mean of their squares.
    pub(crate) second: Tensor<1>,
    /// Moving average of parameters.
    pub(crate) average: Tensor<1>,
}
