//! Rows that a group of threads puts into shared memory.

use crate::cuda::tiles::{RUN, TILE};

/// Some channels of rows `[rows, C]` that follow each other. Known when a kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::cuda) struct Window {
    /// C, channels that are there.
    pub(in crate::cuda) channels: usize,
    /// Tiles of channels that are taken; those that are not there are zero.
    pub(in crate::cuda) tiles: usize,
    /// How many rows before the one that is named it begins.
    pub(in crate::cuda) before: usize,
    /// Rows; those before the first of all and behind the last are zero.
    pub(in crate::cuda) rows: usize,
    /// Rows of zeros behind them.
    pub(in crate::cuda) blank: usize,
}

impl Window {
    /// Runs of [`RUN`] channels of a row.
    pub(in crate::cuda) const fn runs(&self) -> usize {
        self.tiles * TILE / RUN
    }

    /// Runs from a row to the next. An odd number, so that the same run of eight rows that follow
    /// each other is in eight different places of the 128 bytes that a card reads at a time.
    pub(in crate::cuda) const fn stride(&self) -> usize {
        self.runs() + 1
    }

    /// Runs of all rows, blank ones too.
    pub(in crate::cuda) const fn shared_runs(&self) -> usize {
        (self.rows + self.blank) * self.stride()
    }

    pub(in crate::cuda) const fn shared_bytes(&self) -> usize {
        self.shared_runs() * RUN * 2
    }
}
