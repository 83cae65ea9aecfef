//! What the home of a run's matches works with.

use dz_config::RunConfig;
use dz_fleet::MATCHES;
use dz_game::GameSpec;
use dz_stage::{EventSink, Stop};
use dz_store::{Mailbox, Run, Stage};

use super::lease::HomeLease;
use super::mail::Route;
use super::plan::own_mailbox;

/// What a home of matches works with.
#[derive(Clone)]
pub(super) struct MatchContext {
    pub(super) run: Run,
    pub(super) config: RunConfig,
    pub(super) events: EventSink,
    pub(super) stop: Stop,
    pub(super) spec: GameSpec,
    pub(super) cycle: u32,
    pub(super) version: String,
}

impl MatchContext {
    /// Shows a note to the user.
    pub(super) fn note(&self, text: String) {
        self.events.note(Stage::Gatekeeper, text);
    }

    /// The part of the run's mailbox that matches go through.
    ///
    /// # Errors
    /// What the mailbox refuses for good, and that another home took over.
    pub(super) fn route(&self) -> anyhow::Result<Route> {
        let address = self.config.mailbox().unwrap_or_default();
        let note = |text: String| self.note(text);
        let root: Mailbox = own_mailbox(&self.run, address, &self.stop, note)?;
        let epoch = HomeLease::of_stage(&self.run, &self.config, &root, &self.stop, note)?;
        let mailbox = root.below(MATCHES)?;
        Ok(Route { root, mailbox, part: "matches/", epoch })
    }
}
