//! The trait that the trainer drives, and what goes in and out of it.

use dz_infer::EncodedBatch;
use dz_network_file::{Head, NetworkFile, NetworkSpec, PerHead, TargetSource};

use crate::error::NetError;
use crate::precision::Precision;

/// A network in training. Steps, saving and loading are exact: the same rows give the same bytes,
/// with or without a stop in between, on the processor.
///
/// ```
/// use dz_burn_net::{BurnLearner, DeviceChoice, Learner, LearnerOptions, Precision, random_rows};
/// use dz_network_file::NetworkSpec;
///
/// // Two planes of 3x3 points, nine moves, one block of eight channels.
/// let spec = NetworkSpec::plain([2, 3, 3], 9, 1, 8);
/// let options = LearnerOptions::to_measure(Precision::F32);
/// let mut learner = BurnLearner::new(spec.clone(), DeviceChoice::Cpu, options.clone())?;
/// let batch = random_rows(&spec, 32);
/// for _ in 0..20 {
///     learner.step(&batch, 0.01)?;
/// }
///
/// // Another process goes on with the bytes and takes the same steps.
/// let mut resumed = BurnLearner::new(spec, DeviceChoice::Cpu, options)?;
/// resumed.load(&learner.save()?)?;
/// assert_eq!(resumed.step(&batch, 0.01)?, learner.step(&batch, 0.01)?);
/// # Ok::<(), dz_burn_net::NetError>(())
/// ```
pub trait Learner: Send {
    /// What the network is made of.
    fn spec(&self) -> &NetworkSpec;
    /// Returns the steps since the start of the run, including submitted ones.
    fn steps(&self) -> u64;
    /// Learns from a batch of rows of one board.
    ///
    /// # Errors
    /// As [`Learner::step_parts`].
    fn step(&mut self, batch: &TrainBatch, learning_rate: f64) -> Result<StepReport, NetError> {
        self.step_parts(std::slice::from_ref(batch), learning_rate)
    }
    /// Learns from a batch, which has a part for each board that its rows are of. Losses are means
    /// over the rows of all parts, so it does not matter on which board a row is. No board is
    /// padded to the size of another, which makes this cost what the points of the rows cost.
    ///
    /// # Errors
    /// [`NetError::Diverged`] if the loss or gradient is not finite; the weights are then
    /// unchanged.
    fn step_parts(
        &mut self,
        parts: &[TrainBatch],
        learning_rate: f64,
    ) -> Result<StepReport, NetError> {
        self.submit(parts, learning_rate)?;
        let mut last = None;
        // An earlier step that failed is reported before this one.
        while let Some(report) = self.collect() {
            last = Some(report?);
        }
        Ok(last.expect("the step was submitted"))
    }
    /// Returns how many submitted steps may be uncollected while the next batch is prepared: 0 on
    /// the CPU, 1 on a single GPU, which then never waits for the host.
    fn steps_ahead(&self) -> usize;
    /// Starts a training step on a batch as [`Learner::step_parts`] takes it. [`Learner::collect`]
    /// returns the reports in the same order.
    ///
    /// # Errors
    /// [`NetError::BadBatch`] if a part does not fit the network, which only takes other boards
    /// than its own if it is for boards of any size; [`NetError::Device`] if the device fails. No
    /// report follows then.
    fn submit(&mut self, parts: &[TrainBatch], learning_rate: f64) -> Result<(), NetError>;
    /// Waits for the oldest submitted step and returns its report. Returns `None` if there is no
    /// such step. The report is [`NetError::Diverged`] if a loss or the gradient is not finite. The
    /// batch has then changed no weights.
    fn collect(&mut self) -> Option<Result<StepReport, NetError>>;
    /// The weights that play (moving average, batch norm folded), made ready to be examined on
    /// batches.
    fn examiner(&self) -> Result<Box<dyn Examiner + '_>, NetError>;
    /// What those weights come to on one batch.
    fn evaluate(&self, batch: &TrainBatch) -> Result<EvaluationReport, NetError> {
        self.examiner()?.evaluate(batch)
    }
    /// The weights that play, as stages exchange them.
    fn export(&self, info: &ExportInfo) -> Result<NetworkFile, NetError>;
    /// Everything needed to go on, in one file's bytes.
    fn save(&self) -> Result<Vec<u8>, NetError>;
    /// Goes on from what [`Learner::save`] gave.
    ///
    /// # Errors
    /// [`NetError::File`] if the bytes are damaged, of another kind or format, or of another
    /// network; the learner is then unchanged.
    fn load(&mut self, bytes: &[u8]) -> Result<(), NetError>;
}

