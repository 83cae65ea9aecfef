//! Batches through the network: forward and back to learn, forward alone to be examined.
//!
//! On the processor our kernels take stem and blocks both ways where they know the network, and
//! Burn the heads.
//!
//! A batch is cut into shards. On the processor they fit the cache and run on several threads; of
//! several cards each has one. The order of sums is that of the rows, whatever the threads and the
//! devices. Batch norm takes its statistics from a shard.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use burn::tensor::{Device, Tensor};
use dz_cpu_net::Trunk;
use dz_infer::EncodedBatch;
use dz_network_file::{NetworkSpec, PerHead};
use rayon::prelude::*;

use crate::cuda;
use crate::device::choice::DeviceChoice;
use crate::model::board_ops::{BoardOps, ComputeOptions};
use crate::model::convolution::ConvMethod;
use crate::model::outputs::{Logits, TrainOutputs};
use crate::model::planes::{Inputs, Unpack};
use crate::model::tower::{Tail, Tower};
use crate::precision::Precision;
use crate::tensors::{Parameters, Tensors, WeightFormat, download};
use crate::train::cpu_trunk::{Forward, Ready};
use crate::train::gradient::Gradient;
use crate::train::layout::Layout;
use crate::train::learner::{EvaluationReport, LossReport, TrainBatch, ValueLoss};
use crate::train::losses::{LOSSES_BEFORE_HEADS, Losses, TargetTensors, Targets};
use crate::train::parts::Totals;
use crate::train::{cpu_trunk, losses, optimizer};

/// What a pass needs beside the weights.
#[derive(Debug)]
pub(crate) struct BatchPasses {
    pub(crate) spec: NetworkSpec,
    /// Trained parameters.
    pub(crate) layout: Layout,
    /// Those that share a batch; weights, sums and examinations are on the first.
    pub(crate) devices: Vec<(DeviceChoice, Device)>,
    /// What products take their factors in while learning. Weights, sums that are added to, batch
    /// norm and losses are in 32 bits.
    pub(crate) precision: Precision,
    /// How 3x3 convolutions with gradients are worked out.
    pub(crate) convolve: ConvMethod,
    /// What the value learns by.
    pub(crate) value_loss: ValueLoss,
    /// What the value's loss counts beside the policy's.
    pub(crate) value_weight: f64,
    /// What each head's loss counts.
    pub(crate) head_weights: PerHead<f64>,
    /// Kernels that take stem and blocks forward and back, where there are some; else Burn does.
    pub(crate) trunk: Option<Trunk>,
    /// boards that were made, by rows, device and whether gradients are asked for: those of one
    /// step serve the next.
    pub(crate) boards: Mutex<BTreeMap<(usize, DeviceChoice, bool), BoardOps>>,
}

/// What the backward pass of a batch gives.
pub(crate) struct Pass {
    pub(crate) losses: LossReport,
    pub(crate) gradient: Gradient,
    /// Euclidean, over all parameters.
    pub(crate) gradient_norm: f32,
}

/// The inputs and targets of a shard, on the device.
pub(crate) struct ShardInputs<'a> {
    pub(crate) rows: Range<usize>,
    pub(crate) front: Front<'a>,
    pub(crate) targets: TargetTensors,
}

/// The implementation of stem and blocks, with its inputs.
pub(crate) enum Front<'a> {
    /// Our CPU kernels, from bit-packed planes.
    Trunk(Ready<'a>, &'a EncodedBatch),
    /// Burn or our GPU kernels.
    Tower(Box<Inputs>),
}

/// The rows of a batch on one board.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    /// What the board needs.
    pub(crate) passes: &'a BatchPasses,
    pub(crate) batch: &'a TrainBatch,
}

/// A piece of work for one device.
struct Shard {
    /// Index of the part.
    at: usize,
    /// Index of the device.
    on: usize,
    targets: Targets,
}

/// A shard's logits and its parts of the losses: policy, value, squared error, heads.
type Answer = ([Vec<f32>; 2], Vec<f32>);

impl BatchPasses {
    /// Where weights and sums are.
    pub(crate) fn home(&self) -> &Device {
        &self.devices[0].1
    }

