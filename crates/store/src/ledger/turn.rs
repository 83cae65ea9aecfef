//! Whose turn it is while the stages take turns.

use std::fmt;

use serde::Serialize;

use super::entry::Stage;
use super::state::RunState;

/// What the run waits for. After a kill the same turn comes back: a stage finds in the state what
/// it has published already and goes on from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "turn", rename_all = "snake_case")]
pub enum Turn {
    /// The cycle's games: until `games_done`.
    Selfplay {
        /// The cycle.
        cycle: u32,
    },
    /// The cycle's rows: until `rows`.
    Shuffle {
        /// The cycle.
        cycle: u32,
    },
    /// The cycle's training: until `candidate`.
    Train {
        /// The cycle.
        cycle: u32,
    },
    /// The cycle's gate and ratings: until `cycle_done`.
    Gate {
        /// The cycle.
        cycle: u32,
    },
    /// Nobody: the run is over.
    Finished,
}

impl Turn {
    /// The turn that follows from a state.
    pub(super) fn of(state: &RunState) -> Self {
        if state.finished.is_some() {
            return Self::Finished;
        }
        let cycle = state.cycle();
        let Some(now) = state.cycles.get(&cycle) else {
            return Self::Selfplay { cycle };
        };
        if now.games_done.is_none() {
            Self::Selfplay { cycle }
        } else if now.rows.is_none() {
            Self::Shuffle { cycle }
        } else if now.candidate.is_none() {
            Self::Train { cycle }
        } else {
            Self::Gate { cycle }
        }
    }

    /// The stage whose turn it is; `None` when the run is over.
    pub const fn stage(self) -> Option<Stage> {
        match self {
            Self::Selfplay { .. } => Some(Stage::Selfplay),
            Self::Shuffle { .. } => Some(Stage::Shuffler),
            Self::Train { .. } => Some(Stage::Trainer),
            Self::Gate { .. } => Some(Stage::Gatekeeper),
            Self::Finished => None,
        }
    }

    /// The cycle; `None` when the run is over.
    pub const fn cycle(self) -> Option<u32> {
        match self {
            Self::Selfplay { cycle }
            | Self::Shuffle { cycle }
            | Self::Train { cycle }
            | Self::Gate { cycle } => Some(cycle),
            Self::Finished => None,
        }
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.stage(), self.cycle()) {
            (Some(stage), Some(cycle)) => write!(f, "{stage}, cycle {cycle}"),
            _ => f.write_str("finished"),
        }
    }
}
