//! One turn: training on missed cycles and on the cycle's rows, validation, candidate.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::bail;
use dz_burn_net::NetError;
use dz_config::RunSection;
use dz_network_file::{Head, PerHead};
use dz_shard::RowSet;
use dz_stage::{Progress, Rates, Spent, StageContext, count_text, number_text};
use dz_store::{HeadLoss, Losses, MetricsWriter, RunInfo, RunState, Stage};

use crate::publish::{prune_checkpoints, publish_candidate, publish_checkpoint};
use crate::rows_of_cycle::{open_rows, rows_state};
use crate::{
    BatchMaker, CycleRows, Exploded, Feed, FeedPlan, LearningRate, Mean, Session, StepMetrics,
    Validation, validate, value_mix,
};

/// Rows of a validation batch, unless a training batch has more.
const VALIDATION_BATCH: usize = 1024;

/// How a piece of training ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// All rows are trained on.
    Done,
    /// A stop was requested. A checkpoint is published unless its losses are too high to resume
    /// from.
    Stopped,
}

/// A turn in progress.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    context: &'a mut StageContext,
    /// The cycle whose turn it is.
    cycle: u32,
    identity: RunInfo,
    metrics: MetricsWriter,
    checkpoint_every: Duration,
    checkpointed: Instant,
    spent: Spent,
    /// Rows trained on, and the time that took with waiting for rows, in this process.
    rows: u64,
    training: Duration,
}

impl<'a> Work<'a> {
    /// The turn in `cycle`.
    pub(crate) fn new(
        context: &'a mut StageContext,
        cycle: u32,
        identity: RunInfo,
        checkpoint_every: Duration,
        spent: Spent,
    ) -> anyhow::Result<Self> {
        let metrics = MetricsWriter::open(&context.run, Stage::Trainer)?;
        let now = Instant::now();
        let training = Duration::ZERO;
        let checkpointed = now;
        let rows = 0;
        Ok(Self {
            context,
            cycle,
            identity,
            metrics,
            checkpoint_every,
            checkpointed,
            spent,
            rows,
            training,
        })
    }

    /// Brings a session from an earlier cycle to the start of this one. If an older checkpoint had
    /// to be loaded, the cycles since then are trained again where their rows still exist, which
    /// gives the same weights as before.
    pub(crate) fn catch_up(&mut self, session: &mut Session) -> anyhow::Result<End> {
        while session.cursor.cycle < self.cycle {
            let earlier = session.cursor.cycle;
            if !session.cursor.is_cycle_done {
                match open_rows(self.context, earlier, &self.identity) {
                    Ok(rows) => {
                        self.note(format!("training on the rest of cycle {earlier} again"));
                        if self.train(session, &rows)? == End::Stopped {
                            return Ok(End::Stopped);
                        }
                    }
                    Err(error) => {
                        self.note(format!(
                            "warning: steps of cycle {earlier} are lost, its rows are gone ({error:#})"
                        ));
                        session.cursor.is_cycle_done = true;
                    }
                }
            }
            session.next_cycle()?;
        }
        if session.cursor.cycle > self.cycle {
            bail!(
                "the checkpoint is of cycle {}, but it is cycle {}'s turn: records are missing from \
                 the ledger; restore them from a copy of the run",
                session.cursor.cycle,
                self.cycle
            );
        }
        Ok(End::Done)
    }

