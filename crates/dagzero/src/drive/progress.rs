//! One line a finished cycle, with an estimate of the time left.

use std::{fmt::Write, time::Duration};

use dz_config::RunConfig;
use dz_report::Report;
use dz_store::RunState;

use crate::commands::status::left_ms;

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
    pub(crate) fn catch_up(
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
