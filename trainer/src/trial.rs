//! Training that leaves nothing behind: on a run's rows, with a fresh network, to find a learning
//! rate and to see whether a network learns at all.

use anyhow::Context;
use dz_burn_net::{Learner, NetError, TrainBatch, mean_entropy};
use dz_config::{RunConfig, ValueLoss};
use dz_shard::RowSet;
use dz_store::{Run, RunState};
use serde::Serialize;

use crate::stage::learner_maker;
use crate::tally::total;
use crate::{BatchMaker, CycleRows, Feed, FeedPlan, Mean, value_mix};

/// Share of the past that smoothed losses keep at a step.
const SMOOTHING: f64 = 0.95;
/// A range test ends where its smoothed loss is this many times the least (fastai: 4).
const LOSS_FACTOR: f64 = 4.0;
/// The suggested rate is the one with the least loss, divided by this, because the loss is about to
/// rise there (fastai: 10).
const SAFETY: f64 = 10.0;
/// A rise counts if the smoothed loss ends above its least by this share of its earlier fall. Noise
/// is smaller: up to an eighth in a run of connect4-smoke.
const RISE_MIN: f64 = 0.2;

/// A fresh learner, and rows to learn from.
pub struct Trial {
    /// The cycle whose rows are used.
    pub cycle: u32,
    learner: Box<dyn Learner>,
    rows: CycleRows,
    plan: FeedPlan,
    feed: Option<Feed>,
    value_loss: ValueLoss,
}

impl Trial {
    /// A fresh learner of `config` on the rows of the newest cycle that still has them.
    ///
    /// # Errors
    /// If no cycle has rows, they are damaged, fewer than a batch, or lack what a head learns from,
    /// or the device is not there.
    pub fn new(run: &Run, state: &RunState, config: &RunConfig) -> anyhow::Result<Self> {
        let identity = state.started.as_ref().context("the run has not begun yet")?;
        let newest = state.cycles.iter().rev().find_map(|(&cycle, now)| {
            let rows = now.rows.as_ref()?;
            rows.train.iter().all(|file| run.local_path(file).exists()).then_some((cycle, rows))
        });
        let (cycle, rows) = newest.context("no cycle of the run has rows; let it train once")?;
        let rows = CycleRows::open(run, rows, RowSet::Train, identity)?;
        anyhow::ensure!(!rows.boards.is_empty(), "the cycle has no training rows");
        let share = value_mix(&config.training, cycle, config.run.cycles);
        let batch = config.training.batch as usize;
        anyhow::ensure!(
            rows.rows >= batch as u64,
            "cycle {cycle} has {} rows, fewer than a batch of {batch}",
            rows.rows
        );
        let plan = FeedPlan {
            makers: BatchMaker::of_boards(&rows, config.run.seed, cycle, share),
            batch,
            from: 0,
            to: rows.rows,
            keep_rest: false,
        };
        let spec = rows.network_spec(&config.network, config.heads.heads())?;
        let learner = learner_maker(config)?.0(spec, config)?;
        let value_loss = config.training.value_loss;
        Ok(Self { cycle, learner, rows, plan, feed: None, value_loss })
    }

    /// The next batch; after the last one the first again.
    fn next_batch(&mut self) -> anyhow::Result<Vec<TrainBatch>> {
        loop {
            let feed = match &mut self.feed {
                Some(feed) => feed,
                None => self.feed.insert(Feed::start(&self.rows, self.plan.clone())?),
            };
            match feed.next_batch()? {
                Some(prepared) => return Ok(prepared.parts),
                None => self.feed = None,
            }
        }
    }

    /// A learning-rate range test (Smith 2017, arXiv:1506.01186): `steps` batches at rates that
    /// grow by the same factor from `from` to `to`, until the loss is far above its least.
    ///
    /// # Errors
    /// If rows are damaged or the device fails; divergence is a result.
    pub fn range_test(mut self, from: f64, to: f64, steps: u32) -> anyhow::Result<RangeTest> {
        let mut found =
            RangeTest { steps: Vec::new(), least: from, suggested: None, diverged_at: None };
        let mut sum = 0.0;
        let mut weight = 0.0;
        let mut least = f64::INFINITY;
        let factor = (to / from).powf(1.0 / f64::from(steps.saturating_sub(1).max(1)));
        for place in 0..steps {
            let learning_rate = from * factor.powf(f64::from(place));
            let batch = self.next_batch()?;
            let report = match self.learner.step_parts(&batch, learning_rate) {
                Ok(report) => report,
                Err(NetError::Diverged { .. }) => {
                    found.diverged_at = Some(learning_rate);
                    break;
                }
                Err(error) => return Err(error.into()),
            };
            let loss = f64::from(report.losses.policy_loss) + f64::from(report.losses.value_loss);
            sum = SMOOTHING * sum + (1.0 - SMOOTHING) * loss;
            weight = SMOOTHING * weight + (1.0 - SMOOTHING);
            let smoothed = sum / weight;
            found.steps.push(RangeStep { learning_rate, loss, smoothed });
            if smoothed < least {
                (least, found.least) = (smoothed, learning_rate);
            } else if smoothed > LOSS_FACTOR * least {
                found.diverged_at = Some(learning_rate);
                break;
            }
        }
        found.suggested = found.safe_rate();
        Ok(found)
    }

