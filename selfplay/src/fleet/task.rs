//! What a worker finds to play, and what comes of it.

use dz_config::RunConfig;
use dz_fleet::{Board, MatchesPlan, Plan, UnitKind};

use super::options::{WorkerRefused, accept};

/// A plan that a worker plays.
pub(super) enum Task {
    /// Of self-play games.
    Games(Box<Plan>),
    /// Of matches.
    Matches(Box<MatchesPlan>),
}

impl Task {
    /// Identifies a plan.
    pub(super) fn key(&self) -> (UnitKind, u64) {
        match self {
            Self::Games(plan) => (UnitKind::Games, plan.number),
            Self::Matches(plan) => (UnitKind::Match, plan.number),
        }
    }

    pub(super) fn accept(&self, version: &str) -> Result<RunConfig, WorkerRefused> {
        match self {
            Self::Games(plan) => accept(&**plan, version),
            Self::Matches(plan) => accept(&**plan, version),
        }
    }
}

/// What the mailbox has for a worker.
pub(super) enum Look {
    /// This plan, and the board that shows it.
    Plan(Task, Board),
    /// Nothing now, for this reason.
    Nothing(&'static str),
    /// No home has ever begun here.
    NoHome,
    /// The run is over.
    Finished,
}

/// What came of a plan.
pub(super) enum Played {
    /// So many units were handed in; and why the last claim failed, if it did.
    Units(u64, Option<String>),
    /// It could not be played, since this is missing.
    Missing(&'static str),
}
