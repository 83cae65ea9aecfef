//! The learner on Burn.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use burn::tensor::Tensor;
use dz_cpu_net::Trunk;
use dz_network_file::{NetworkFile, NetworkHeader, NetworkSpec, TensorData};

use crate::cuda::Reading;
use crate::cuda::adam_step::{AdamStep, StepTensors};
use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::infer::runner::on_lane;
use crate::model::convolution::ConvMethod;
use crate::model::tower::Tower;
use crate::precision::Precision;
use crate::tensors::{Tensors, download, upload};
use crate::train::board_passes::BoardPasses;
use crate::train::card_step::CardStep;
use crate::train::checkpoint::Header;
use crate::train::convolution_choice::method_to_learn;
use crate::train::fold_batch_norm::fold;
use crate::train::layout::Layout;
use crate::train::learner::{
    EvaluationReport, Examiner, ExportInfo, Learner, LearnerOptions, LossReport, Optimizer,
    StepReport, TrainBatch,
};
use crate::train::optimizer::{Update, blend, clip_scale, ema_share};
use crate::train::state::State;
use crate::train::step::{BatchPasses, Part, Pass};
use crate::train::{checkpoint, losses};

/// Share of the old running mean and variance that a step keeps; 0.9 as in Ioffe and Szegedy's
/// successors (momentum 0.1 of `PyTorch`).
const STATISTICS_SHARE: f64 = 0.9;

/// The lane of learners on a GPU. Evaluators use the first few lanes.
const LANE: usize = 32;

/// Trains a network on a device, or on several that share each batch.
#[derive(Debug)]
pub struct BurnLearner {
    options: LearnerOptions,
    passes: Arc<BatchPasses>,
    boards: BoardPasses,
    statistics: Layout,
    /// Weight decay of each parameter, `[N]`.
    weight_decay: Tensor<1>,
    state: State,
    /// The buffers and the CUDA graph of a step, once there was a step on a single GPU.
    card: Option<CardStep>,
    /// Submitted steps whose reports are not collected yet, oldest first.
    pending: VecDeque<Pending>,
}

/// A submitted step.
#[derive(Debug)]
enum Pending {
    Done(Result<StepReport, NetError>),
    OnCard(CardReport),
}

/// The report of a step on a GPU, in the making.
#[derive(Debug)]
struct CardReport {
    /// Losses, then the gradient norm.
    numbers: Reading,
    step: u64,
    policy_entropy: f32,
    rows: usize,
}

impl BurnLearner {
    /// A fresh network, initialised from `options.seed`.
    ///
    /// # Errors
    /// As [`BurnLearner::on`].
    pub fn new(
        spec: NetworkSpec,
        choice: DeviceChoice,
        options: LearnerOptions,
    ) -> Result<Self, NetError> {
        Self::on(spec, &[choice], options)
    }

    /// A fresh network on devices that share each batch, their gradients summed; the optimizer is
    /// on the first.
    ///
    /// # Errors
    /// [`NetError::File`] for an impossible specification, [`NetError::BadOption`] for an option
    /// out of range or no devices.
    pub fn on(
        spec: NetworkSpec,
        choices: &[DeviceChoice],
        options: LearnerOptions,
    ) -> Result<Self, NetError> {
        spec.validate()?;
        options.check()?;
        let devices: Vec<_> = choices.iter().map(|choice| (*choice, choice.open())).collect();
        let Some((first, home)) = devices.first().cloned() else {
            let key = "devices";
            let value = "none".to_owned();
            return Err(NetError::BadOption { key, value, allowed: "one or more" });
        };
        let layout = Layout::of_parameters(&spec);
        let statistics = Layout::of_statistics(&spec);
        let values = layout.initial(options.seed);
        let start = statistics.initial(options.seed);
        let zeros = vec![0.0; values.len()];
        let decay = layout.decayed().iter().map(|d| d * options.weight_decay as f32).collect();
        let flats = [values.clone(), start.clone(), values, start, zeros.clone(), zeros];
        let (state, weight_decay) =
            guard(first, || (State::upload(0, flats, &home), upload(decay, &home)))?;
        let precision = options.precision;
        let LearnerOptions { value_loss, value_weight, .. } = options;
        let head_weights = options.head_weights;
        let ours = first == DeviceChoice::Cpu && precision == Precision::F32;
        let trunk = ours.then(|| Trunk::new(&spec)).flatten();
        let passes = BatchPasses {
            convolve: method_to_learn(&devices, &spec, &options),
            spec,
            layout,
            devices,
            precision,
            value_loss,
            value_weight,
            head_weights,
            trunk,
            boards: Mutex::default(),
        };
        let passes = Arc::new(passes);
        Ok(Self {
            boards: BoardPasses::new(&passes, &options),
            options,
            passes,
            statistics,
            weight_decay,
            state,
            card: None,
            pending: VecDeque::new(),
        })
    }

    /// Whether 3x3 convolutions are worked out by our kernels for cards.
    pub fn has_cuda_kernels(&self) -> bool {
        self.passes.convolve == ConvMethod::CudaKernel
    }