    /// Learns one batch again and again. If this fails, targets, gradient or network have a fault
    /// or the learning rate is too small, and games will not be learned either.
    ///
    /// # Errors
    /// If rows are damaged, training diverges or the device fails.
    pub fn overfit(mut self, learning_rate: f64, steps: u32) -> anyhow::Result<Overfit> {
        let batch = self.next_batch()?;
        // The least that the value's loss can be on these rows; a squared error can be 0.
        let value_entropy = match self.value_loss {
            ValueLoss::CrossEntropy => value_entropy(&batch),
            ValueLoss::Mse => 0.0,
        };
        let excess = |policy: f32, entropy: f32, value: f32| {
            f64::from(policy - entropy) + f64::from(value) - value_entropy
        };
        let mut before = None;
        let mut after = 0.0;
        for _ in 0..steps {
            let losses = self.learner.step_parts(&batch, learning_rate)?.losses;
            // The weights in training, before the step; those that play lag behind.
            after = excess(losses.policy_loss, losses.policy_entropy, losses.value_loss);
            before.get_or_insert(after);
        }
        Ok(Overfit { steps, excess_before: before.unwrap_or(0.0), excess_after: after })
    }
}

/// Mean entropy of the outcomes of all parts, by their weights.
fn value_entropy(parts: &[TrainBatch]) -> f64 {
    let mut mean = Mean::default();
    for part in parts {
        let entropy = mean_entropy(&part.wdl, &part.value_weights);
        mean.add(f64::from(entropy), total(&part.value_weights));
    }
    mean.get().unwrap_or_default()
}

/// One step of a range test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RangeStep {
    /// Its learning rate.
    pub learning_rate: f64,
    /// Policy and value loss before it, in nats.
    pub loss: f64,
    /// The same, smoothed over about the last twenty steps.
    pub smoothed: f64,
}

/// What a range test found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RangeTest {
    /// Its steps.
    pub steps: Vec<RangeStep>,
    /// The rate at which the smoothed loss was least.
    pub least: f64,
    /// A tenth of it. None where the loss never fell, or was not seen to rise again.
    pub suggested: Option<f64>,
    /// The rate at which training diverged, or the loss was four times its least.
    pub diverged_at: Option<f64>,
}

impl RangeTest {
    /// A tenth of the rate with the least loss, if the loss fell before and rose after it.
    fn safe_rate(&self) -> Option<f64> {
        let (first, last) = (self.steps.first()?, self.steps.last()?);
        let least = self.steps.iter().map(|step| step.smoothed).fold(f64::INFINITY, f64::min);
        let fell = self.least > first.learning_rate;
        let rise = last.smoothed - least;
        let rose = self.diverged_at.is_some() || rise > RISE_MIN * (first.smoothed - least);
        (fell && rose).then_some(self.least / SAFETY)
    }
}

/// The result of learning one batch by heart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Overfit {
    /// Steps taken.
    pub steps: u32,
    /// Policy and value loss above what a perfect learner has, in nats, with fresh weights and
    /// after the steps.
    pub excess_before: f64,
    /// After them.
    pub excess_after: f64,
}

impl Overfit {
    /// Whether the network learnt the batch: at most a fifth of the excess is left. Rows that show
    /// one position with several targets leave some.
    pub fn passed(&self) -> bool {
        self.excess_after <= 0.2 * self.excess_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A test whose smoothed losses are these, at rates that double from 0.001.
    fn test_of(smoothed: &[f64], diverged_at: Option<f64>) -> RangeTest {
        let step = |(place, &smoothed): (usize, &f64)| {
            let learning_rate = 0.001 * f64::from(1 << place);
            RangeStep { learning_rate, loss: smoothed, smoothed }
        };
        let steps: Vec<RangeStep> = smoothed.iter().enumerate().map(step).collect();
        let least = steps.iter().min_by(|a, b| a.smoothed.total_cmp(&b.smoothed));
        let least = least.map_or(0.0, |step| step.learning_rate);
        RangeTest { steps, least, suggested: None, diverged_at }
    }

    #[test]
    fn a_rate_is_suggested_where_the_loss_fell_and_rose() {
        let rate = |smoothed: &[f64]| test_of(smoothed, None).safe_rate();
        assert_eq!(rate(&[3.0, 2.5, 2.0, 2.3]), Some(0.0004));
        assert_eq!(rate(&[3.0, 2.5, 2.0, 2.19]), None, "noise is no rise");
        assert_eq!(rate(&[3.0, 2.5, 2.0, 1.9]), None, "it still fell");
        assert_eq!(rate(&[3.0, 3.1, 3.3, 4.0]), None, "it never fell");
        assert_eq!(test_of(&[3.0, 2.5, 2.0], Some(0.008)).safe_rate(), Some(0.0004));
        assert_eq!(test_of(&[], None).safe_rate(), None);
    }
}
