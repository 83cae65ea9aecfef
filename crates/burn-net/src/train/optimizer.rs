//! `AdamW` with global-norm clipping, and the moving average, on flat tensors.

use burn::tensor::Tensor;

use crate::cuda::adam_step::{AdamStep, BETA1, BETA2, EPSILON};
use crate::device::choice::DeviceChoice;

/// Means of gradients and of their squares, `[N]` each.
#[derive(Clone, Debug)]
pub(crate) struct Moments {
    pub(crate) first: Tensor<1>,
    pub(crate) second: Tensor<1>,
}

/// What one update is made with.
pub(crate) struct Update {
    /// The update's number, from 1.
    pub(crate) step: u64,
    pub(crate) learning_rate: f64,
    /// The gradient is multiplied by this; see [`clip_scale`].
    pub(crate) gradient_scale: f64,
    /// Decay of each parameter, `[N]`.
    pub(crate) weight_decay: Tensor<1>,
}

impl Moments {
    /// Takes a gradient in and gives the parameters after the update: decoupled weight decay,
    /// Loshchilov and Hutter 2019 (arXiv:1711.05101), algorithm 2.
    pub(crate) fn update(
        &mut self,
        parameters: Tensor<1>,
        gradient: Tensor<1>,
        update: &Update,
    ) -> Tensor<1> {
        let gradient = gradient.mul_scalar(update.gradient_scale);
        self.first = blend(self.first.clone(), gradient.clone(), BETA1);
        self.second = blend(self.second.clone(), gradient.clone() * gradient, BETA2);
        let [first, second] = unbiased(update.step);
        let first = self.first.clone().div_scalar(first);
        let second = self.second.clone().div_scalar(second);
        let direction = first / second.sqrt().add_scalar(EPSILON);
        let decay = parameters.clone() * update.weight_decay.clone();
        parameters - (direction + decay).mul_scalar(update.learning_rate)
    }
}

/// Adam's bias corrections at a step: the divisors of the mean gradient and of the mean squared
/// gradient.
fn unbiased(step: u64) -> [f64; 2] {
    let step = step.min(i32::MAX as u64) as i32;
    [BETA1, BETA2].map(|beta| 1.0 - beta.powi(step))
}

impl AdamStep {
    /// The settings of step number `step`, from 1.
    pub(crate) fn new(
        step: u64,
        learning_rate: f64,
        clip_norm: f64,
        average_share: f64,
        statistics_share: f64,
    ) -> Self {
        let [first, second] = unbiased(step);
        Self {
            learning_rate: learning_rate as f32,
            first_scale: (1.0 / first) as f32,
            second_scale: (1.0 / second) as f32,
            average_share: average_share as f32,
            clip_norm: clip_norm as f32,
            statistics_share: statistics_share as f32,
        }
    }
}

/// What a gradient of this norm is multiplied by so that its norm is at most `clip_norm`.
pub(crate) fn clip_scale(norm: f64, clip_norm: f64) -> f64 {
    if norm > clip_norm { clip_norm / norm } else { 1.0 }
}

/// Euclidean norm over all parameters, `[1]`.
pub(crate) fn norm(gradient: Tensor<1>, choice: DeviceChoice) -> Tensor<1> {
    let squares = gradient.clone() * gradient;
    let sum = match choice {
        DeviceChoice::Cpu => squares.sum_dim(0),
        // A card gives a sum along an axis to one group of its threads, this one to all.
        DeviceChoice::Cuda(_) => squares.sum(),
    };
    sum.sqrt()
}

/// What the moving average keeps at a step (from 1): less than `decay` in the beginning, so that
/// the initial weights are forgotten.
pub(crate) fn ema_share(decay: f64, step: u64) -> f64 {
    let step = step as f64;
    decay.min((1.0 + step) / (10.0 + step))
}

/// `share` of the old value and the rest of the new one.
pub(crate) fn blend(old: Tensor<1>, new: Tensor<1>, share: f64) -> Tensor<1> {
    old.mul_scalar(share) + new.mul_scalar(1.0 - share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensors::{download, upload};
    use burn::tensor::Device;

    fn tensor(values: &[f32]) -> Tensor<1> {
        upload(values.to_vec(), &Device::flex())
    }

    #[test]
    fn a_gradient_of_norm_five_is_clipped_to_one() {
        let gradient = tensor(&[3.0, 0.0, -4.0]);
        let [length, on_card] = [DeviceChoice::Cpu, DeviceChoice::Cuda(0)]
            .map(|choice| download(norm(gradient.clone(), choice))[0]);
        assert_eq!([length, on_card], [5.0, 5.0]);
        let clipped = gradient.mul_scalar(clip_scale(f64::from(length), 1.0));
        for (found, wanted) in download(clipped).iter().zip([0.6, 0.0, -0.8]) {
            assert!((found - wanted).abs() < 1e-7);
        }
        assert_eq!(clip_scale(0.5, 1.0), 1.0);
    }

    /// Two steps of algorithm 2 by hand in f64.
    #[test]
    fn adamw_takes_the_published_steps() {
        let learning_rate = 0.1;
        let decay = 0.01;
        let mut moments = Moments { first: tensor(&[0.0; 2]), second: tensor(&[0.0; 2]) };
        let mut found = tensor(&[1.0, -2.0]);
        let mut wanted = [1.0_f64, -2.0];
        let mut m = [0.0_f64; 2];
        let mut v = [0.0_f64; 2];
        for (step, gradient) in [(1_u64, [0.5_f32, -0.25]), (2, [-1.5, 0.75])] {
            let update = Update {
                step,
                learning_rate,
                gradient_scale: 0.5,
                weight_decay: tensor(&[decay as f32, 0.0]),
            };
            found = moments.update(found, tensor(&gradient), &update);
            for i in 0..2 {
                let g = f64::from(gradient[i]) * 0.5;
                m[i] = 0.9 * m[i] + 0.1 * g;
                v[i] = 0.999 * v[i] + 0.001 * g * g;
                let mc = m[i] / (1.0 - 0.9_f64.powi(step as i32));
                let vc = v[i] / (1.0 - 0.999_f64.powi(step as i32));
                let decay = if i == 0 { decay } else { 0.0 };
                wanted[i] -= learning_rate * (mc / (vc.sqrt() + 1e-8) + decay * wanted[i]);
            }
        }
        for (found, wanted) in download(found).iter().zip(wanted) {
            assert!((f64::from(*found) - wanted).abs() < 1e-6, "{found} {wanted}");
        }
    }

    #[test]
    fn the_moving_average_starts_fast_and_ends_at_its_decay() {
        assert_eq!(ema_share(0.99, 1), 2.0 / 11.0);
        assert_eq!(ema_share(0.99, 1_000_000), 0.99);
        let average = blend(tensor(&[1.0, 0.0]), tensor(&[0.0, 4.0]), 0.75);
        assert_eq!(download(average), [0.75, 1.0]);
    }
}
