//! Batches through the network: forward and back to learn, forward alone to be examined.
//!
//! A batch is cut into shards. On the processor they fit the cache and run on several threads; of several cards each has
//! one. The order of sums is that of the rows, whatever the threads and the devices. Batch norm takes its statistics from
//! a shard.

use burn::tensor::{Device, Tensor};
use dz_network::NetworkSpec;
use rayon::prelude::*;

use crate::board::Boards;
use crate::evaluator::Precision;
use crate::layout::Layout;
use crate::losses::{self, Losses, Targets};
use crate::optimizer::norm;
use crate::planes::Inputs;
use crate::tower::{Logits, Tensors, Tower, download};
use crate::{DeviceChoice, EvaluationReport, LossReport, TrainBatch};

/// What a pass needs beside the weights.
#[derive(Debug)]
pub(crate) struct Passes {
    pub(crate) spec: NetworkSpec,
    /// Trained parameters.
    pub(crate) layout: Layout,
    /// Those that share a batch; weights, sums and examinations are on the first.
    pub(crate) devices: Vec<(DeviceChoice, Device)>,
    /// What products take their factors in while learning. Weights, sums that are added to, batch norm and losses
    /// are in 32 bits.
    pub(crate) precision: Precision,
    /// What the value's cross-entropy counts beside the policy's.
    pub(crate) value_weight: f64,
}

/// What the backward pass of a batch gives.
pub(crate) struct Pass {
    pub(crate) losses: LossReport,
    pub(crate) gradient: Gradient,
    /// Euclidean, over all parameters.
    pub(crate) gradient_norm: f32,
}

/// What the backward pass of some rows gives: the gradient `[N]` of their part of the loss, and the
/// statistics of each convolution's outputs.
pub(crate) struct Gradient {
    pub(crate) flat: Tensor<1>,
    pub(crate) statistics: Tensor<1>,
    /// Policy loss and value loss, `[2]`.
    losses: Tensor<1>,
}

/// A shard's logits and its parts of policy and value loss.
type Answer = ([Vec<f32>; 2], [f32; 2]);

impl Passes {
    /// Where weights and sums are.
    pub(crate) fn home(&self) -> &Device {
        &self.devices[0].1
    }

    /// The gradient of a batch at `weights`, `[N]`.
    pub(crate) fn learn(&self, batch: &TrainBatch, weights: &Tensor<1>) -> Pass {
        let rows = batch.planes.len;
        let shards = self.shards(batch, self.devices.len());
        let count = shards.len();
        let one = |(i, shard): (usize, Targets)| {
            let share = shard.rows.len() as f64 / rows as f64;
            let on = &self.devices[i * self.devices.len() / count];
            self.gradient(batch, shard, weights, on).scaled(share)
        };
        let gradients = self.each(shards, one);
        let gradient = gradients.into_iter().reduce(Gradient::add).expect("a batch has rows");
        // One read for all three numbers: each read waits for a card to finish.
        let numbers = vec![gradient.losses.clone(), norm(gradient.flat.clone())];
        let numbers = download(Tensor::cat(numbers, 0));
        let losses = report(batch, numbers[0], numbers[1]);
        Pass { losses, gradient, gradient_norm: numbers[2] }
    }

    /// What a network that plays says of a batch.
    pub(crate) fn examine(&self, tower: &Tower, batch: &TrainBatch) -> EvaluationReport {
        let answers =
            self.each(self.shards(batch, 1), |(_, shard)| self.answer(tower, batch, shard));
        let (mut policy, mut wdl, mut sums) = (Vec::new(), Vec::new(), [0.0; 2]);
        for (logits, losses) in answers {
            policy.extend_from_slice(&logits[0]);
            wdl.extend_from_slice(&logits[1]);
            sums = [sums[0] + losses[0], sums[1] + losses[1]];
        }
        EvaluationReport {
            losses: report(batch, sums[0], sums[1]),
            policy_accuracy: losses::accuracy(&policy, &batch.policy, &batch.policy_weights),
            value_accuracy: losses::accuracy(&wdl, &batch.wdl, &batch.value_weights),
        }
    }

    /// Parts of a batch for so many devices: as many for each, none larger than a device takes.
    fn shards(&self, batch: &TrainBatch, devices: usize) -> Vec<Targets> {
        let rows = batch.planes.len;
        let parts = rows.div_ceil(self.devices[0].0.shard_rows_max());
        Targets::split(batch, parts.next_multiple_of(devices).min(rows))
    }

