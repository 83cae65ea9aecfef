//! Rows that a group of threads puts into shared memory.

use crate::cuda::tiles::RUN;
use crate::cuda::tiles::TILE;

/// Some channels of rows `[rows, C]` that follow each other. Known when a kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Window {
    /// C, channels that are there.
    pub(super) channels: usize,
    /// Tiles of channels that are taken; those that are not there are zero.
    pub(super) tiles: usize,
    /// How many rows before the one that is named it begins.
    pub(super) before: usize,
    /// Rows; those before the first of all and behind the last are zero.
    pub(super) rows: usize,
    /// Rows of zeros behind them.
    pub(super) blank: usize,
}

impl Window {
    /// Runs of [`RUN`] channels of a row.
    pub(super) const fn runs(&self) -> usize {
        self.tiles * TILE / RUN
    }

    /// Runs from a row to the next. An odd number, so that the same run of eight rows that follow
    /// each other is in eight different places of the 128 bytes that a card reads at a time.
    pub(super) const fn stride(&self) -> usize {
        self.runs() + 1
    }

    /// Runs of all rows, blank ones too.
    pub(super) const fn shared_runs(&self) -> usize {
        (self.rows + self.blank) * self.stride()
    }

    pub(super) const fn shared_bytes(&self) -> usize {
        self.shared_runs() * RUN * 2
    }
}
