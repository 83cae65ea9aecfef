//! The learner on Burn.

use burn::tensor::{Device, Tensor};
use dz_network::{NetworkFile, NetworkHeader, NetworkSpec};
use rayon::prelude::*;

use crate::board::Boards;
use crate::checkpoint::{self, Flats, Header};
use crate::evaluator::{Precision, tower_of};
use crate::fold::fold;
use crate::layout::Layout;
use crate::losses::{self, Losses, Targets};
use crate::optimizer::{Moments, Update, blend, clip_scale, ema_share, norm};
use crate::planes::Inputs;
use crate::tower::{Tensors, Tower, download, upload};
use crate::{
    DeviceChoice, EvaluationReport, ExportInfo, Learner, LearnerOptions, LossReport, NetError,
    StepReport, TrainBatch,
};

/// Share of the old running mean and variance that a step keeps; 0.9 as in Ioffe and Szegedy's
/// successors (momentum 0.1 of `PyTorch`).
const STATISTICS_SHARE: f64 = 0.9;

/// Trains a network with `AdamW` on a device.
#[derive(Debug)]
pub struct BurnLearner {
    spec: NetworkSpec,
    options: LearnerOptions,
    choice: DeviceChoice,
    device: Device,
    parameters: Layout,
    statistics: Layout,
    /// Weight decay of each parameter, `[N]`.
    weight_decay: Tensor<1>,
    state: State,
}

/// Everything that a step changes; `[N]` each, or as long as the statistics.
#[derive(Clone, Debug)]
struct State {
    step: u64,
    parameters: Tensor<1>,
    statistics: Tensor<1>,
    ema_parameters: Tensor<1>,
    ema_statistics: Tensor<1>,
    moments: Moments,
}

/// What the backward pass of a batch gives.
struct Pass {
    losses: LossReport,
    gradient: Gradient,
    gradient_norm: f32,
}

/// What the backward pass of some rows gives: the gradient `[N]` of their part of the loss, and the
/// statistics of each convolution's outputs.
struct Gradient {
    flat: Tensor<1>,
    statistics: Tensor<1>,
    /// Policy loss and value loss, `[2]`.
    losses: Tensor<1>,
}

impl BurnLearner {
    /// A fresh network, initialised from `options.seed`.
    ///
    /// # Errors
    /// [`NetError::File`] for an impossible specification, [`NetError::BadOption`] for an option out of
    /// range.
    pub fn new(
        spec: NetworkSpec,
        choice: DeviceChoice,
        options: LearnerOptions,
    ) -> Result<Self, NetError> {
        spec.validate()?;
        check(&options)?;
        let device = choice.open();
        let (parameters, statistics) = (Layout::of_parameters(&spec), Layout::of_statistics(&spec));
        let values = parameters.initial(options.seed);
        let start = statistics.initial(options.seed);
        let zeros = vec![0.0; values.len()];
        let decay = parameters.decayed().iter().map(|d| d * options.weight_decay as f32).collect();
        let flats = [values.clone(), start.clone(), values, start, zeros.clone(), zeros];
        let (state, weight_decay) =
            choice.guard(|| (State::upload(0, flats, &device), upload(decay, &device)))?;
        Ok(Self { spec, options, choice, device, parameters, statistics, weight_decay, state })
    }

    /// The configuration hash that checkpoints carry.
    pub fn config_hash(&self) -> &str {
        &self.options.config_hash
    }

