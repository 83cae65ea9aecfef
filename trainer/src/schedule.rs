//! What changes over the run: the learning rate of each step, the value target of each cycle.

use std::f64::consts::PI;

use dz_config::{SameOr, Schedule, TrainingSection};

/// The course of the learning rate over the whole run.
///
/// How many steps a run will take is not known in advance: games differ in length. So progress is
/// counted in cycles: `p = (cycle - 1 + rows done / rows of the cycle) / cycles`, from 0 to 1,
/// which any checkpoint knows exactly. The cosine (Loshchilov and Hutter 2017, arXiv:1608.03983,
/// equation 5, one period) falls over `p`, and steps are places of `p`; the warm-up counts steps
/// and multiplies it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearningRate {
    schedule: Schedule,
    start: f64,
    end: f64,
    warmup_steps: u64,
    cycles: u32,
}

impl LearningRate {
    /// As configured, over the `cycles` of the run.
    pub fn new(training: &TrainingSection, cycles: u32) -> Self {
        Self {
            schedule: training.schedule,
            start: training.learning_rate,
            end: training.learning_rate_final,
            warmup_steps: training.warmup_steps,
            cycles,
        }
    }

    /// The learning rate of a step.
    ///
    /// `step` counts from 1 since the run began; `rows_done` of the `rows` of `cycle` (from 1) were
    /// trained on before it.
    pub fn at(&self, step: u64, cycle: u32, rows_done: u64, rows: u64) -> f64 {
        let warmup = match self.warmup_steps {
            0 => 1.0,
            steps => (step as f64 / steps as f64).min(1.0),
        };
        let cycles_done = f64::from(cycle - 1) + rows_done as f64 / rows.max(1) as f64;
        let progress = (cycles_done / f64::from(self.cycles)).min(1.0);
        warmup * self.after(progress)
    }

    /// What it is without the warm-up, at a progress from 0 to 1.
    fn after(&self, progress: f64) -> f64 {
        let Self { start, end, .. } = *self;
        match self.schedule {
            // As the cosine from a rate to itself, whose rounding it has always had.
            Schedule::Constant => cosine(start, start, progress),
            Schedule::Cosine => cosine(start, end, progress),
            Schedule::Steps => falling(start, end, progress, &FALLS),
            Schedule::TwoSteps => falling(start, end, progress, &TWO_FALLS),
        }
    }
}

/// From `start` to `end` by one factor at each of `falls`: equal distances of the logarithm. A rate
/// of 0 is the last one alone.
fn falling(start: f64, end: f64, progress: f64, falls: &[f64]) -> f64 {
    let fallen = falls.iter().filter(|&&fall| progress >= fall).count();
    if end == 0.0 && fallen < falls.len() {
        return start;
    }
    start * (end / start).powf(fallen as f64 / falls.len() as f64)
}

/// Where `steps` falls: after 100, 300 and 500 of `AlphaZero`'s 700 thousand steps (Silver et al.
/// 2017, arXiv:1712.01815).
const FALLS: [f64; 3] = [1.0 / 7.0, 3.0 / 7.0, 5.0 / 7.0];

/// Where `two_steps` falls: after 400 and 600 of AlphaGo Zero's 700 thousand steps (Silver et al.
/// 2017, "Mastering the game of Go without human knowledge", extended data table 3).
const TWO_FALLS: [f64; 2] = [4.0 / 7.0, 6.0 / 7.0];

/// Half a cosine from one rate to another.
fn cosine(start: f64, end: f64, progress: f64) -> f64 {
    end + (start - end) * 0.5 * (1.0 + (PI * progress).cos())
}

/// The root value's share in the value target of a cycle, from 1: from `training.value_mix` in the
/// first to `training.value_mix_final` in the last of the run's `cycles`, by equal amounts.
///
/// It stays within a cycle, so that the losses on its training rows and on its validation rows are
/// taken against one target, and any checkpoint knows it.
pub fn value_mix(training: &TrainingSection, cycle: u32, cycles: u32) -> f64 {
    let (start, end) = match training.value_mix_final {
        SameOr::Own(end) if cycles > 1 => (training.value_mix, end),
        _ => return training.value_mix,
    };
    let progress = f64::from(cycle.min(cycles) - 1) / f64::from(cycles - 1);
    start + (end - start) * progress
}

#[cfg(test)]
mod tests {
    use dz_config::RunConfig;

    use super::*;

