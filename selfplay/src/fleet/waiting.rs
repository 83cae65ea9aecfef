//! Waiting for something to play.

use std::thread;
use std::time::{Duration, Instant};

use dz_stage::Stop;

use super::options::WorkerEnd;

/// How often a wait checks whether to stop.
pub(super) const SLICE: Duration = Duration::from_millis(50);

/// Waits, as long as there is patience.
pub(super) struct Waiting<'a> {
    pub(super) patience: Duration,
    pub(super) stop: &'a Stop,
    pub(super) since: Instant,
}

impl Waiting<'_> {
    /// Waits for `pause`. Returns how the worker ends if somebody asked to stop or patience is
    /// over.
    pub(super) fn wait(&mut self, pause: Duration, why: &str) -> Option<WorkerEnd> {
        let until = Instant::now() + pause;
        loop {
            if self.stop.requested() {
                return Some(WorkerEnd::TryAgain("asked to stop".to_owned()));
            }
            if self.since.elapsed() > self.patience {
                let seconds = self.patience.as_secs();
                let text = format!("nothing to play for {seconds} s ({why})");
                return Some(WorkerEnd::TryAgain(text));
            }
            let rest = until.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                return None;
            }
            thread::sleep(rest.min(SLICE));
        }
    }
}
