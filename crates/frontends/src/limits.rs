//! How long an engine thinks, and when it gives up.

use std::time::Duration;

/// What ends the search of a move; the clock of a game comes on top. Whatever is reached first
/// counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Playouts at most.
    pub playouts: Option<u32>,
    /// Time at most.
    pub time: Option<Duration>,
    /// Playouts where there is neither a limit above nor a clock.
    pub otherwise: u32,
}

impl Limits {
    /// Playouts of a move, if they are what ends it; `timed` says that a clock runs.
    pub(crate) fn playouts_of_a_move(&self, timed: bool) -> Option<u32> {
        let free = self.time.is_none() && !timed;
        self.playouts.or_else(|| free.then_some(self.otherwise))
    }
}

/// When an engine resigns: its value, win minus loss, is below `value` for `turns` of its moves in
/// a row (`KataGo`, `resignThreshold` and `resignConsecTurns` of its GTP configuration: -0.90 and
/// 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resignation {
    /// In [-1, 1]; -1 is never.
    pub value: f32,
    /// Own moves in a row.
    pub turns: u32,
}

impl Default for Resignation {
    fn default() -> Self {
        Self { value: -0.9, turns: 3 }
    }
}