    fn training(keys: &str) -> TrainingSection {
        let text = format!(
            "format = 1\nrun = {{ game = \"tictactoe\", cycles = 5 }}\nselfplay = {{ games = 8 }}\nbootstrap = {{ games = 8 }}\n\
             network = {{ blocks = 1, channels = 8 }}\ngate = {{ rule = \"always\" }}\n[training]\n{keys}\n"
        );
        RunConfig::from_text(&text, &[]).expect("a good configuration").training
    }

    #[test]
    fn the_value_mix_goes_from_its_first_to_its_last_share() {
        let rising = training("value_mix = 0.2\nvalue_mix_final = 0.6");
        let shares: Vec<f64> = (1..=7).map(|cycle| value_mix(&rising, cycle, 5)).collect();
        let wanted = [0.2, 0.3, 0.4, 0.5, 0.6, 0.6, 0.6];
        assert!(shares.iter().zip(wanted).all(|(&a, b)| close(a, b)), "{shares:?}");
        assert!(close(value_mix(&rising, 1, 1), 0.2), "one cycle has no way to go");
        let falling = training("value_mix = 1.0\nvalue_mix_final = 0");
        assert!(close(value_mix(&falling, 2, 3), 0.5));
        // What is left out changes nothing, to the last bit.
        for keys in ["value_mix = 0.3", "value_mix = 0.3\nvalue_mix_final = \"same\""] {
            assert!((1..=5).all(|cycle| value_mix(&training(keys), cycle, 5) == 0.3));
        }
    }

    fn rate(warmup_steps: u64, end: f64) -> LearningRate {
        LearningRate { schedule: Schedule::Cosine, start: 0.01, end, warmup_steps, cycles: 4 }
    }

    fn close(found: f64, wanted: f64) -> bool {
        (found - wanted).abs() < 1e-12
    }

    #[test]
    fn half_a_cosine_over_the_cycles() {
        let rate = rate(0, 0.002);
        assert!(close(rate.at(1, 1, 0, 100), 0.01));
        assert!(close(rate.at(9, 3, 0, 77), 0.006));
        assert!(
            close(rate.at(9, 2, 100, 100), 0.006),
            "the end of a cycle is the next one's start"
        );
        // p = 1/4: cos(pi/4) = sqrt(1/2).
        assert!(close(rate.at(9, 1, 50, 50), 0.002 + 0.004 * (1.0 + 0.5_f64.sqrt())));
        // p = 3/8 within the second cycle.
        assert!(close(rate.at(9, 2, 3, 6), 0.002 + 0.004 * (1.0 + (PI * 0.375).cos())));
        assert!(close(rate.at(9, 4, 8, 8), 0.002));
        assert!(close(rate.at(9, 9, 0, 8), 0.002), "cycles beyond the plan stay at the end");
    }

    #[test]
    fn steps_fall_three_times_by_one_factor() {
        let steps = LearningRate { schedule: Schedule::Steps, cycles: 7, ..rate(0, 0.01 / 1000.0) };
        for (cycle, wanted) in
            [(1, 0.01), (2, 1e-3), (3, 1e-3), (4, 1e-4), (5, 1e-4), (6, 1e-5), (7, 1e-5)]
        {
            assert!(close(steps.at(9, cycle, 0, 10), wanted), "{cycle}");
            assert!(close(steps.at(9, cycle, 9, 10), wanted), "{cycle}");
        }
        assert!(close(LearningRate { end: 0.0, ..steps }.at(9, 6, 0, 10), 0.0));
        assert!(close(LearningRate { end: 0.0, ..steps }.at(9, 5, 0, 10), 0.01));
    }

    #[test]
    fn two_steps_fall_later() {
        let steps =
            LearningRate { schedule: Schedule::TwoSteps, cycles: 7, ..rate(0, 0.01 / 100.0) };
        for (cycle, wanted) in
            [(1, 0.01), (2, 0.01), (4, 0.01), (5, 1e-3), (6, 1e-3), (7, 1e-4), (9, 1e-4)]
        {
            assert!(close(steps.at(9, cycle, 0, 10), wanted), "{cycle}");
            assert!(close(steps.at(9, cycle, 9, 10), wanted), "{cycle}");
        }
    }

    #[test]
    fn warm_up_is_linear_and_ends() {
        let constant = rate(10, 0.01);
        assert!(close(constant.at(1, 1, 0, 100), 0.001));
        assert!(close(constant.at(5, 1, 0, 100), 0.005));
        assert!(close(constant.at(10, 1, 0, 100), 0.01));
        assert!(close(constant.at(1000, 4, 99, 100), 0.01));
    }
}
