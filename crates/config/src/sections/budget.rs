//! How many cycles a run has, where its time is limited.

use crate::run_config::RunConfig;

/// Cycles whose median wall time predicts the next ones.
const RECENT: usize = 3;

impl RunConfig {
    /// Milliseconds that the run is to be over within, where its time is limited.
    pub fn time_ms_max(&self) -> Option<u64> {
        (self.run.hours_max > 0.0).then_some((self.run.hours_max * 3.6e6) as u64)
    }

    /// Cycles of the run, from the wall times in milliseconds of its first ones: `run.cycles`, or
    /// as many as fit into `run.hours_max`.
    ///
    /// A cycle begins only if it fits by the times known when it may begin: those of earlier
    /// cycles, without the last `lead_cycles`. With no known times it begins. A cycle that has
    /// begun is played to its end. So the answer follows from the recorded times alone, whoever
    /// asks and when, and a run that is over by its time stays over.
    pub fn cycles_planned(&self, walls_ms: impl IntoIterator<Item = u64>) -> u32 {
        let cycles_max = self.run.cycles;
        let Some(time_ms_max) = self.time_ms_max() else { return cycles_max };
        let mut known = Vec::new();
        let mut spent_ms = 0;
        let mut planned = cycles_max;
        for wall_ms in walls_ms {
            known.push(wall_ms);
            spent_ms += wall_ms;
            let done = known.len() as u32;
            planned = match time_ms_max.saturating_sub(spent_ms) / recent_ms(&known) {
                // The first has no network to play with, so it says little about how many follow.
                1.. if done == 1 => cycles_max,
                fit => u32::try_from(fit).unwrap_or(u32::MAX).saturating_add(done).min(cycles_max),
            };
            let begun = done.saturating_add(self.lead_cycles()).min(cycles_max);
            if planned <= begun {
                return begun;
            }
        }
        planned
    }

    /// Returns the number of cycles over which schedules of `cycle` are laid out. It is computed
    /// from the times known when the cycle may begin at the earliest, so all stages, a resumed turn
    /// and a replay agree.
    pub fn cycles_for(&self, cycle: u32, walls_ms: impl IntoIterator<Item = u64>) -> u32 {
        let known = cycle.saturating_sub(1 + self.lead_cycles());
        self.cycles_planned(walls_ms.into_iter().take(known as usize))
    }
}

/// Returns the time of a cycle: the lower median of the last ones, at least 1. The first cycle
/// counts only where there is no other. A single slow cycle, such as one that compiled kernels, has
/// little influence.
fn recent_ms(known: &[u64]) -> u64 {
    let later = if known.len() > 1 { &known[1..] } else { known };
    let mut last = later[later.len().saturating_sub(RECENT)..].to_vec();
    last.sort_unstable();
    last.get(last.len().saturating_sub(1) / 2).copied().unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(hours_max: f64, cycles: u32, mode: &str) -> RunConfig {
        let set = [
            format!("run.hours_max={hours_max}"),
            format!("run.cycles={cycles}"),
            format!("run.mode={mode}"),
        ];
        RunConfig::from_text(include_str!("../../tests/minimal.toml"), &set)
            .expect("a good configuration")
    }

    /// The plan after each number of cycles of these minutes.
    fn plans(config: &RunConfig, minutes: &[u64]) -> Vec<u32> {
        let walls = |known: usize| minutes[..known].iter().map(|minute| minute * 60_000);
        (0..=minutes.len()).map(|known| config.cycles_planned(walls(known))).collect()
    }

    #[test]
    fn without_a_limit_a_run_has_its_cycles() {
        assert_eq!(plans(&config(0.0, 7, "synchronous"), &[10, 20, 900]), [7; 4]);
    }

    #[test]
    fn as_many_cycles_as_fit_are_planned_from_the_last_ones() {
        let hour = config(1.0, 100, "synchronous");
        // After two, 35 of 60 minutes are left.
        assert_eq!(plans(&hour, &[20, 5]), [100, 100, 9]);
        assert_eq!(plans(&hour, &[20, 5, 5, 15]), [100, 100, 9, 9, 7], "the median of three");
        let few = config(1.0, 8, "synchronous");
        assert_eq!(plans(&few, &[20, 5, 25]), [8, 8, 8, 5], "no more than run.cycles");
    }

    #[test]
    fn a_run_whose_next_cycle_does_not_fit_is_over_and_stays_so() {
        let hour = config(1.0, 100, "synchronous");
        assert_eq!(plans(&hour, &[20, 15, 15]), [100, 100, 3, 3]);
        assert_eq!(plans(&hour, &[20, 15, 15, 1, 1]), [100, 100, 3, 3, 3, 3]);
        assert_eq!(plans(&hour, &[40]), [100, 1], "another one as long does not fit");
        assert_eq!(plans(&hour, &[70]), [100, 1], "the first is played whatever it takes");
        let longer = config(2.0, 100, "synchronous");
        assert_eq!(plans(&longer, &[20, 15, 15])[3], 7, "more hours open it again");
    }

    #[test]
    fn side_by_side_a_cycle_that_may_have_begun_is_played_to_its_end() {
        let hour = config(1.0, 100, "asynchronous");
        assert_eq!(hour.lead_cycles(), 1);
        assert_eq!(plans(&hour, &[40, 20]), [100, 2, 2], "cycle 2 began beside the first");
        assert_eq!(plans(&hour, &[10, 20, 20]), [100, 100, 3, 3], "cycle 3 beside cycle 2");
        assert_eq!(plans(&hour, &[10, 20, 50]), [100, 100, 3, 3], "and ends, however late");
        assert_eq!(plans(&config(1.0, 1, "asynchronous"), &[90]), [1, 1]);
    }

    #[test]
    fn no_time_at_all_is_one_cycle_and_short_ones_are_no_trouble() {
        assert_eq!(plans(&config(1e-9, 100, "synchronous"), &[0, 0]), [100, 1, 1]);
        assert_eq!(config(100_000.0, 50, "synchronous").cycles_planned([0; 9]), 50);
    }
}
