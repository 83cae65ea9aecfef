//! How long an engine searches, and when it resigns.

use std::time::Duration;

/// Limits of a move's search. The clock of a game is a further limit; the first limit that is
/// reached ends the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Playouts at most.
    pub playouts: Option<u32>,
    /// Time at most.
    pub time: Option<Duration>,
    /// Playouts if neither limit is given and no clock runs.
    pub default_playouts: u32,
}

impl Limits {
    /// Returns the playouts that end a move's search, if any. `timed` means that a clock runs.
    pub(crate) fn playouts_of_a_move(&self, timed: bool) -> Option<u32> {
        let free = self.time.is_none() && !timed;
        self.playouts.or_else(|| free.then_some(self.default_playouts))
    }
}

/// When an engine resigns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resignation {
    /// A value, win minus loss for the engine, in [-1, 1]; -1 is never.
    pub value: f32,
    /// What has to be below it, and for how long.
    pub rule: ResignRule,
}

/// What has to be below the threshold before an engine resigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResignRule {
    /// The value of the position, on so many of the engine's moves in a row (`KataGo`,
    /// `resignThreshold` and `resignConsecTurns` of its GTP configuration: -0.90 and 3).
    Turns(u32),
    /// The value of the best move, once: `max_a Q(s,a)`, at once and whatever the position is worth
    /// (Silver et al. 2016, Methods, "Search algorithm": -0.8).
    BestMove,
}

impl Default for Resignation {
    fn default() -> Self {
        Self { value: -0.9, rule: ResignRule::Turns(3) }
    }
}