    /// The gradient of a batch at `weights`, `[N]`. The first device of `self` adds up the parts.
    pub(crate) fn learn(&self, parts: &[Part<'_>], weights: &Tensor<1>) -> Pass {
        let rows: usize = parts.iter().map(|part| part.batch.planes.len).sum();
        let batches: Vec<&TrainBatch> = parts.iter().map(|part| part.batch).collect();
        let whole = Totals::of(&self.spec, &batches);
        // Copies go to all devices before the first gets work, because a copy waits for earlier
        // work of its source.
        let copies: Vec<Tensor<1>> =
            self.devices.iter().map(|(_, device)| weights.clone().to_device(device)).collect();
        let mut shards = Vec::new();
        let mut packed = Vec::new();
        for (at, Part { passes, batch }) in parts.iter().enumerate() {
            let mut targets = passes.shards(batch, self.devices.len());
            if parts.len() > 1 {
                whole.scale(&passes.spec, batch, &mut targets);
            }
            let count = targets.len();
            let shard = |(i, targets)| Shard { at, on: i * self.devices.len() / count, targets };
            shards.extend(targets.into_iter().enumerate().map(shard));
            let pack = |trunk| cpu_trunk::pack(trunk, &passes.layout, weights);
            packed.push(passes.trunk.as_ref().map(pack));
        }
        let one = |Shard { at, on, targets }: Shard| {
            let Part { passes, batch } = &parts[at];
            let ready = passes.trunk.as_ref().zip(packed[at].as_ref());
            let share = targets.rows.len() as f64 / rows as f64;
            passes.gradient(batch, targets, &copies[on], ready, &self.devices[on]).scaled(share)
        };
        // All of them have something to do before the first is waited for.
        let gradients = self.each(shards, one).into_iter().map(|found| found.on(self.home()));
        let gradient = gradients.reduce(Gradient::add).expect("a batch has rows");
        // One read for all numbers: each read waits for a card to finish.
        let numbers = vec![gradient.losses.clone(), self.norm(gradient.flat.clone())];
        let numbers = download(self.joined(numbers));
        let (gradient_norm, losses) = numbers.split_last().expect("norm and losses are numbers");
        let losses = self.loss_report(losses, whole.policy_entropy(&batches), rows);
        Pass { losses, gradient, gradient_norm: *gradient_norm }
    }

    /// Returns the outputs of a network that plays, for a batch.
    pub(crate) fn examine(&self, tower: &Tower, batch: &TrainBatch) -> EvaluationReport {
        let answers = self.each(self.shards(batch, 1), |shard| self.answer(tower, batch, shard));
        let mut policy = Vec::new();
        let mut wdl = Vec::new();
        let mut sums = vec![0.0; LOSSES_BEFORE_HEADS + self.spec.heads.len()];
        for (logits, losses) in answers {
            policy.extend_from_slice(&logits[0]);
            wdl.extend_from_slice(&logits[1]);
            sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += loss);
        }
        EvaluationReport {
            losses: self.report(batch, &sums),
            policy_accuracy: losses::accuracy(&policy, &batch.policy, &batch.policy_weights),
            policy_top5_accuracy: losses::top5_accuracy(
                &policy,
                &batch.policy,
                &batch.policy_weights,
            ),
            value_accuracy: losses::accuracy(&wdl, &batch.wdl, &batch.value_weights),
        }
    }

    /// Parts of a batch for so many devices: as many for each, none larger than a device takes.
    fn shards(&self, batch: &TrainBatch, devices: usize) -> Vec<Targets> {
        let rows = batch.planes.len;
        let parts = rows.div_ceil(self.devices[0].0.shard_rows_max());
        Targets::split(batch, &self.spec, parts.next_multiple_of(devices).min(rows))
    }

    /// Works on shards, on as many threads as there are; answers in their order. Cards are all
    /// served by the thread that asks, since each thread would have its own queue on every card.
    /// They still work in parallel.
    fn each<S: Send, T: Send>(&self, shards: Vec<S>, one: impl Fn(S) -> T + Send + Sync) -> Vec<T> {
        if self.devices[0].0 == DeviceChoice::Cpu && shards.len() > 1 {
            shards.into_par_iter().map(one).collect()
        } else {
            shards.into_iter().map(one).collect()
        }
    }