    /// Returns `Ok` if steps are replayed as a CUDA graph, else the reason why not. Returns `None`
    /// before the first step, and for anything but `AdamW` by our kernels on a single GPU.
    pub fn has_cuda_graph(&self) -> Option<Result<(), &str>> {
        self.card.as_ref().map(CardStep::is_recorded)
    }

    /// Runs `work`; Burn's panics become errors.
    fn guard<T>(&self, work: impl FnOnce() -> T) -> Result<T, NetError> {
        guard(self.passes.devices[0].0, work)
    }

    /// Whether a step updates the weights in place on a single GPU, by our kernels.
    fn steps_on_card(&self) -> bool {
        self.has_adam_kernel() && self.passes.devices.len() == 1
    }

    fn has_adam_kernel(&self) -> bool {
        self.has_cuda_kernels() && self.options.optimizer == Optimizer::AdamW
    }

    /// The optimizer settings of the next step.
    fn adam_step(&self, learning_rate: f64) -> AdamStep {
        let LearnerOptions { clip_norm, ema_decay, .. } = self.options;
        let step = self.state.step + 1;
        let average_share = ema_share(ema_decay, step);
        AdamStep::new(step, learning_rate, clip_norm, average_share, STATISTICS_SHARE)
    }

    /// Queues a step on the GPU, and the copy of its losses to the host.
    fn submit_on_card(&mut self, batch: &TrainBatch, learning_rate: f64) -> Result<(), NetError> {
        let step = self.adam_step(learning_rate);
        let choice = self.passes.devices[0].0;
        let rows = batch.planes.len;
        let Self { passes, state, weight_decay, card, .. } = self;
        let numbers = guard(choice, || {
            // Buffers and graph belong to one batch size.
            card.take_if(|card| !card.is_of(rows));
            let card =
                card.get_or_insert_with(|| CardStep::new(passes, state, weight_decay, batch));
            let made = card.make(passes, state, weight_decay, batch, step);
            made.map(|()| card.read_numbers())
        })?;
        let numbers = numbers.map_err(|reason| choice.failed(&reason))?;
        state.step += 1;
        let step = state.step;
        let policy_entropy = losses::mean_entropy(&batch.policy, &batch.policy_weights);
        let report = CardReport { numbers, step, policy_entropy, rows };
        self.pending.push_back(Pending::OnCard(report));
        Ok(())
    }

    /// Waits for a step on the GPU.
    fn collect_from_card(&self, report: CardReport) -> Result<StepReport, NetError> {
        let CardReport { numbers, step, policy_entropy, rows } = report;
        let choice = self.passes.devices[0].0;
        let read = self.guard(|| numbers.wait())?;
        let numbers = read.map_err(|reason| choice.failed(&reason))?;
        let (norm, losses) = numbers.split_last().expect("norm and losses are numbers");
        let losses = self.passes.loss_report(losses, policy_entropy, rows);
        self.report(losses, *norm, step)
    }

    /// Makes the report of step number `step`, or an error if a number is not finite.
    fn report(
        &self,
        losses: LossReport,
        gradient_norm: f32,
        step: u64,
    ) -> Result<StepReport, NetError> {
        let LossReport { policy_loss, value_loss, .. } = losses;
        if !(policy_loss.is_finite() && value_loss.is_finite() && gradient_norm.is_finite()) {
            return Err(NetError::Diverged { step, policy_loss, value_loss, gradient_norm });
        }
        let clipped = f64::from(gradient_norm) > self.options.clip_norm;
        Ok(StepReport { losses, gradient_norm, clipped })
    }

    /// Makes a step and waits for it.
    fn step_now(&mut self, parts: &[Part<'_>], learning_rate: f64) -> Result<StepReport, NetError> {
        let pass = self.guard(|| self.passes.learn(parts, &self.state.parameters))?;
        let report = self.report(pass.losses, pass.gradient_norm, self.state.step + 1)?;
        self.state = self.guard(|| self.apply(pass, learning_rate))?;
        Ok(report)
    }

    /// The weights that play, batch norm folded, with all heads.
    fn folded(&self) -> Result<BTreeMap<String, TensorData>, NetError> {
        let (parameters, statistics) = self.guard(|| {
            let of = |flat: &Tensor<1>| download(flat.clone());
            (of(&self.state.ema_parameters), of(&self.state.ema_statistics))
        })?;
        let parameters = self.passes.layout.name_pieces(&parameters);
        Ok(fold(parameters, &self.statistics.name_pieces(&statistics)))
    }

    fn apply(&self, pass: Pass, learning_rate: f64) -> State {
        let Pass { gradient, gradient_norm, .. } = pass;
        let mut state = self.state.clone();
        state.step += 1;
        if self.has_adam_kernel() {
            let settings = self.adam_step(learning_rate).settings().to_vec();
            let home = self.passes.home();
            let numbers = upload(vec![gradient_norm], home);
            let step = StepTensors { settings: upload(settings, home), numbers };
            state.step_in_place(gradient.flat, gradient.statistics, &self.weight_decay, &step);
            return state;
        }
        let update = Update {
            step: state.step,
            learning_rate,
            gradient_scale: clip_scale(f64::from(gradient_norm), self.options.clip_norm),
            weight_decay: self.weight_decay.clone(),
        };
        let share = ema_share(self.options.ema_decay, state.step);
        let parameters = state.parameters;
        let moments = &mut state.moments;
        state.parameters = match self.options.optimizer {
            Optimizer::AdamW => moments.update(parameters, gradient.flat, &update),
            Optimizer::Sgd(momentum) => {
                moments.update_sgd(parameters, gradient.flat, &update, momentum)
            }
            Optimizer::Muon(momentum) => {
                let layout = &self.passes.layout;
                moments.update_muon(&parameters, &gradient.flat, &update, momentum, layout)
            }
        };
        state.ema_parameters = blend(state.ema_parameters, state.parameters.clone(), share);
        state.statistics = blend(state.statistics, gradient.statistics, STATISTICS_SHARE);
        state.ema_statistics = blend(state.ema_statistics, state.statistics.clone(), share);
        state
    }
}

impl Learner for BurnLearner {
    fn spec(&self) -> &NetworkSpec {
        &self.passes.spec
    }

