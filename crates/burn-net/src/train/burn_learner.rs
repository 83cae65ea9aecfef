//! The learner on Burn.

use std::collections::BTreeMap;
use std::sync::Mutex;

use burn::tensor::{Device, Tensor};
use dz_cpu_net::Trunk;
use dz_network_file::{NetworkFile, NetworkHeader, NetworkSpec, TensorData};

use crate::cuda;
use crate::cuda::adam_step::AdamFlats;
use crate::device::choice::DeviceChoice;
use crate::error::NetError;
use crate::model::convolution::ConvMethod;
use crate::model::tower::Tower;
use crate::precision::Precision;
use crate::tensors::{Tensors, download, upload};
use crate::train::checkpoint::{Flats, Header};
use crate::train::convolution_choice::method_to_learn;
use crate::train::fold_batch_norm::fold;
use crate::train::layout::Layout;
use crate::train::learner::{
    EvaluationReport, Examiner, ExportInfo, Learner, LearnerOptions, LossReport, Optimizer,
    StepReport, TrainBatch,
};
use crate::train::optimizer::{Moments, Update, blend, clip_scale, ema_share};
use crate::train::step::{BatchPasses, Pass};
use crate::train::{checkpoint, losses};

/// Share of the old running mean and variance that a step keeps; 0.9 as in Ioffe and Szegedy's
/// successors (momentum 0.1 of `PyTorch`).
const STATISTICS_SHARE: f64 = 0.9;

/// Trains a network on a device, or on several that share each batch.
#[derive(Debug)]
pub struct BurnLearner {
    options: LearnerOptions,
    passes: BatchPasses,
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
        check(&options)?;
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
            first.guard(|| (State::upload(0, flats, &home), upload(decay, &home)))?;
        let precision = options.precision;
        let value_weight = options.value_weight;
        let head_weights = options.head_weights;
        let ours = first == DeviceChoice::Cpu && precision == Precision::F32;
        let trunk = ours.then(|| Trunk::new(&spec)).flatten();
        let passes = BatchPasses {
            convolve: method_to_learn(&devices, &spec, &options),
            spec,
            layout,
            devices,
            precision,
            value_weight,
            head_weights,
            trunk,
            boards: Mutex::default(),
        };
        Ok(Self { options, passes, statistics, weight_decay, state })
    }

    /// Whether 3x3 convolutions are worked out by kernels of our own for cards.
    pub fn has_cuda_kernels(&self) -> bool {
        self.passes.convolve == ConvMethod::CudaKernel
    }

    /// Runs `work`; Burn's panics become errors.
    fn guard<T>(&self, work: impl FnOnce() -> T) -> Result<T, NetError> {
        self.passes.devices[0].0.guard(work)
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
        let mut state = self.state.clone();
        state.step += 1;
        let update = Update {
            step: state.step,
            learning_rate,
            gradient_scale: clip_scale(f64::from(pass.gradient_norm), self.options.clip_norm),
            weight_decay: self.weight_decay.clone(),
        };
        let cuda_kernels = self.has_cuda_kernels();
        let gradient = pass.gradient.flat;
        let blend = if cuda_kernels { cuda::blend } else { blend };
        let share = ema_share(self.options.ema_decay, state.step);
        if cuda_kernels && matches!(self.options.optimizer, Optimizer::AdamW) {
            state = state.stepped_by_kernel(gradient, &update, share);
        } else {
            let parameters = state.parameters;
            let moments = &mut state.moments;
            state.parameters = match self.options.optimizer {
                Optimizer::AdamW => moments.update(parameters, gradient, &update),
                Optimizer::Sgd(momentum) => {
                    moments.update_sgd(parameters, gradient, &update, momentum)
                }
                Optimizer::Muon(momentum) => {
                    let layout = &self.passes.layout;
                    moments.update_muon(&parameters, &gradient, &update, momentum, layout)
                }
            };
            state.ema_parameters = blend(state.ema_parameters, state.parameters.clone(), share);
        }
        state.statistics = blend(state.statistics, pass.gradient.statistics, STATISTICS_SHARE);
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

    fn step(&mut self, batch: &TrainBatch, learning_rate: f64) -> Result<StepReport, NetError> {
        losses::check(batch, &self.passes.spec)?;
        let pass = self.guard(|| self.passes.learn(batch, &self.state.parameters))?;
        let losses = pass.losses;
        let gradient_norm = pass.gradient_norm;
        let LossReport { policy_loss, value_loss, .. } = losses;
        if !(policy_loss.is_finite() && value_loss.is_finite() && gradient_norm.is_finite()) {
            let step = self.state.step + 1;
            return Err(NetError::Diverged { step, policy_loss, value_loss, gradient_norm });
        }
        self.state = self.guard(|| self.apply(pass, learning_rate))?;
        let clipped = f64::from(gradient_norm) > self.options.clip_norm;
        Ok(StepReport { losses, gradient_norm, clipped })
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
        losses::check(batch, &learner.passes.spec)?;
        learner.guard(|| learner.passes.examine(tower, batch))
    }
}

impl State {
    fn upload(step: u64, flats: Flats, device: &Device) -> Self {
        let [parameters, statistics, ema_parameters, ema_statistics, first, second] =
            flats.map(|flat| upload(flat, device));
        let moments = Moments { first, second };
        Self { step, parameters, statistics, ema_parameters, ema_statistics, moments }
    }

    /// After a step of `AdamW`: parameters, their average and moments.
    fn stepped_by_kernel(self, gradient: Tensor<1>, update: &Update, average_share: f64) -> Self {
        let parameters = self.parameters;
        let average = self.ema_parameters;
        let Moments { first, second } = self.moments;
        let flats = AdamFlats { parameters, first, second, average };
        let AdamFlats { parameters, first, second, average } =
            update.cuda_kernels(flats, gradient, average_share);
        let moments = Moments { first, second };
        Self { parameters, moments, ema_parameters: average, ..self }
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

fn check(options: &LearnerOptions) -> Result<(), NetError> {
    let at_least_0 = |x: f64| x.is_finite() && x >= 0.0;
    let momentum = match options.optimizer {
        Optimizer::AdamW => 0.0,
        Optimizer::Sgd(momentum) | Optimizer::Muon(momentum) => momentum,
    };
    for (key, value, is_good, allowed) in [
        ("momentum", momentum, (0.0..1.0).contains(&momentum), "0 to below 1"),
        ("weight_decay", options.weight_decay, at_least_0(options.weight_decay), "0 or more"),
        ("value_weight", options.value_weight, at_least_0(options.value_weight), "0 or more"),
        ("clip_norm", options.clip_norm, options.clip_norm > 0.0, "above 0"),
        ("ema_decay", options.ema_decay, (0.0..1.0).contains(&options.ema_decay), "0 to below 1"),
    ] {
        if !is_good {
            return Err(NetError::BadOption { key, value: value.to_string(), allowed });
        }
    }
    if let Some((_, weight)) = options.head_weights.iter().find(|(_, w)| !at_least_0(**w)) {
        let key = "head_weights";
        let value = weight.to_string();
        return Err(NetError::BadOption { key, value, allowed: "0 or more" });
    }
    if options.precision == Precision::F16 {
        // Small gradients vanish in it unless losses are scaled, which nothing here does.
        let key = "precision";
        let value = options.precision.to_string();
        return Err(NetError::BadOption { key, value, allowed: "f32 or bf16" });
    }
    Ok(())
}
