//! One line a finished cycle, with an estimate of the time left.

use std::{fmt::Write, time::Duration};

use dz_config::RunConfig;
use dz_report::Report;
use dz_store::RunState;

/// Which cycles were shown already.
#[derive(Debug)]
pub(crate) struct CycleLines {
    shown: u32,
}

impl CycleLines {
    pub(crate) fn new(done: u32) -> Self {
        Self { shown: done }
    }

    /// True if a cycle is done that was not shown.
    pub(crate) fn is_behind(&self, done: u32) -> bool {
        done > self.shown
    }

    /// The lines of the cycles that ended since; the last one says how long the rest may take.
    pub(crate) fn newly_done(
        &mut self,
        state: &RunState,
        report: &Report,
        config: &RunConfig,
    ) -> Vec<String> {
        let rows = report.rows();
        let done = state.cycles_done;
        let mut lines: Vec<String> =
            (self.shown..done).filter_map(|place| rows.get(place as usize).cloned()).collect();
        self.shown = done;
        if let (Some(last), Some(left)) = (lines.last_mut(), left_ms(state, config)) {
            let _ = write!(
                last,
                ", about {} left",
                dz_stage::duration_text(Duration::from_millis(left))
            );
        }
        lines
    }
}

/// Returns an estimate of a run's remaining time: the mean time of cycles with a network (of the
/// first cycle while there is no other) times the number of cycles left, at most the time left by a
/// limit.
pub(crate) fn left_ms(state: &RunState, config: &RunConfig) -> Option<u64> {
    let left = config.cycles_planned(state.walls_ms()).saturating_sub(state.cycles_done);
    if left == 0 || state.finished.is_some() {
        return None;
    }
    let walls_ms: Vec<u64> = state.walls_ms().collect();
    let seen = if walls_ms.len() > 1 { &walls_ms[1..] } else { &walls_ms[..] };
    let mean_ms = seen.iter().sum::<u64>().checked_div(seen.len() as u64)?;
    let limit_ms = config.time_ms_max().map(|max| max.saturating_sub(walls_ms.iter().sum()));
    Some((mean_ms * u64::from(left)).min(limit_ms.unwrap_or(u64::MAX)))
}