    fn gradient(
        &self,
        batch: &TrainBatch,
        targets: Targets,
        weights: &Tensor<1>,
        ready: Option<Ready<'_>>,
        on: &(DeviceChoice, Device),
    ) -> Gradient {
        let (choice, device) = on;
        let training = device.clone().autodiff();
        let rows = targets.rows.clone();
        let planes = &batch.planes;
        let front = if let Some(ready) = ready {
            Front::Trunk(ready, planes)
        } else {
            let unpack = Unpack::of(choice.unpacks(), self.convolve);
            let dtype = self.precision.dtype();
            let inputs = Inputs::of(planes, rows.clone(), unpack, dtype, &training);
            Front::Tower(Box::new(inputs))
        };
        let shard = ShardInputs { rows, front, targets: targets.upload(&training) };
        self.backward(shard, weights, on)
    }

    /// The forward and backward pass of a shard. With [`Front::Tower`], nothing is copied to the
    /// device after the first pass of a batch size, so a CUDA graph can record it.
    pub(crate) fn backward(
        &self,
        shard: ShardInputs<'_>,
        weights: &Tensor<1>,
        (choice, device): &(DeviceChoice, Device),
    ) -> Gradient {
        let ShardInputs { rows, front, targets } = shard;
        let training = device.clone().autodiff();
        let cut = |name: &str, range: Range<usize>| {
            if self.learns_by_cuda_kernels(name) {
                return cuda::view(weights, range.start, range.end);
            }
            weights.clone().slice(range)
        };
        let leaves: Tensors = self
            .layout
            .split_by(cut)
            .into_iter()
            .filter(|(name, _)| matches!(front, Front::Tower(_)) || !Trunk::owns(name))
            .map(|(name, tensor)| (name, tensor.autodiff().require_grad()))
            .collect();
        let boards = self.boards(rows.len(), *choice, true, &training);
        let factors = self.factors(&leaves);
        let (kernels, outputs) = match front {
            Front::Trunk(ready, planes) => {
                let kernels = Forward::new(ready, planes, rows, &training);
                let tail = Tail::new(&self.spec, &factors);
                let outputs = tail.forward_train(&boards, kernels.outputs.clone());
                (Some((kernels, planes)), outputs)
            }
            Front::Tower(inputs) => {
                (None, Tower::new(&self.spec, &factors).forward_train(&boards, *inputs))
            }
        };
        let TrainOutputs { logits, heads: outputs, mut statistics } = outputs;
        let cuda_kernels = self.convolve == ConvMethod::CudaKernel;
        let losses = Losses::new(logits, outputs, targets, self.value_loss, cuda_kernels);
        let Losses { policy, value, value_mse, heads } = losses;
        let mut total = policy.clone() + value.clone().mul_scalar(self.value_weight);
        for (head, loss) in &heads {
            total = total + loss.clone().mul_scalar(self.head_weights[*head]);
        }
        let heads = heads.into_iter().map(|(_, loss)| loss);
        let losses = [policy, value, value_mse].into_iter().chain(heads);
        let losses = losses.map(|loss| loss.inner().reshape([1])).collect();
        let mut found = total.backward();
        let mut gradients = Tensors::new();
        for (name, leaf) in leaves {
            let zeros = || Tensor::zeros(leaf.dims(), device);
            gradients.insert(name, leaf.grad_remove(&mut found).unwrap_or_else(zeros));
        }
        if let Some((kernels, planes)) = kernels {
            kernels.back(planes, &mut found, &mut gradients, &mut statistics);
        }
        Gradient {
            flat: self.joined(gradients.into_values().collect()),
            statistics: self.joined(statistics.into_values().collect()),
            losses: self.joined(losses),
        }
    }

    /// Euclidean norm over all parameters, `[1]`.
    pub(crate) fn norm(&self, gradient: Tensor<1>) -> Tensor<1> {
        match self.convolve {
            ConvMethod::CudaKernel => cuda::norm(gradient),
            _ => optimizer::norm(gradient, self.devices[0].0),
        }
    }