    fn pass(&self, batch: &TrainBatch) -> Pass {
        let rows = batch.planes.len;
        let mut shards = Targets::split(batch, self.choice.shard_rows_max());
        // The order of the sum is that of the rows, whatever the threads. A card works alone, and on the
        // thread that asks, since each thread would have a queue of its own.
        let gradients: Vec<(f64, Gradient)> = if shards.len() == 1 {
            shards.drain(..).map(|shard| (1.0, self.gradient(batch, shard))).collect()
        } else {
            let share = |shard: &Targets| shard.rows.len() as f64 / rows as f64;
            let one = |shard| (share(&shard), self.gradient(batch, shard));
            shards.into_par_iter().map(one).collect()
        };
        let gradient =
            gradients.into_iter().map(|(share, g)| g.scaled(share)).reduce(Gradient::add);
        let gradient = gradient.expect("a batch has rows");
        // One read for all three numbers: each read waits for a card to finish.
        let numbers = vec![gradient.losses.clone(), norm(gradient.flat.clone())];
        let numbers = download(Tensor::cat(numbers, 0));
        let losses = report(batch, numbers[0], numbers[1]);
        Pass { losses, gradient, gradient_norm: numbers[2] }
    }

    fn gradient(&self, batch: &TrainBatch, targets: Targets) -> Gradient {
        let training = self.device.clone().autodiff();
        let leaves: Tensors = self
            .parameters
            .split(&self.state.parameters)
            .into_iter()
            .map(|(name, tensor)| (name, tensor.autodiff().require_grad()))
            .collect();
        let mut statistics = Tensors::new();
        let (first, rows) = (targets.rows.start, targets.rows.len());
        let inputs = Inputs::unpack(&batch.planes, first, rows, &training);
        let boards = self.boards(rows, &training);
        let logits = Tower::new(&self.spec, &leaves).forward(&boards, inputs, &mut statistics);
        let Losses { policy, value } = Losses::new(logits, targets, &training);
        let total = policy.clone() + value.clone().mul_scalar(self.options.value_weight);
        let mut gradients = total.backward();
        let gradient = leaves.values().map(|leaf| {
            let [length] = leaf.dims();
            let zeros = || Tensor::zeros([length], &self.device);
            leaf.grad_remove(&mut gradients).unwrap_or_else(zeros)
        });
        Gradient {
            flat: Tensor::cat(gradient.collect(), 0),
            statistics: Tensor::cat(statistics.into_values().collect(), 0),
            losses: Tensor::cat(vec![policy.inner(), value.inner()], 1).flatten(0, 1),
        }
    }

    fn boards(&self, rows: usize, device: &Device) -> Boards {
        Boards::new(&self.spec, rows, self.choice.gathers(), device)
    }

    fn apply(&self, pass: Pass, learning_rate: f64) -> State {
        let Gradient { flat, statistics, .. } = pass.gradient;
        let mut state = self.state.clone();
        state.step += 1;
        let update = Update {
            step: state.step,
            learning_rate,
            gradient_scale: clip_scale(f64::from(pass.gradient_norm), self.options.clip_norm),
            weight_decay: self.weight_decay.clone(),
        };
        state.parameters = state.moments.update(state.parameters, flat, &update);
        state.statistics = blend(state.statistics, statistics, STATISTICS_SHARE);
        let share = ema_share(self.options.ema_decay, state.step);
        state.ema_parameters = blend(state.ema_parameters, state.parameters.clone(), share);
        state.ema_statistics = blend(state.ema_statistics, state.statistics.clone(), share);
        state
    }
}

impl Learner for BurnLearner {
    fn spec(&self) -> &NetworkSpec {
        &self.spec
    }

    fn steps(&self) -> u64 {
        self.state.step
    }

    fn step(&mut self, batch: &TrainBatch, learning_rate: f64) -> Result<StepReport, NetError> {
        losses::check(batch, &self.spec)?;
        let pass = self.choice.guard(|| self.pass(batch))?;
        let (losses, gradient_norm) = (pass.losses, pass.gradient_norm);
        let LossReport { policy_loss, value_loss, .. } = losses;
        if !(policy_loss.is_finite() && value_loss.is_finite() && gradient_norm.is_finite()) {
            let step = self.state.step + 1;
            return Err(NetError::Diverged { step, policy_loss, value_loss, gradient_norm });
        }
        self.state = self.choice.guard(|| self.apply(pass, learning_rate))?;
        let clipped = f64::from(gradient_norm) > self.options.clip_norm;
        Ok(StepReport { losses, gradient_norm, clipped })
    }

