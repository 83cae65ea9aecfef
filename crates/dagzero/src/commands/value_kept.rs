//! How often moves kept the value of solved positions.

use std::fmt;

use dz_stats::wilson;
use serde::Serialize;

/// How many positions kept their value by the move that was chosen, one position a move. Outside
/// programs rely on the names.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct ValueKept {
    pub(super) positions: u64,
    pub(super) preserving: u64,
    pub(super) share: f64,
    /// 95 % interval of the share (Wilson). It assumes independent positions, so it is too narrow
    /// where games repeat each other.
    pub(super) lo95: f64,
    pub(super) hi95: f64,
}

impl ValueKept {
    /// From whether each move kept the value.
    pub(super) fn of(preserved: impl Iterator<Item = bool>) -> Self {
        let mut positions = 0;
        let mut preserving = 0;
        for kept in preserved {
            positions += 1;
            preserving += u64::from(kept);
        }
        let interval = wilson(preserving, positions);
        let [share, lo95, hi95] = [interval.share, interval.lo95, interval.hi95];
        Self { positions, preserving, share, lo95, hi95 }
    }

    /// The share and its interval, in percent.
    pub(super) fn percent(&self) -> [f64; 3] {
        [self.share, self.lo95, self.hi95].map(|share| 100.0 * share)
    }
}

impl fmt::Display for ValueKept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { positions, preserving, .. } = self;
        let [share, lo95, hi95] = self.percent();
        write!(f, "{preserving} of {positions}, {share:.1} % (95 %: {lo95:.1} to {hi95:.1})")
    }
}
