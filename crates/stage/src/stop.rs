//! The wish to stop: first a drain, then an abort.

use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use dz_store::remedy::advice;

use crate::driver_id::driver_id;
use crate::exit::TRY_AGAIN;
use crate::signals::listen;

/// How often a stop was asked for. Cheap to clone; all clones agree.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicU32>);

impl Stop {
    /// Nobody has asked yet, and no signal will.
    pub fn new() -> Self {
        Self::default()
    }

    /// For a stage: the first SIGINT (Ctrl-C), SIGTERM or SIGHUP asks it to drain (finish what is
    /// in flight, publish), the second ends the process at once with [`TRY_AGAIN`]. Published files
    /// are whole either way. Under a driver, repeated signals do not end the process: the driver
    /// kills it, and a dying driver with several threads causes several parent-death signals.
    /// Signals that are ignored when the process starts stay ignored, except the SIGTERM of a
    /// driver.
    pub fn of_stage() -> anyhow::Result<Self> {
        if driver_id().is_some() {
            Self::on_signals(&[libc::SIGTERM], u32::MAX)
        } else {
            Self::on_signals(&[], 2)
        }
    }

    /// For a driver: as a stage, but the second signal is left to the supervisor, which kills the
    /// stages first; the third ends the process at once.
    pub fn of_driver() -> anyhow::Result<Self> {
        Self::on_signals(&[], 3)
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

    fn on_signals(always: &[libc::c_int], abort_at: u32) -> anyhow::Result<Self> {
        let stop = Self::new();
        let asked = stop.clone();
        let mut signals = 0_u32;
        let each = move || {
            asked.ask();
            signals += 1;
            if signals >= abort_at {
                process::exit(i32::from(TRY_AGAIN));
            }
        };
        listen(always, each).map_err(|error| {
            let advice = advice(&error);
            anyhow::Error::new(error).context(format!("cannot listen for signals; {advice}"))
        })?;
        Ok(stop)
    }
}