    fn evaluate(&self, batch: &TrainBatch) -> Result<EvaluationReport, NetError> {
        losses::check(batch, &self.spec)?;
        let info = ExportInfo { config_hash: String::new(), cycle: 0, created_by: String::new() };
        let file = self.export(&info)?;
        self.choice.guard(|| {
            let inputs = Inputs::unpack(&batch.planes, 0, batch.planes.len, &self.device);
            let boards = self.boards(batch.planes.len, &self.device);
            let tower = tower_of(&file, Precision::F32, &self.device);
            let logits = tower.forward(&boards, inputs, &mut Tensors::new());
            let (policy, value) = (download(logits.policy.clone()), download(logits.wdl.clone()));
            let policy_accuracy = losses::accuracy(&policy, &batch.policy, &batch.policy_weights);
            let value_accuracy = losses::accuracy(&value, &batch.wdl, &batch.value_weights);
            let all = Targets::split(batch, usize::MAX).remove(0);
            let Losses { policy, value } = Losses::new(logits, all, &self.device);
            let losses = report(batch, download(policy)[0], download(value)[0]);
            EvaluationReport { losses, policy_accuracy, value_accuracy }
        })
    }

    fn export(&self, info: &ExportInfo) -> Result<NetworkFile, NetError> {
        let (parameters, statistics) = self.choice.guard(|| {
            let of = |flat: &Tensor<1>| download(flat.clone());
            (of(&self.state.ema_parameters), of(&self.state.ema_statistics))
        })?;
        let header = NetworkHeader {
            spec: self.spec.clone(),
            config_hash: info.config_hash.clone(),
            cycle: info.cycle,
            step: self.state.step,
            created_by: info.created_by.clone(),
        };
        let parameters = self.parameters.name_pieces(&parameters);
        let tensors = fold(parameters, &self.statistics.name_pieces(&statistics));
        Ok(NetworkFile { header, tensors })
    }

    fn save(&self) -> Result<Vec<u8>, NetError> {
        let flats = self.choice.guard(|| self.state.download())?;
        let header = Header {
            spec: self.spec.clone(),
            config_hash: self.options.config_hash.clone(),
            step: self.state.step,
        };
        Ok(checkpoint::pack(&header, &flats)?)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), NetError> {
        let (header, flats) = checkpoint::unpack(bytes, &self.spec)?;
        self.state = self.choice.guard(|| State::upload(header.step, flats, &self.device))?;
        Ok(())
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

impl State {
    fn upload(step: u64, flats: Flats, device: &Device) -> Self {
        let [parameters, statistics, ema_parameters, ema_statistics, first, second] =
            flats.map(|flat| upload(flat, device));
        let moments = Moments { first, second };
        Self { step, parameters, statistics, ema_parameters, ema_statistics, moments }
    }

    fn download(&self) -> Flats {
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
}

fn report(batch: &TrainBatch, policy_loss: f32, value_loss: f32) -> LossReport {
    let policy_entropy = losses::policy_entropy(batch);
    LossReport { policy_loss, value_loss, policy_entropy, rows: batch.planes.len }
}

fn check(options: &LearnerOptions) -> Result<(), NetError> {
    let at_least_0 = |x: f64| x.is_finite() && x >= 0.0;
    for (key, value, is_good, allowed) in [
        ("weight_decay", options.weight_decay, at_least_0(options.weight_decay), "0 or more"),
        ("value_weight", options.value_weight, at_least_0(options.value_weight), "0 or more"),
        ("clip_norm", options.clip_norm, options.clip_norm > 0.0, "above 0"),
        ("ema_decay", options.ema_decay, (0.0..1.0).contains(&options.ema_decay), "0 to below 1"),
    ] {
        if !is_good {
            return Err(NetError::BadOption { key, value: value.to_string(), allowed });
        }
    }
    Ok(())
}