    /// Trains on what is left of the session's cycle.
    pub(crate) fn train(&mut self, session: &mut Session, rows: &CycleRows) -> anyhow::Result<End> {
        if session.cursor.is_cycle_done {
            return Ok(End::Done);
        }
        let config = &self.context.config;
        // An earlier cycle may be trained again, so this need not be the turn's cycle.
        let cycles = self.context.cycles_for(session.cursor.cycle);
        let rate = LearningRate::new(&config.training, cycles);
        if rows.boards.is_empty() {
            return self.skip(session);
        }
        let mut feed = self.feed(session, rows)?;
        self.checkpointed = Instant::now();
        let begun = Instant::now();
        let rows_before = self.rows;
        let training_before = self.training;
        let first = session.cursor.rows_done;
        while let Some(prepared) = feed.next_batch()? {
            session
                .submit(prepared, &rate, rows.rows)
                .map_err(|error| explain(error, self.context.ledger.state()))?;
            let is_last = feed.is_finished();
            let is_stopped = self.context.stop.requested();
            let is_checkpoint_due = self.checkpointed.elapsed() >= self.checkpoint_every;
            let pauses = is_last || is_stopped || is_checkpoint_due;
            // The next batch is prepared while the device works on this step.
            let ahead = if pauses { 0 } else { session.learner.steps_ahead() };
            while session.in_flight() > ahead {
                let metrics = session
                    .collect()
                    .map_err(|error| explain(error, self.context.ledger.state()))?;
                self.metrics.write(&metrics)?;
                self.rows = rows_before + session.cursor.rows_done - first;
                self.training = training_before + begun.elapsed();
                self.progress(&metrics, rows.rows);
                self.spent.note(|| ());
            }
            if is_last {
                break;
            }
            // No checkpoint is published above the limit of the loss guard.
            let is_good = !session.guard.is_above();
            if is_stopped {
                if is_good {
                    self.publish_checkpoint(session)?;
                }
                self.spent.note_last(());
                return Ok(End::Stopped);
            }
            if is_good && is_checkpoint_due {
                self.publish_checkpoint(session)?;
            }
        }
        if session.cursor.tally.steps == 0 {
            self.note(format!(
                "warning: cycle {} has {} training rows, fewer than a batch of {}: nothing was \
                 trained; more selfplay.games or a smaller training.batch changes that",
                session.cursor.cycle, rows.rows, self.context.config.training.batch
            ));
        }
        let ended = session.guard.end_cycle().map_err(anyhow::Error::from);
        ended.map_err(|error| explain(error, self.context.ledger.state()))?;
        session.cursor.is_cycle_done = true;
        self.publish_checkpoint(session)?;
        Ok(End::Done)
    }

    /// Ends a cycle that has no row to train on: the network stays as it is.
    fn skip(&mut self, session: &mut Session) -> anyhow::Result<End> {
        self.note(format!(
            "warning: nothing was trained in cycle {}: all its new games are for validation \
             (window.validation_share); the network stays as it is, more selfplay.games a cycle avoid that",
            session.cursor.cycle
        ));
        session.cursor.is_cycle_done = true;
        self.publish_checkpoint(session)?;
        Ok(End::Done)
    }

    /// Measures the weights that play, publishes them, and ends the turn.
    pub(crate) fn finish(mut self, session: &Session) -> anyhow::Result<()> {
        let validation = self.validate(session)?;
        let losses = self.losses(session, &validation);
        let line = self.line(&losses);
        let context = &mut *self.context;
        publish_candidate(&context.run, &mut context.ledger, self.cycle, session, losses)?;
        let keep = context.config.storage.checkpoints_keep as usize;
        prune_checkpoints(&context.run, context.ledger.state(), keep)?;
        context.events.turn_done(Stage::Trainer, self.cycle, line);
        Ok(())
    }

    fn feed(&self, session: &Session, rows: &CycleRows) -> anyhow::Result<Feed> {
        let config = &self.context.config;
        let seed = config.run.seed;
        let cycle = session.cursor.cycle;
        let value_mix = value_mix(&config.training, cycle, self.context.cycles_for(cycle));
        let plan = FeedPlan {
            makers: BatchMaker::of_boards(rows, seed, cycle, value_mix),
            batch: config.training.batch as usize,
            from: session.cursor.rows_done,
            to: rows.rows,
            keep_rest: false,
        };
        Feed::start(rows, plan)
    }

    fn validate(&mut self, session: &Session) -> anyhow::Result<Validation> {
        let state = rows_state(self.context, self.cycle)?;
        let run = &self.context.run;
        let rows = CycleRows::open(run, state, RowSet::Validation, &self.identity)?;
        let training = &self.context.config.training;
        if rows.boards.is_empty() || training.validation_rows_max == 0 {
            return Ok(Validation::default());
        }
        let RunSection { seed, cycles, .. } = self.context.config.run;
        let value_mix = value_mix(training, self.cycle, cycles);
        let plan = FeedPlan {
            makers: BatchMaker::of_boards(&rows, seed, self.cycle, value_mix)
                .into_iter()
                .map(BatchMaker::upright)
                .collect(),
            batch: VALIDATION_BATCH.max(training.batch as usize),
            from: 0,
            to: rows.rows.min(training.validation_rows_max),
            keep_rest: true,
        };
        validate(session.learner.as_ref(), &mut Feed::start(&rows, plan)?)
    }