/// Examines the weights that play; changes nothing.
pub trait Examiner {
    /// Losses and accuracies on a batch.
    fn evaluate(&self, batch: &TrainBatch) -> Result<EvaluationReport, NetError>;
}

/// Rows of one board to learn from: B of them.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainBatch {
    /// Bit-packed planes and globals.
    pub planes: EncodedBatch,
    /// Target probabilities `[B, A]`, each row summing to 1.
    pub policy: Vec<f32>,
    /// Target chances of win, draw and loss of the player to move, `[B, 3]`.
    pub wdl: Vec<f32>,
    /// How much each row's policy counts, `[B]`, 0 or more.
    pub policy_weights: Vec<f32>,
    /// How much each row's outcome counts, `[B]`, 0 or more.
    pub value_weights: Vec<f32>,
    /// Targets of heads beside policy and value; empty where the network has no such head.
    pub heads: PerHead<HeadRows>,
}

/// A head's targets for B rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadRows {
    /// `[B, target_len]`, see [`NetworkSpec::target_len`]: probabilities, or a number of plies or
    /// points. Empty unless [`Head::is_in_rows`].
    pub targets: Vec<f32>,
    /// How much each row counts, `[B]`, 0 or more. Empty unless [`Head::is_in_rows`]. Rows of other
    /// heads count as [`TargetSource`] says.
    pub weights: Vec<f32>,
}

impl TrainBatch {
    /// How much each row counts in a head's loss, `[B]`.
    pub fn head_weights(&self, head: Head) -> &[f32] {
        match head.target() {
            TargetSource::InRows(_) => &self.heads[head].weights,
            TargetSource::OfPolicy => &self.policy_weights,
            TargetSource::OfShortTerm => &self.heads[Head::ShortTerm].weights,
        }
    }
}

/// What turns gradients into steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Optimizer {
    /// Loshchilov and Hutter 2019 (arXiv:1711.05101).
    AdamW,
    /// Gradient descent with this momentum, in `[0, 1)`.
    Sgd(f64),
    /// Jordan 2024 with this momentum, in `[0, 1)`, for the convolutions behind the first; `AdamW`
    /// elsewhere.
    Muon(f64),
}

impl Optimizer {
    /// Its name in checkpoints.
    pub fn name(self) -> &'static str {
        match self {
            Self::AdamW => "adamw",
            Self::Sgd(_) => "sgd",
            Self::Muon(_) => "muon",
        }
    }
}

/// What the value learns by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueLoss {
    /// Cross-entropy of win, draw and loss, in nats.
    #[default]
    CrossEntropy,
    /// `(v - z)^2`, where v and z are win less loss of answer and target (Silver et al. 2017,
    /// equation 1). It does not distinguish a sure draw from win and loss of equal chance.
    Mse,
}

/// How a network learns; what changes from step to step is passed to [`Learner::step`].
#[derive(Clone, Debug, PartialEq)]
pub struct LearnerOptions {
    /// What turns gradients into steps.
    pub optimizer: Optimizer,
    /// Decoupled weight decay on weights of convolutions and linear layers, 0 or more.
    pub weight_decay: f64,
    /// Gradients whose Euclidean norm over all parameters is larger are scaled down to it; above 0.
    pub clip_norm: f64,
    /// Share of the old value that the moving average keeps at a step, in `[0, 1)`. Early on it
    /// keeps less: (1 + step) / (10 + step).
    pub ema_decay: f64,
    /// What the value learns by.
    pub value_loss: ValueLoss,
    /// What the value's loss counts beside the policy's, 0 or more.
    pub value_weight: f64,
    /// Weight of each head's loss, 0 or more; of no effect for heads that the network does not
    /// have.
    pub head_weights: PerHead<f64>,
    /// What products take their factors in, forward and backward: [`Precision::F32`] or
    /// [`Precision::Bf16`]. Weights, optimizer, batch norm and losses have 32 bits in any case.
    pub precision: Precision,
    /// Whether our CUDA kernels compute convolutions and their batch norm, in [`Precision::Bf16`],
    /// where they fit the network. [`crate::learns_by_cuda_kernels`] checks them on the device.
    pub cuda_kernels: bool,
    /// Seed of the initial weights.
    pub seed: u64,
    /// Hash of the run's configuration, kept in checkpoints.
    pub config_hash: String,
}