    /// Works on shards, on as many threads as there are; answers in their order. Cards are all served by the thread that
    /// asks, since each thread would have a queue of its own on every card; they work side by side all the same.
    fn each<T: Send>(
        &self,
        shards: Vec<Targets>,
        one: impl Fn((usize, Targets)) -> T + Send + Sync,
    ) -> Vec<T> {
        if self.devices[0].0 == DeviceChoice::Cpu && shards.len() > 1 {
            shards.into_par_iter().enumerate().map(one).collect()
        } else {
            shards.into_iter().enumerate().map(one).collect()
        }
    }

    fn gradient(
        &self,
        batch: &TrainBatch,
        targets: Targets,
        weights: &Tensor<1>,
        (choice, device): &(DeviceChoice, Device),
    ) -> Gradient {
        let training = device.clone().autodiff();
        let leaves: Tensors = self
            .layout
            .split(&weights.clone().to_device(device))
            .into_iter()
            .map(|(name, tensor)| (name, tensor.autodiff().require_grad()))
            .collect();
        let mut statistics = Tensors::new();
        let inputs = Inputs::of(&batch.planes, targets.rows.clone(), choice.unpacks(), &training);
        let boards = self.boards(targets.rows.len(), *choice, &training);
        let tower = Tower::new(&self.spec, &self.factors(&leaves));
        let logits = tower.forward(&boards, inputs, &mut statistics);
        let Losses { policy, value } = Losses::new(logits, targets, &training);
        let total = policy.clone() + value.clone().mul_scalar(self.value_weight);
        let mut gradients = total.backward();
        let gradient = leaves.values().map(|leaf| {
            let [length] = leaf.dims();
            let zeros = || Tensor::zeros([length], device);
            leaf.grad_remove(&mut gradients).unwrap_or_else(zeros)
        });
        let home = |tensor: Tensor<1>| tensor.to_device(self.home());
        Gradient {
            flat: home(Tensor::cat(gradient.collect(), 0)),
            statistics: home(Tensor::cat(statistics.into_values().collect(), 0)),
            losses: home(Tensor::cat(vec![policy.inner(), value.inner()], 1).flatten(0, 1)),
        }
    }

    /// Weights of products in the format that these take; what is added or multiplied point by point stays as it is.
    fn factors(&self, leaves: &Tensors) -> Tensors {
        let factor = |(name, leaf): (&String, &Tensor<1>)| {
            let is_factor = self.layout.shapes()[name].len() > 1;
            let dtype = if is_factor { self.precision } else { Precision::F32 }.dtype();
            (name.clone(), leaf.clone().cast(dtype))
        };
        leaves.iter().map(factor).collect()
    }

    fn answer(&self, tower: &Tower, batch: &TrainBatch, targets: Targets) -> Answer {
        let (choice, device) = &self.devices[0];
        let inputs = Inputs::of(&batch.planes, targets.rows.clone(), choice.unpacks(), device);
        let boards = self.boards(targets.rows.len(), *choice, device);
        let Logits { policy, wdl } = tower.forward(&boards, inputs, &mut Tensors::new());
        let logits = [download(policy.clone()), download(wdl.clone())];
        let Losses { policy, value } = Losses::new(Logits { policy, wdl }, targets, device);
        (logits, [download(policy)[0], download(value)[0]])
    }

    fn boards(&self, rows: usize, choice: DeviceChoice, device: &Device) -> Boards {
        Boards::new(&self.spec, rows, choice.gathers(), device)
    }
}

impl Gradient {
    /// Counts the statistics by the share of rows that they come from. Gradient and losses are parts of a
    /// sum already.
    fn scaled(self, share: f64) -> Self {
        Self { statistics: self.statistics.mul_scalar(share), ..self }
    }

    fn add(self, other: Self) -> Self {
        Self {
            flat: self.flat + other.flat,
            statistics: self.statistics + other.statistics,
            losses: self.losses + other.losses,
        }
    }
}

fn report(batch: &TrainBatch, policy_loss: f32, value_loss: f32) -> LossReport {
    let policy_entropy = losses::policy_entropy(batch);
    LossReport { policy_loss, value_loss, policy_entropy, rows: batch.planes.len }
}