    fn publish_checkpoint(&mut self, session: &Session) -> anyhow::Result<()> {
        let context = &mut *self.context;
        publish_checkpoint(&context.run, &mut context.ledger, self.cycle, session)?;
        self.checkpointed = Instant::now();
        Ok(())
    }

    fn losses(&self, session: &Session, validation: &Validation) -> Losses {
        let tally = &session.cursor.tally;
        Losses {
            policy: tally.policy.get().unwrap_or(0.0),
            value: tally.value.get().unwrap_or(0.0),
            validation_policy: validation.policy.get(),
            validation_value: validation.value.get(),
            value_mse: tally.value_mse.get(),
            validation_value_mse: validation.value_mse.get(),
            heads: head_losses(&tally.heads, &validation.heads),
            policy_accuracy: validation.policy_accuracy.get(),
            policy_top5_accuracy: validation.policy_top5_accuracy.get(),
            value_accuracy: validation.value_accuracy.get(),
            gradient_norm: tally.gradient_norm.get(),
            learning_rate: tally.learning_rate,
            steps: tally.steps,
            rows: tally.rows,
            wall_ms: self.spent.wall_ms(),
        }
    }

    fn line(&self, losses: &Losses) -> String {
        let with = |value: f64, validation: Option<f64>, name: &str| match validation {
            Some(other) => format!("{value:.3} ({name}{other:.3})"),
            None => format!("{value:.3}"),
        };
        let speed = match self.rows {
            0 => String::new(),
            _ => format!(" at {} rows/s", number_text(self.rows_per_second())),
        };
        format!(
            "trained {} steps, {} rows{speed}; policy {}, value {}, lr {:.2e}",
            count_text(losses.steps),
            number_text(losses.rows as f64),
            with(losses.policy, losses.validation_policy, "validation "),
            with(losses.value, losses.validation_value, ""),
            losses.learning_rate,
        )
    }

    fn rows_per_second(&self) -> f64 {
        self.rows as f64 / self.training.as_secs_f64().max(1e-9)
    }

    fn progress(&self, metrics: &StepMetrics, rows: u64) {
        let rates = [
            ("rows/s", self.rows_per_second()),
            ("policy loss", f64::from(metrics.policy_loss)),
            ("value loss", f64::from(metrics.value_loss)),
            ("lr", metrics.learning_rate),
        ];
        let rates: Rates = rates.into_iter().map(|(name, v)| (name.to_owned(), v)).collect();
        self.context.events.progress(Progress {
            stage: Stage::Trainer,
            cycle: metrics.cycle,
            generation: self.context.ledger.state().generation(),
            done: metrics.rows_done,
            total: rows,
            unit: "rows".to_owned(),
            rates,
        });
    }

    fn note(&self, text: String) {
        self.context.events.note(Stage::Trainer, text);
    }
}

/// Losses of the network's heads, by name.
fn head_losses(
    training: &PerHead<Option<Mean>>,
    validation: &PerHead<Option<Mean>>,
) -> BTreeMap<String, HeadLoss> {
    let one = |(head, mean): (Head, &Mean)| {
        let validation = validation[head].and_then(|mean| mean.get());
        // No row of a cycle may have the target, for example if all games were resigned.
        Some((head.name().to_owned(), HeadLoss { training: mean.get()?, validation }))
    };
    training.present().filter_map(one).collect()
}

/// Adds to a divergence where training can resume.
fn explain(error: anyhow::Error, state: &RunState) -> anyhow::Error {
    let is_divergence = |cause: &(dyn std::error::Error + 'static)| {
        cause.is::<Exploded>() || matches!(cause.downcast_ref(), Some(NetError::Diverged { .. }))
    };
    if !error.chain().any(is_divergence) {
        return error;
    }
    error.context(match state.checkpoint() {
        Some(checkpoint) => format!(
            "training diverged; the last good checkpoint is {}, step {}, and the run goes on from \
             there: lower training.learning_rate or training.clip_norm first",
            checkpoint.object.path, checkpoint.step
        ),
        None => "training diverged before the first checkpoint: lower training.learning_rate or \
                 training.clip_norm and start again"
            .to_owned(),
    })
}