    /// Pieces one after another.
    fn joined(&self, pieces: Vec<Tensor<1>>) -> Tensor<1> {
        match self.convolve {
            ConvMethod::CudaKernel => cuda::join(&pieces),
            _ => Tensor::cat(pieces, 0),
        }
    }

    /// Converts weights of products to the format that the products take. Weights that are added or
    /// multiplied point by point keep their format, and so do weights that our kernels take.
    fn factors(&self, leaves: &Tensors) -> Parameters {
        let mut parameters = Parameters::default();
        for (name, leaf) in leaves {
            let is_row = self.layout.shapes()[name].len() == 1;
            match name.strip_suffix(".weight") {
                Some(layer) if self.learns_by_cuda_kernels(name) => {
                    parameters.insert_weight(layer, leaf.clone(), WeightFormat::InPlace);
                }
                _ if is_row => parameters.insert(name.clone(), leaf.clone()),
                _ => parameters.insert(name.clone(), leaf.clone().cast(self.precision.dtype())),
            }
        }
        parameters
    }

    /// Whether a parameter is of a layer of our kernels.
    fn learns_by_cuda_kernels(&self, name: &str) -> bool {
        let size = [self.spec.height, self.spec.width];
        let shape = self.layout.convolution_of(name);
        let fits = shape.is_some_and(|shape| cuda::conv::fits::learns(size, shape));
        self.convolve == ConvMethod::CudaKernel && (fits || self.layout.is_of_linear(name))
    }

    fn answer(&self, tower: &Tower, batch: &TrainBatch, targets: Targets) -> Answer {
        let (choice, device) = &self.devices[0];
        let unpack = Unpack::of(choice.unpacks(), choice.compute_options(false).convolve);
        let rows = targets.rows.clone();
        let dtype = Precision::F32.dtype();
        let inputs = Inputs::of(&batch.planes, rows, unpack, dtype, device);
        let boards = self.boards(targets.rows.len(), *choice, false, device);
        let (Logits { policy, wdl, .. }, outputs) = tower.forward_all(&boards, inputs);
        let logits = [download(policy.clone()), download(wdl.clone())];
        let logits_on = Logits { policy, wdl, columns: Vec::new() };
        let targets = targets.upload(device);
        let losses = Losses::new(logits_on, outputs, targets, self.value_loss, false);
        let Losses { policy, value, value_mse, heads } = losses;
        let heads = heads.into_iter().map(|(_, loss)| loss);
        let losses = [policy, value, value_mse].into_iter().chain(heads);
        (logits, losses.map(|loss| download(loss)[0]).collect())
    }

    /// The report of losses in the order of [`Gradient::losses`].
    fn report(&self, batch: &TrainBatch, losses: &[f32]) -> LossReport {
        let policy_entropy = losses::mean_entropy(&batch.policy, &batch.policy_weights);
        self.loss_report(losses, policy_entropy, batch.planes.len)
    }

    /// As `report`, from the batch's policy entropy and number of rows.
    pub(crate) fn loss_report(
        &self,
        losses: &[f32],
        policy_entropy: f32,
        rows: usize,
    ) -> LossReport {
        let mut heads = PerHead::default();
        for (&head, &loss) in self.spec.heads.iter().zip(&losses[LOSSES_BEFORE_HEADS..]) {
            heads[head] = Some(loss);
        }
        let policy_loss = losses[0];
        let [value_loss, value_mse] = [losses[1], losses[2]];
        LossReport { policy_loss, value_loss, value_mse, policy_entropy, heads, rows }
    }

    fn boards(
        &self,
        rows: usize,
        choice: DeviceChoice,
        with_gradients: bool,
        device: &Device,
    ) -> BoardOps {
        let compute = choice.compute_options(with_gradients);
        let convolve = if with_gradients { self.convolve } else { compute.convolve };
        let compute = ComputeOptions { convolve, ..compute };
        let make = || BoardOps::new(&self.spec, rows, compute, self.precision, device);
        let mut made = self.boards.lock().unwrap_or_else(PoisonError::into_inner);
        made.entry((rows, choice, with_gradients)).or_insert_with(make).clone()
    }
}

#[cfg(test)]
#[path = "step_tests.rs"]
mod tests;
