//! What systemd hears where it has started the driver (`Type=notify`): that the run is ready, how
//! far it is, and that the driver lives. Without systemd nothing is sent.

use std::time::{Duration, Instant};

use sd_notify::NotifyState;

/// Messages to systemd. One that cannot be sent is lost; the run goes on.
#[derive(Debug)]
pub(super) struct Notifier {
    /// How often systemd wants to hear from us, a third of `WatchdogSec`.
    every: Option<Duration>,
    /// When it heard from us last.
    told: Option<Instant>,
    status: String,
}

impl Notifier {
    pub(super) fn new() -> Self {
        let every = sd_notify::watchdog_enabled().map(|time| time / 3);
        Self { every, told: None, status: String::new() }
    }

    /// The run is open, and its stages are about to start.
    pub(super) fn ready(&mut self, status: String) {
        send(&[NotifyState::Ready, NotifyState::Status(&status)]);
        self.status = status;
    }

    /// How far the run is, which `systemctl status` shows; sent when it changes.
    pub(super) fn status(&mut self, status: String) {
        if status != self.status {
            send(&[NotifyState::Status(&status)]);
            self.status = status;
        }
    }

    /// The driver is not stuck. Called from its loop, some times a second.
    pub(super) fn alive(&mut self) {
        let is_due = |every: Duration| self.told.is_none_or(|told| told.elapsed() >= every);
        if self.every.is_some_and(is_due) {
            send(&[NotifyState::Watchdog]);
            self.told = Some(Instant::now());
        }
    }

    /// The driver is about to end.
    pub(super) fn stopping() {
        send(&[NotifyState::Stopping]);
    }
}

fn send(messages: &[NotifyState<'_>]) {
    let _ = sd_notify::notify(messages);
}
