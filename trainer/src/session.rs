//! A learner with its place in the rows, warm from one cycle to the next.

use std::collections::VecDeque;
use std::fmt;
use std::time::Instant;

use anyhow::{Context, bail};
use dz_burn_net::{Learner, NetError};

use crate::checkpoint::{Cursor, Header, pack};
use crate::{LearningRate, LossGuard, Prepared, StepMetrics};

/// A loss in nats that only a diverged network has. Guessing gives ln(policy length), which is at
/// most 14.
const LOSS_MAX: f32 = 100.0;

/// A learner and its place in the rows.
pub struct Session {
    /// The learner.
    pub learner: Box<dyn Learner>,
    /// Where in the rows it is.
    pub cursor: Cursor,
    /// Hash of the configuration, for checkpoints.
    pub config_hash: String,
    /// Notices that training has exploded. It starts empty in every process.
    pub guard: LossGuard,
    /// Submitted steps whose reports are not collected yet, oldest first.
    sent: VecDeque<Sent>,
    /// When the current step began: when the last report was collected, or, if nothing was in
    /// flight, when the next step was submitted.
    step_began: Instant,
}

/// A submitted step.
struct Sent {
    prepared: Prepared,
    step: u64,
    learning_rate: f64,
}

impl Session {
    /// A learner at a place in the rows.
    pub fn new(
        learner: Box<dyn Learner>,
        cursor: Cursor,
        config_hash: String,
        guard: LossGuard,
    ) -> Self {
        let sent = VecDeque::new();
        let step_began = Instant::now();
        Self { learner, cursor, config_hash, guard, sent, step_began }
    }

    /// Starts a step on the next batch of a cycle with `rows` rows. Collect all reports before
    /// using the session for anything else, for example for a checkpoint.
    ///
    /// # Errors
    /// If the device failed. The session cannot be used after that.
    pub fn submit(
        &mut self,
        prepared: Prepared,
        rate: &LearningRate,
        rows: u64,
    ) -> anyhow::Result<()> {
        let step = self.learner.steps() + 1;
        let rows_done =
            self.sent.back().map_or(self.cursor.rows_done, |sent| sent.prepared.rows_end);
        let learning_rate = rate.at(step, self.cursor.cycle, rows_done, rows);
        if self.sent.is_empty() {
            self.step_began = Instant::now();
        }
        self.learner.submit(&prepared.parts, learning_rate)?;
        self.sent.push_back(Sent { prepared, step, learning_rate });
        Ok(())
    }

    /// Returns the number of submitted steps whose reports are not collected yet.
    pub fn in_flight(&self) -> usize {
        self.sent.len()
    }

    /// Waits for the oldest submitted step.
    ///
    /// # Errors
    /// If no step was submitted, if training diverged, or if the device failed. The session cannot
    /// be used after the latter two.
    pub fn collect(&mut self) -> anyhow::Result<StepMetrics> {
        let sent = self.sent.pop_front().context("no step was submitted")?;
        let Sent { prepared, step, learning_rate } = sent;
        let Prepared { parts, rows_end } = &prepared;
        let report = self.learner.collect().context("a submitted step has no report")??;
        let seconds = self.step_began.elapsed().as_secs_f64().max(1e-9);
        self.step_began = Instant::now();
        let losses = report.losses;
        if losses.policy_loss > LOSS_MAX || losses.value_loss > LOSS_MAX {
            let policy_loss = losses.policy_loss;
            let value_loss = losses.value_loss;
            let gradient_norm = report.gradient_norm;
            return Err(NetError::Diverged { step, policy_loss, value_loss, gradient_norm })
                .context(format!("a loss is above {LOSS_MAX}"));
        }
        let loss = f64::from(losses.policy_loss) + f64::from(losses.value_loss);
        self.guard.add(loss)?;
        self.cursor.tally.add(parts, &report, learning_rate);
        self.cursor.rows_done = *rows_end;
        Ok(StepMetrics {
            cycle: self.cursor.cycle,
            step,
            rows_done: *rows_end,
            policy_loss: losses.policy_loss,
            value_loss: losses.value_loss,
            value_mse: Some(losses.value_mse),
            policy_entropy: losses.policy_entropy,
            gradient_norm: report.gradient_norm,
            clipped: report.clipped,
            heads: losses.heads,
            learning_rate,
            rows_per_second: prepared.rows() as f64 / seconds,
        })
    }

    /// The checkpoint of this moment.
    ///
    /// # Errors
    /// If the device fails.
    pub fn checkpoint(&self) -> anyhow::Result<Vec<u8>> {
        let spec = self.learner.spec();
        let header = Header {
            game: spec.game.clone(),
            encoding: spec.encoding.clone(),
            config_hash: self.config_hash.clone(),
            step: self.learner.steps(),
            cursor: self.cursor,
        };
        Ok(pack(&header, &self.learner.save()?))
    }

    /// Goes on to the next cycle once this one is done.
    ///
    /// # Errors
    /// If it is not.
    pub fn next_cycle(&mut self) -> anyhow::Result<()> {
        if !self.cursor.is_cycle_done {
            bail!("cycle {} is not trained to its end", self.cursor.cycle);
        }
        self.cursor = Cursor::begin(self.cursor.cycle + 1);
        Ok(())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("cursor", &self.cursor).finish_non_exhaustive()
    }
}