    fn steps(&self) -> u64 {
        self.state.step
    }

    fn steps_ahead(&self) -> usize {
        usize::from(self.steps_on_card())
    }

    fn submit(&mut self, parts: &[TrainBatch], learning_rate: f64) -> Result<(), NetError> {
        if parts.iter().all(|part| part.planes.len == 0) {
            return Err(NetError::BadBatch { what: "it has no rows".to_owned() });
        }
        let parts: Vec<&TrainBatch> = parts.iter().filter(|part| part.planes.len > 0).collect();
        let passes: Vec<_> =
            parts.iter().map(|part| self.boards.of(part)).collect::<Result<_, _>>()?;
        if let ([batch], [own]) = (parts.as_slice(), passes.as_slice())
            && self.steps_on_card()
            && Arc::ptr_eq(own, &self.passes)
        {
            return self.submit_on_card(batch, learning_rate);
        }
        // The CUDA graph is of the tensors before this step.
        self.card = None;
        let parts: Vec<Part<'_>> =
            passes.iter().zip(parts).map(|(passes, batch)| Part { passes, batch }).collect();
        let report = self.step_now(&parts, learning_rate);
        self.pending.push_back(Pending::Done(report));
        Ok(())
    }

    fn collect(&mut self) -> Option<Result<StepReport, NetError>> {
        Some(match self.pending.pop_front()? {
            Pending::Done(report) => report,
            Pending::OnCard(report) => self.collect_from_card(report),
        })
    }

    fn examiner(&self) -> Result<Box<dyn Examiner + '_>, NetError> {
        let tensors = self.folded()?;
        let tower = self.guard(|| {
            let upload = |t: TensorData| upload(t.data, self.passes.home());
            let tensors = tensors.into_iter().map(|(name, tensor)| (name, upload(tensor)));
            Tower::new(&self.passes.spec, &tensors.collect::<Tensors>().into())
        })?;
        Ok(Box::new(Examination { learner: self, tower }))
    }

    fn export(&self, info: &ExportInfo) -> Result<NetworkFile, NetError> {
        let spec = self.passes.spec.exported();
        let mut tensors = self.folded()?;
        let shapes = spec.tensor_shapes();
        tensors.retain(|name, _| shapes.contains_key(name));
        let header = NetworkHeader {
            spec,
            config_hash: info.config_hash.clone(),
            cycle: info.cycle,
            step: self.state.step,
            created_by: info.created_by.clone(),
        };
        Ok(NetworkFile { header, tensors })
    }

    fn save(&self) -> Result<Vec<u8>, NetError> {
        let flats = self.guard(|| self.state.download())?;
        let header = Header {
            spec: self.passes.spec.clone(),
            config_hash: self.options.config_hash.clone(),
            step: self.state.step,
            optimizer: self.options.optimizer.name().to_owned(),
        };
        Ok(checkpoint::pack(&header, &flats)?)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), NetError> {
        let (header, flats) = checkpoint::unpack(bytes, &self.passes.spec, self.options.optimizer)?;
        self.state = self.guard(|| State::upload(header.step, flats, self.passes.home()))?;
        // The CUDA graph works on the previous tensors.
        self.card = None;
        Ok(())
    }
}

/// The weights that play, folded and on the device.
struct Examination<'a> {
    learner: &'a BurnLearner,
    tower: Tower,
}

impl Examiner for Examination<'_> {
    fn evaluate(&self, batch: &TrainBatch) -> Result<EvaluationReport, NetError> {
        let Self { learner, tower } = self;
        let passes = learner.boards.of(batch)?;
        learner.guard(|| passes.examine(tower, batch))
    }
}

/// Runs `work` and turns Burn's panics into errors. On a GPU all work of learners goes to one
/// stream, from any thread, because a CUDA graph records a single stream.
fn guard<T>(choice: DeviceChoice, work: impl FnOnce() -> T) -> Result<T, NetError> {
    choice.guard(|| match choice {
        DeviceChoice::Cpu => work(),
        DeviceChoice::Cuda(_) => on_lane(LANE, work),
    })
}
