//! Messages to systemd: the run is ready, its progress, and that the driver is not stuck.
//!
//! Nothing is sent unless systemd started the driver with `Type=notify`.

use std::time::{Duration, Instant};

use sd_notify::NotifyState;

/// Sends messages to systemd. A failure to send one does not affect the run.
#[derive(Debug)]
pub(super) struct Notifier {
    /// The time between watchdog messages, a third of `WatchdogSec`.
    every: Option<Duration>,
    /// When the last watchdog message was sent.
    reported: Option<Instant>,
    status: String,
}

impl Notifier {
    pub(super) fn new() -> Self {
        let every = sd_notify::watchdog_enabled().map(|time| time / 3);
        Self { every, reported: None, status: String::new() }
    }

    /// Reports that the run is open and its stages are about to start.
    pub(super) fn ready(&mut self, status: String) {
        send(&[NotifyState::Ready, NotifyState::Status(&status)]);
        self.status = status;
    }

    /// Reports the progress, which `systemctl status` shows. Sent when it changes.
    pub(super) fn status(&mut self, status: String) {
        if status != self.status {
            send(&[NotifyState::Status(&status)]);
            self.status = status;
        }
    }

    /// Reports that the driver is not stuck. Its loop calls this several times a second.
    pub(super) fn alive(&mut self) {
        let is_due = |every: Duration| self.reported.is_none_or(|at| at.elapsed() >= every);
        if self.every.is_some_and(is_due) {
            send(&[NotifyState::Watchdog]);
            self.reported = Some(Instant::now());
        }
    }

    /// Reports that the driver is about to end.
    pub(super) fn stopping() {
        send(&[NotifyState::Stopping]);
    }
}

fn send(messages: &[NotifyState<'_>]) {
    let _ = sd_notify::notify(messages);
}
