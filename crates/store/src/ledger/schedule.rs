//! Whose turn it is.
//!
//! Each stage has its own next cycle and may begin it once the stage before has closed it.
//! Self-play alone is held back: it may be some cycles ahead of the gate. With none it waits for
//! the gate, so that one turn follows another and the same bytes come out; that is the synchronous
//! mode. With one or more all stages work side by side, each on a cycle of its own: the
//! asynchronous mode.

use std::fmt;

use serde::Serialize;

use super::entry::Stage;
use super::state::RunState;

/// What the run waits for. After a kill the same turn comes back: a stage finds in the state what
/// it has published already and goes on from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "turn", rename_all = "snake_case")]
pub enum StageTurn {
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

impl StageTurn {
    /// What the oldest cycle that is not over waits for: the only turn where stages take turns.
    pub(super) fn oldest(state: &RunState) -> Self {
        let turns = Stage::WORKERS.into_iter().filter_map(|stage| Self::of(state, stage, 0));
        turns.min_by_key(|turn| turn.cycle()).unwrap_or(Self::Finished)
    }

    /// The turn that a stage may take in a state, with self-play at most `lead_cycles` ahead of the
    /// gate; `None` where it waits for another stage.
    pub(super) fn of(state: &RunState, stage: Stage, lead_cycles: u32) -> Option<Self> {
        if state.finished.is_some() {
            return Some(Self::Finished);
        }
        let cycle = next_cycle(state, stage);
        let now = state.cycles.get(&cycle);
        match stage {
            Stage::Selfplay => {
                // Without a network more games would only be more of the same.
                let lead = if state.champion.is_some() { lead_cycles } else { 0 };
                let newest = state.cycle().saturating_add(lead);
                (cycle <= newest).then_some(Self::Selfplay { cycle })
            }
            Stage::Shuffler => now?.games_done.as_ref().map(|_| Self::Shuffle { cycle }),
            Stage::Trainer => now?.rows.as_ref().map(|_| Self::Train { cycle }),
            Stage::Gatekeeper => now?.candidate.as_ref().map(|_| Self::Gate { cycle }),
            Stage::Driver => None,
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

/// The first cycle of those not over that a stage has not closed.
pub(super) fn next_cycle(state: &RunState, stage: Stage) -> u32 {
    let open = state.cycle();
    let closed = state.cycles.range(open..).take_while(|(_, now)| match stage {
        Stage::Selfplay => now.games_done.is_some(),
        Stage::Shuffler => now.rows.is_some(),
        Stage::Trainer => now.candidate.is_some(),
        Stage::Gatekeeper | Stage::Driver => false,
    });
    open + closed.count() as u32
}

impl RunState {
    /// The oldest turn that is not taken. The number of cycles to run is the configuration's: a
    /// self-play stage that finds a turn beyond it waits for `finished`.
    pub fn turn(&self) -> StageTurn {
        StageTurn::oldest(self)
    }

    /// The turn that `stage` may take, with self-play at most `lead_cycles` ahead of the gate (0:
    /// the stages take turns); `None` where it waits for another stage. The driver has no turns.
    pub fn turn_of(&self, stage: Stage, lead_cycles: u32) -> Option<StageTurn> {
        StageTurn::of(self, stage, lead_cycles)
    }

    /// The turns that the stages may take now, in words, up to cycle `cycles_max`.
    pub fn turns_text(&self, lead_cycles: u32, cycles_max: u32) -> String {
        let turns = Stage::WORKERS.into_iter().filter_map(|stage| self.turn_of(stage, lead_cycles));
        let turns = turns.filter(|turn| turn.cycle().is_some_and(|cycle| cycle <= cycles_max));
        let words: Vec<String> = turns.map(|turn| turn.to_string()).collect();
        if words.is_empty() { self.turn().to_string() } else { words.join("; ") }
    }

    /// The first cycle that is not over.
    pub const fn cycle(&self) -> u32 {
        self.cycles_done + 1
    }

    /// The first cycle that `stage` has not closed.
    pub(crate) fn next_cycle(&self, stage: Stage) -> u32 {
        next_cycle(self, stage)
    }
}

impl fmt::Display for StageTurn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.stage(), self.cycle()) {
            (Some(stage), Some(cycle)) => write!(f, "{stage}, cycle {cycle}"),
            _ => f.write_str("finished"),
        }
    }
}
