//! A step of the optimizer on flat tensors.

use burn::tensor::Tensor;

/// Decay of the mean of gradients, Kingma and Ba 2015 (arXiv:1412.6980).
pub(crate) const BETA1: f64 = 0.9;

/// Decay of the mean of squared gradients, same paper.
pub(crate) const BETA2: f64 = 0.999;

/// Keeps the step finite where gradients vanish, same paper.
pub(crate) const EPSILON: f64 = 1e-8;

// Indices into `AdamStep::settings`.
pub(crate) const LEARNING_RATE: usize = 0;
pub(crate) const FIRST_SCALE: usize = 1;
pub(crate) const SECOND_SCALE: usize = 2;
pub(crate) const AVERAGE_SHARE: usize = 3;
pub(crate) const CLIP_NORM: usize = 4;
pub(crate) const STATISTICS_SHARE: usize = 5;

/// The length of [`AdamStep::settings`].
pub(crate) const SETTINGS: usize = 6;

/// What a step of `AdamW` is made with, beside its constants.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
pub(crate) struct AdamStep {
    pub(crate) learning_rate: f32,
    /// What makes up for that the mean of gradients began at 0.
    pub(crate) first_scale: f32,
    /// The same of their squares.
    pub(crate) second_scale: f32,
    /// What the average of parameters keeps.
    pub(crate) average_share: f32,
    /// The gradient is scaled down to this norm if its norm is larger.
    pub(crate) clip_norm: f32,
    /// The share of the old running statistics.
    pub(crate) statistics_share: f32,
}

impl AdamStep {
    /// Settings that fill the place of a step's.
    pub(crate) const NONE: Self = Self {
        learning_rate: 0.0,
        first_scale: 1.0,
        second_scale: 1.0,
        average_share: 1.0,
        clip_norm: 1.0,
        statistics_share: 1.0,
    };

    /// Returns the settings in the order in which kernels read them.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code))]
    pub(crate) fn settings(self) -> [f32; SETTINGS] {
        let mut settings = [0.0; SETTINGS];
        settings[LEARNING_RATE] = self.learning_rate;
        settings[FIRST_SCALE] = self.first_scale;
        settings[SECOND_SCALE] = self.second_scale;
        settings[AVERAGE_SHARE] = self.average_share;
        settings[CLIP_NORM] = self.clip_norm;
        settings[STATISTICS_SHARE] = self.statistics_share;
        settings
    }
}

/// The inputs of the optimizer's kernels, on the GPU.
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
pub(crate) struct StepTensors {
    /// [`AdamStep::settings`]
    pub(crate) settings: Tensor<1>,
    /// Losses, then the gradient norm. If one is not finite, the step changes nothing.
    pub(crate) numbers: Tensor<1>,
}

/// The tensors that a step changes in place, `[N]` each.
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
pub(crate) struct AdamFlats<'a> {
    pub(crate) parameters: &'a Tensor<1>,
    /// Mean of gradients.
    pub(crate) first: &'a Tensor<1>,
    /// Mean of their squares.
    pub(crate) second: &'a Tensor<1>,
    /// Moving average of parameters.
    pub(crate) average: &'a Tensor<1>,
}
