//! Notices that training has exploded, before its losses cease to be numbers.

use std::collections::VecDeque;

use dz_config::AlarmsSection;

/// Steps that a median is taken over: a single bad batch, or seven, move nothing.
const MEDIAN_STEPS: usize = 15;

/// Watches the loss of each step, policy and value together.
///
/// A loss is *too high* where the median of the last 15 steps is above `loss_factor` times the
/// least such median so far, and above the loss of a network that holds everything equally likely:
/// ln(A) + ln 3 for a policy of length A, whatever the targets are. Training has exploded when that
/// holds for `loss_steps` steps in a row.
///
/// A healthy run does not get there, for two reasons. New games may make the loss rise, by any
/// factor if a small game was nearly known by heart. But a network that learns does not stay worse
/// than one that knows nothing, since it can always give the same answers. And a network that has
/// just begun may have such a loss, but not several times its own least loss.
#[derive(Clone, Debug, PartialEq)]
pub struct LossGuard {
    factor: f64,
    steps: u64,
    /// Nats of a network that holds everything equally likely.
    guessing: f64,
    recent: VecDeque<f64>,
    /// The least median so far.
    least: f64,
    /// Steps in a row that were too high.
    above: u64,
}

/// A loss that has been too high for too long.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "policy and value loss together were above {limit:.2} nats in the last {steps} steps, and once at {least:.2}: training has exploded \
     (alarms.loss_factor, alarms.loss_steps)"
)]
pub struct Exploded {
    /// What it was above, in nats.
    pub limit: f64,
    /// The least that it has been.
    pub least: f64,
    /// For so many steps.
    pub steps: u64,
}

impl LossGuard {
    /// As configured, for a policy of this length.
    pub fn new(alarms: &AlarmsSection, policy_len: usize) -> Self {
        Self {
            factor: alarms.loss_factor,
            steps: alarms.loss_steps,
            guessing: (policy_len.max(1) as f64).ln() + 3.0_f64.ln(),
            recent: VecDeque::with_capacity(MEDIAN_STEPS),
            least: f64::INFINITY,
            above: 0,
        }
    }

    /// Takes in a step's loss, in nats.
    ///
    /// # Errors
    /// If it has been too high for as many steps as are allowed.
    pub fn add(&mut self, loss: f64) -> Result<(), Exploded> {
        if self.recent.len() == MEDIAN_STEPS {
            self.recent.pop_front();
        }
        self.recent.push_back(loss);
        if self.recent.len() < MEDIAN_STEPS {
            return Ok(());
        }
        let mut sorted: Vec<f64> = self.recent.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let median = sorted[MEDIAN_STEPS / 2];
        self.least = self.least.min(median);
        self.above = if median > self.limit() { self.above + 1 } else { 0 };
        if self.above >= self.steps { self.judge() } else { Ok(()) }
    }

    /// Whether the loss is too high now. The result of such steps must not be used.
    pub fn is_above(&self) -> bool {
        self.steps > 0 && self.above > 0
    }

    /// Judges the end of a cycle, from which all that follows begins: it must not be too high
    /// there.
    ///
    /// # Errors
    /// If it is.
    pub fn end_cycle(&self) -> Result<(), Exploded> {
        self.judge()
    }

    fn judge(&self) -> Result<(), Exploded> {
        if !self.is_above() {
            return Ok(());
        }
        Err(Exploded { limit: self.limit(), least: self.least, steps: self.above })
    }

    fn limit(&self) -> f64 {
        self.guessing.max(self.factor * self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALARMS: AlarmsSection = AlarmsSection { loss_factor: 3.0, loss_steps: 100 };

    /// Noise of small batches around a curve: factors between 0.6 and 1.4, the same for a step.
    fn noisy(step: u64, loss: f64) -> f64 {
        let word = (step + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        loss * (0.6 + 0.8 * (word as f64 / f64::from(1u32 << 24)))
    }

    /// The step at which the guard of a policy of length 9 stops the curve; a guessing network has
    /// 3.3 nats.
    fn stops(curve: impl Fn(u64) -> f64) -> Option<u64> {
        let mut guard = LossGuard::new(&ALARMS, 9);
        (0..5_000).find(|&step| guard.add(noisy(step, curve(step))).is_err())
    }

    fn falling(step: u64) -> f64 {
        0.6 + 2.8 * (-(step as f64) / 300.0).exp()
    }

    #[test]
    fn healthy_curves_go_on() {
        assert_eq!(stops(falling), None);
        // A new champion's games are twice as hard, every thousand steps.
        assert_eq!(stops(|step| falling(step % 1_000 + 200)), None);
        // Single batches, and a burst of them, are far off.
        assert_eq!(stops(|step| if step % 40 == 0 { 90.0 } else { falling(step) }), None);
        assert_eq!(
            stops(|step| if (2_000..2_060).contains(&step) { 30.0 } else { falling(step) }),
            None
        );
        // A game known by heart, then harder ones: thirty times the least loss, and no worse than
        // guessing.
        assert_eq!(stops(|step| if step < 2_000 { 0.05 } else { 1.8 }), None);
        // It has not begun to learn.
        assert_eq!(stops(|_| 4.0), None);
    }

    #[test]
    fn an_explosion_stops_soon_and_only_once_it_lasts() {
        // Doubling every 50 steps after 2,000.
        let late = |step: u64| {
            if step < 2_000 {
                falling(step)
            } else {
                falling(step) * 2f64.powf((step - 2_000) as f64 / 50.0)
            }
        };
        let at = stops(late).expect("it stops");
        assert!((2_200..2_300).contains(&at), "{at}");
        // At once, to a level that stays.
        let at = stops(|step| if step < 1_000 { falling(step) } else { 7.0 }).expect("it stops");
        assert!((1_100..1_120).contains(&at), "{at}");
    }

    #[test]
    fn a_cycle_does_not_end_above_and_zero_steps_are_off() {
        let mut guard = LossGuard::new(&ALARMS, 9);
        for step in 0..200 {
            guard.add(noisy(step, 0.8)).expect("healthy");
        }
        assert!(guard.end_cycle().is_ok() && !guard.is_above());
        for step in 0..30 {
            guard.add(noisy(step, 9.0)).expect("not for long enough");
        }
        let exploded = guard.end_cycle().expect_err("above");
        assert!(guard.is_above() && exploded.steps < 30, "{exploded}");
        assert!(exploded.to_string().contains("alarms.loss_factor"));
        let mut off = LossGuard::new(&AlarmsSection { loss_steps: 0, ..ALARMS }, 9);
        let ends = (0..2_000).all(|step| off.add(if step < 100 { 0.5 } else { 50.0 }).is_ok());
        assert!(ends && off.end_cycle().is_ok() && !off.is_above());
    }
}
