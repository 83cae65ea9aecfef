//! Findings about training.

use super::finding::{Check, Finding, Severity};
use crate::count;
use crate::facts::CycleFacts;
use crate::measures::StepPoint;

/// Cycles that a mean is taken over, and cycles that there must be.
const CYCLES: usize = 3;
const CYCLES_MIN: usize = 2 * CYCLES;

/// Value loss on validation rows over that on training rows. The value network of AlphaGo had 0.37
/// against 0.19 where it had learned games by heart, and 0.234 against 0.226 where it had not
/// (Silver 2016, "Reinforcement learning of value networks"): ratios of 1.95 and 1.04. Between the
/// two lies the warning.
const OVERFIT_ALARM: f64 = 1.95;
const OVERFIT_WARNING: f64 = 1.4;

/// Whether the network learns its rows by heart.
pub(super) fn overfitting(cycles: &[CycleFacts]) -> Finding {
    const CHECK: Check = Check {
        id: "overfitting",
        threshold: "the value loss on validation rows over that on training rows, means of the newest three cycles: alarm above 1.95, which \
                    AlphaGo's value network had when it knew its games by heart (Silver 2016: 0.37 and 0.19), warning above 1.4; only where it grew",
        advice: "Lower training.rows_per_new_row, play more games a cycle, or widen the window: each row is seen too often.",
    };
    let ratios: Vec<f64> = cycles
        .iter()
        .filter_map(|cycle| cycle.losses.as_ref())
        .filter_map(|losses| Some(losses.validation_value? / losses.value.max(LOSS_MIN)))
        .collect();
    if ratios.len() < CYCLES_MIN {
        return CHECK.unjudged("Fewer than six cycles have validation losses.");
    }
    let first = mean(&ratios[..CYCLES]);
    let last = mean(&ratios[ratios.len() - CYCLES..]);
    let severity = match last {
        _ if last <= first => Severity::Fine,
        r if r > OVERFIT_ALARM => Severity::Alarm,
        r if r > OVERFIT_WARNING => Severity::Warning,
        _ => Severity::Fine,
    };
    let says = format!(
        "The value loss on validation rows is {} times that on training rows; it was {} in the first cycles.",
        count::real(last),
        count::real(first),
    );
    CHECK.found(severity, says, [("ratio", last), ("ratio_first", first)])
}

/// Losses below this are right answers; their ratios say nothing.
const LOSS_MIN: f64 = 0.02;

/// Stretches that the steps are cut into.
const STRETCHES: usize = 12;
/// How far the network's excess loss may rise above its least mean over a stretch, and for how many
/// stretches.
const RISEN_ALARM: f64 = 3.0;
const RISEN_WARNING: f64 = 1.5;
const RISEN_STRETCHES: usize = 3;
/// Nats by which it must have risen at least.
const RISEN_MIN: f64 = 0.1;

/// Whether the network gets worse at its own rows.
pub(super) fn rising(steps: &[StepPoint]) -> Finding {
    const CHECK: Check = Check {
        id: "loss-rising",
        threshold: "policy loss less the entropy of its targets, plus value loss, over its least mean over a twelfth of the run: warning above \
                    1.5 times, alarm above 3 times, through the newest quarter and by 0.1 nats at least; new games are harder, by less than that",
        advice: "Lower training.learning_rate; if games changed at the same time, look at target-entropy and duplicated-games.",
    };
    if steps.len() < 2 * STRETCHES {
        return CHECK.unjudged("Too few steps have been trained.");
    }
    // What the targets leave open is not the network's fault, and changes as searches get surer.
    let excess =
        |point: &StepPoint| (point.policy_loss - point.policy_entropy).max(0.0) + point.value_loss;
    let stretch = steps.len() / STRETCHES;
    let means: Vec<f64> = steps[steps.len() % STRETCHES..]
        .chunks(stretch)
        .map(|chunk| mean(&chunk.iter().map(excess).collect::<Vec<_>>()))
        .collect();
    let least = means.iter().copied().fold(f64::INFINITY, f64::min).max(LOSS_MIN);
    // The least of the newest: all of them are above it.
    let newest =
        means[means.len() - RISEN_STRETCHES..].iter().copied().fold(f64::INFINITY, f64::min);
    let ratio = newest / least;
    let severity = match ratio {
        _ if newest - least < RISEN_MIN => Severity::Fine,
        r if r > RISEN_ALARM => Severity::Alarm,
        r if r > RISEN_WARNING => Severity::Warning,
        _ => Severity::Fine,
    };
    let says = format!(
        "Through the newest quarter of the steps the loss beyond what targets leave open was at least {} nats, {} times the least so far.",
        count::real(newest),
        count::real(ratio),
    );
    CHECK.found(severity, says, [("nats", newest), ("least_nats", least), ("ratio", ratio)])
}

/// Share of clipped steps above which the clipping, and not the learning rate, decides how far a
/// step goes.
const CLIPPED_WARNING: f64 = 0.95;

/// Steps before which gradients are large in any case.
const CLIPPED_STEPS_MIN: u64 = 1_000;

/// Whether gradients are cut at nearly every step.
pub(super) fn clipping(steps: &[StepPoint]) -> Finding {
    const CHECK: Check = Check {
        id: "clipping",
        threshold: "warning above 95 % of the newest quarter of the steps, from 1,000 on: clipping is for spikes, and decides every step there",
        advice: "Raise training.clip_norm above the usual gradient norm, or lower training.learning_rate if the loss is unsteady.",
    };
    let known: Vec<f64> = steps.iter().filter_map(|point| point.clipped).collect();
    if known.len() < STRETCHES || steps.last().is_none_or(|last| last.step < CLIPPED_STEPS_MIN) {
        return CHECK.unjudged("Fewer than 1,000 steps have been trained.");
    }
    let share = mean(&known[known.len() - known.len() / 4..]);
    let severity = if share > CLIPPED_WARNING { Severity::Warning } else { Severity::Fine };
    let says =
        format!("{} of the newest steps had their gradients clipped.", count::percent(share));
    CHECK.found(severity, says, [("share", share)])
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
