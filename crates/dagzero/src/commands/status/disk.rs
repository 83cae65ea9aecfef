//! What a run takes on disk.

use std::fmt;

use dz_config::RunConfig;
use dz_report::count;
use dz_store::{Run, RunState, layout};
use serde::Serialize;

/// Bytes of a megabyte, as `[storage]` counts.
const MB: u64 = 1_000_000;

/// What the run takes on disk.
#[derive(Debug, Serialize)]
pub(super) struct Disk {
    /// Bytes of all its files.
    bytes: u64,
    /// Bytes that it will take when all cycles are done, extrapolated from the finished ones;
    /// `None` before the first.
    forecast_bytes: Option<u64>,
    /// Bytes that are free.
    free_bytes: Option<u64>,
    /// `storage.disk_budget_mb` in bytes; 0 is none.
    budget_bytes: u64,
}

impl Disk {
    pub(super) fn of(run: &Run, state: &RunState, config: &RunConfig) -> anyhow::Result<Self> {
        let usage = run.usage()?;
        // Files that grow with every cycle. Rows and checkpoints are replaced by newer ones.
        let stays =
            [layout::LOG, layout::SHARDS, layout::NETWORKS, layout::MATCHES, layout::METRICS];
        let growing: u64 = stays.iter().filter_map(|folder| usage.get(folder)).sum();
        let bytes: u64 = usage.values().sum();
        let planned = config.cycles_planned(state.walls_ms());
        let left = u64::from(planned.saturating_sub(state.cycles_done));
        let more = (growing * left).checked_div(state.cycles_done.into());
        let budget_bytes = config.storage.disk_budget_mb * MB;
        // A budget stops the growth, but for what may not go.
        let most = if budget_bytes > 0 { budget_bytes.max(bytes) } else { u64::MAX };
        Ok(Self {
            bytes,
            forecast_bytes: more.map(|more| (bytes + more).min(most)),
            free_bytes: dz_stage::free_bytes(run.root()).ok(),
            budget_bytes,
        })
    }
}

impl fmt::Display for Disk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&count::bytes(self.bytes))?;
        if let Some(forecast) = self.forecast_bytes {
            write!(f, ", about {} when all cycles are done", count::bytes(forecast))?;
        }
        if self.budget_bytes > 0 {
            write!(f, ", budget {}", count::bytes(self.budget_bytes))?;
        }
        let Some(free) = self.free_bytes else { return Ok(()) };
        write!(f, "; {} free", count::bytes(free))?;
        let more = self.forecast_bytes.map_or(0, |forecast| forecast - self.bytes);
        if more > free { f.write_str(": NOT ENOUGH, the run will pause") } else { Ok(()) }
    }
}
