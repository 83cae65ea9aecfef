//! The stage: one turn trains on one cycle's rows.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::Context;
use dz_burn_net::{
    BurnLearner, DeviceChoice, Learner, LearnerOptions, NetError, Optimizer, Precision, ValueLoss,
};
use dz_config::{
    Optimizer as OptimizerWord, RunConfig, TrainingPrecision, ValueLoss as ValueLossWord,
};
use dz_game::Key;
use dz_network_file::NetworkSpec;
use dz_stage::{Spent, StageContext};
use dz_store::Stage;

use crate::checkpoint::Cursor;
use crate::publish::prune_checkpoints;
use crate::rows_of_cycle::open_rows;
use crate::turn::{End, Work};
use crate::{CycleRows, LossGuard, Session, restore};

/// Wall time after which a checkpoint is published within a cycle. A kill loses at most this.
const CHECKPOINT_EVERY: Duration = Duration::from_mins(2);
/// Separates the random stream of the initial weights from others of the same seed.
const WEIGHTS_STREAM: u64 = 0x7765_6967;

/// Makes a fresh learner of a network under a configuration.
pub type MakeLearner =
    Box<dyn Fn(NetworkSpec, &RunConfig) -> Result<Box<dyn Learner>, NetError> + Send>;

/// The state that the turns of a process share.
pub struct Trainer {
    /// How learners are made.
    pub make_learner: MakeLearner,
    /// Wall time between checkpoints within a cycle; it has no part in the results.
    pub checkpoint_every: Duration,
    /// The learner; `None` before the first turn and after a turn that failed.
    session: Option<Session>,
}

/// Finds the device, and removes what a predecessor that was killed right after its turn had not
/// yet removed.
///
/// # Errors
/// If the device is not there, and what the store reports.
pub fn start(context: &mut StageContext) -> anyhow::Result<Trainer> {
    let keep = context.config.storage.checkpoints_keep as usize;
    prune_checkpoints(&context.run, context.ledger.state(), keep)?;
    let (make_learner, devices) = learner_maker(&context.config)?;
    if let Some(note) = dz_burn_net::first_start_note(&devices) {
        context.events.note(Stage::Trainer, note);
    }
    Ok(Trainer::new(make_learner))
}

/// A function that makes learners on the devices of a configuration, and those devices.
pub(crate) fn learner_maker(
    config: &RunConfig,
) -> anyhow::Result<(MakeLearner, Vec<DeviceChoice>)> {
    let devices = dz_burn_net::pick_devices(&config.run.devices_or(&config.training.devices))?;
    let on = devices.clone();
    let make_learner: MakeLearner = Box::new(move |spec, config| {
        let mut options = learner_options(config, on[0]);
        options.cuda_kernels = dz_burn_net::learns_by_cuda_kernels(&on, &spec, options.precision)?;
        let learner = BurnLearner::on(spec, &on, options)?;
        Ok(Box::new(learner))
    });
    Ok((make_learner, devices))
}

/// Trains on the cycle's rows and closes the turn with a candidate.
///
/// # Errors
/// The errors of the store, the rows or the device, and divergence. A requested stop is no error.
pub fn run(trainer: &mut Trainer, context: &mut StageContext, cycle: u32) -> anyhow::Result<()> {
    trainer.turn(context, cycle)
}

impl Trainer {
    /// Trains with learners of this kind.
    pub fn new(make_learner: MakeLearner) -> Self {
        Self { make_learner, checkpoint_every: CHECKPOINT_EVERY, session: None }
    }

    /// See [`run`].
    ///
    /// # Errors
    /// As [`run`].
    pub fn turn(&mut self, context: &mut StageContext, cycle: u32) -> anyhow::Result<()> {
        let spent = Spent::open(&context.run, Stage::Trainer, cycle, Instant::now());
        let identity =
            context.ledger.state().started.clone().context("the run has not begun yet")?;
        let rows = open_rows(context, cycle, &identity)?;
        // A session that fails is not put back: the next turn loads a checkpoint.
        let mut session = match self.session.take() {
            Some(session) => session,
            None => self.load(context, &rows, cycle)?,
        };
        let mut work = Work::new(context, cycle, identity, self.checkpoint_every, spent)?;
        let mut end = work.catch_up(&mut session)?;
        if end == End::Done {
            end = work.train(&mut session, &rows)?;
        }
        if end == End::Done {
            work.finish(&session)?;
        }
        self.session = Some(session);
        Ok(())
    }

    /// A learner from the newest good checkpoint, or a fresh one where there is none.
    fn load(
        &self,
        context: &StageContext,
        rows: &CycleRows,
        cycle: u32,
    ) -> anyhow::Result<Session> {
        let config = &context.config;
        let spec = rows.network_spec(&config.network, config.heads.heads())?;
        let guard = LossGuard::new(&config.alarms, spec.policy_len);
        let unplanned = context.unplanned_config();
        let mut learner = (self.make_learner)(spec, &unplanned)?;
        let config_hash = unplanned.results_hash();
        let restored = restore(&context.run, context.ledger.state(), learner.as_mut())?;
        let Some(restored) = restored else {
            if cycle > 1 {
                context.events.note(
                    Stage::Trainer,
                    format!("no checkpoint before cycle {cycle}: a fresh network is trained"),
                );
            }
            return Ok(Session::new(learner, Cursor::begin(cycle), config_hash, guard));
        };
        for warning in restored.warnings {
            context.events.note(Stage::Trainer, format!("warning: {warning}"));
        }
        Ok(Session::new(learner, restored.cursor, config_hash, guard))
    }
}

impl fmt::Debug for Trainer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trainer").field("session", &self.session).finish_non_exhaustive()
    }
}

fn learner_options(config: &RunConfig, device: DeviceChoice) -> LearnerOptions {
    let training = &config.training;
    let precision = match training.precision {
        TrainingPrecision::Auto => device.learning_precision(),
        TrainingPrecision::F32 => Precision::F32,
        TrainingPrecision::Bf16 => Precision::Bf16,
    };
    LearnerOptions {
        optimizer: match training.optimizer {
            OptimizerWord::AdamW => Optimizer::AdamW,
            OptimizerWord::Sgd => Optimizer::Sgd(training.momentum),
            OptimizerWord::Muon => Optimizer::Muon(training.momentum),
        },
        weight_decay: training.weight_decay,
        clip_norm: training.clip_norm,
        ema_decay: training.ema_decay,
        value_loss: match training.value_loss {
            ValueLossWord::CrossEntropy => ValueLoss::CrossEntropy,
            ValueLossWord::Mse => ValueLoss::Mse,
        },
        value_weight: training.value_weight,
        head_weights: config.heads.weights(),
        precision,
        cuda_kernels: true,
        seed: Key::of_words(&[WEIGHTS_STREAM, config.run.seed]).low,
        config_hash: config.results_hash(),
    }
}
