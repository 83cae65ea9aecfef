//! The wish to stop: first a drain, then an abort.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context;

use crate::exit::TRY_AGAIN;
use crate::parent::driver_id;

/// How often a stop was asked for. Cheap to clone; all clones agree.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU32>);

impl Stop {
    /// Nobody has asked yet, and no signal will.
    pub fn new() -> Self {
        Self::default()
    }

    /// For a stage: the first Ctrl-C or SIGTERM asks it to drain (finish what is in flight, publish),
    /// the second ends the process at once with [`TRY_AGAIN`]; what is published is whole. Under a
    /// driver no number of signals does: the driver kills, and a dying driver with several threads
    /// causes several parent-death signals.
    pub fn of_stage() -> anyhow::Result<Self> {
        Self::on_signals(if driver_id().is_some() { u32::MAX } else { 2 })
    }

    /// For a driver: as a stage, but the second signal is left to the supervisor, which kills the
    /// stages first; the third ends the process at once.
    pub fn of_driver() -> anyhow::Result<Self> {
        Self::on_signals(3)
    }

    /// Asks once more.
    pub fn ask(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether anybody asked: drain.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    /// Whether somebody asked again: abort.
    pub fn urgent(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }

    fn on_signals(abort_at: u32) -> anyhow::Result<Self> {
        let stop = Self::new();
        let asked = stop.clone();
        let mut signals = 0_u32;
        ctrlc::set_handler(move || {
            asked.ask();
            signals += 1;
            if signals >= abort_at {
                process::exit(i32::from(TRY_AGAIN));
            }
        })
        .context("cannot listen for Ctrl-C and SIGTERM")?;
        Ok(stop)
    }
}
