//! The state of a learner: everything that a training step changes.

use burn::tensor::{Device, Tensor};

use crate::cuda;
use crate::cuda::adam_step::{AVERAGE_SHARE, AdamFlats, STATISTICS_SHARE, StepTensors};
use crate::tensors::{download, upload};
use crate::train::checkpoint::Flats;
use crate::train::optimizer::Moments;

/// Tensors of all parameters, `[N]`, and of all batch norm statistics.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) step: u64,
    pub(crate) parameters: Tensor<1>,
    pub(crate) statistics: Tensor<1>,
    pub(crate) ema_parameters: Tensor<1>,
    pub(crate) ema_statistics: Tensor<1>,
    pub(crate) moments: Moments,
}

impl State {
    pub(crate) fn upload(step: u64, flats: Flats, device: &Device) -> Self {
        let [parameters, statistics, ema_parameters, ema_statistics, first, second] =
            flats.map(|flat| upload(flat, device));
        let moments = Moments { first, second };
        Self { step, parameters, statistics, ema_parameters, ema_statistics, moments }
    }

    pub(crate) fn download(&self) -> Flats {
        [
            &self.parameters,
            &self.statistics,
            &self.ema_parameters,
            &self.ema_statistics,
            &self.moments.first,
            &self.moments.second,
        ]
        .map(|flat| download(flat.clone()))
    }

    /// Updates the tensors in place with a step of `AdamW`, by our GPU kernels. If one of the
    /// step's numbers is not finite, nothing changes.
    pub(crate) fn step_in_place(
        &self,
        gradient: Tensor<1>,
        batch_statistics: Tensor<1>,
        weight_decay: &Tensor<1>,
        step: &StepTensors,
    ) {
        let flats = AdamFlats {
            parameters: &self.parameters,
            first: &self.moments.first,
            second: &self.moments.second,
            average: &self.ema_parameters,
        };
        cuda::adam(&flats, gradient, weight_decay, step);
        cuda::blend(&self.statistics, batch_statistics, STATISTICS_SHARE, step);
        cuda::blend(&self.ema_statistics, self.statistics.clone(), AVERAGE_SHARE, step);
    }
}