impl LearnerOptions {
    /// What a device is checked and timed with: `AdamW` with clipping, no heads, one seed.
    pub fn to_measure(precision: Precision) -> Self {
        Self {
            optimizer: Optimizer::AdamW,
            weight_decay: 1e-4,
            clip_norm: 10.0,
            ema_decay: 0.99,
            value_loss: ValueLoss::CrossEntropy,
            value_weight: 1.0,
            head_weights: PerHead::default(),
            precision,
            cuda_kernels: true,
            seed: 1,
            config_hash: "measurement".to_owned(),
        }
    }

    /// Checks that each option is in its range.
    pub(crate) fn check(&self) -> Result<(), NetError> {
        let at_least_0 = |x: f64| x.is_finite() && x >= 0.0;
        let momentum = match self.optimizer {
            Optimizer::AdamW => 0.0,
            Optimizer::Sgd(momentum) | Optimizer::Muon(momentum) => momentum,
        };
        for (key, value, is_good, allowed) in [
            ("momentum", momentum, (0.0..1.0).contains(&momentum), "0 to below 1"),
            ("weight_decay", self.weight_decay, at_least_0(self.weight_decay), "0 or more"),
            ("value_weight", self.value_weight, at_least_0(self.value_weight), "0 or more"),
            ("clip_norm", self.clip_norm, self.clip_norm > 0.0, "above 0"),
            ("ema_decay", self.ema_decay, (0.0..1.0).contains(&self.ema_decay), "0 to below 1"),
        ] {
            if !is_good {
                return Err(NetError::BadOption { key, value: value.to_string(), allowed });
            }
        }
        if let Some((_, weight)) = self.head_weights.iter().find(|(_, w)| !at_least_0(**w)) {
            let key = "head_weights";
            let value = weight.to_string();
            return Err(NetError::BadOption { key, value, allowed: "0 or more" });
        }
        if self.precision == Precision::F16 {
            // Small gradients vanish in it unless losses are scaled, which nothing here does.
            let key = "precision";
            let value = self.precision.to_string();
            return Err(NetError::BadOption { key, value, allowed: "f32 or bf16" });
        }
        Ok(())
    }
}

/// What a step saw, before it changed the weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Losses on the batch, with the weights in training.
    pub losses: LossReport,
    /// Euclidean norm of the gradient before clipping.
    pub gradient_norm: f32,
    /// Whether it was clipped.
    pub clipped: bool,
}

/// Losses, means over the rows by their weights.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossReport {
    /// Cross-entropy of the policy in nats; at least `policy_entropy`.
    pub policy_loss: f32,
    /// What the value learns by: cross-entropy of win, draw and loss in nats, or squared error.
    pub value_loss: f32,
    /// Squared error of win less loss, scaled by 1/4 to 0 to 1 (Silver et al. 2016, 2017).
    pub value_mse: f32,
    /// Entropy of the policy targets: the loss of a perfect imitator.
    pub policy_entropy: f32,
    /// Losses of the network's heads: cross-entropies in nats, Huber losses of plies left and
    /// margin.
    pub heads: PerHead<Option<f32>>,
    /// Rows, B.
    pub rows: usize,
}

/// How the weights that play do on a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EvaluationReport {
    /// Losses.
    pub losses: LossReport,
    /// Share of the policy's weight on rows whose most likely policy index is the target's, 0 to 1.
    pub policy_accuracy: f32,
    /// Share of the policy's weight on rows whose target is among the five most likely policy
    /// indices, 0 to 1.
    pub policy_top5_accuracy: f32,
    /// Share of the value's weight on rows whose most likely outcome is the target's, 0 to 1.
    pub value_accuracy: f32,
}

/// Metadata of an exported file beside its specification and step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportInfo {
    /// Hash of the run's effective configuration.
    pub config_hash: String,
    /// The cycle that trained it, from 1.
    pub cycle: u32,
    /// Program and version.
    pub created_by: String,
}
