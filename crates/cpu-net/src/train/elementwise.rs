//! Elementwise operations on some boards. Lanes of channels are the outer loop, so values of a
//! channel stay in registers.

use std::ops::Range;

use super::batch_norm::Normed;
use super::grid::Grid;
use crate::simd::{Lane, Simd, Task};

/// relu(batch norm of a convolution's outputs + a shift for each board + another stream).
pub(super) struct Activate<'a> {
    pub(super) grid: Grid,
    /// Which of a shard's boards.
    pub(super) boards: Range<usize>,
    /// Of all boards.
    pub(super) normed: &'a Normed,
    /// A row of lanes for each board of the shard, where there are shifts.
    pub(super) shifts: Option<&'a [Lane]>,
    /// Of all boards.
    pub(super) residual: Option<&'a [Lane]>,
    /// The boards that were asked for.
    pub(super) out: &'a mut [Lane],
}

impl Task for Activate<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { grid, boards, normed, shifts, residual, out } = self;
        let lanes = grid.lanes;
        let offset = boards.start * grid.board();
        for board in boards {
            for lane in 0..lanes {
                let scale = s.load(&normed.scale[lane]);
                let mut shift = s.load(&normed.shift[lane]);
                if let Some(shifts) = shifts {
                    shift = s.add(shift, s.load(&shifts[board * lanes + lane]));
                }
                for start in grid.rows(board) {
                    for x in 0..grid.width {
                        let at = start + x * lanes + lane;
                        let mut sum = s.fma(s.load(&normed.raw[at]), scale, shift);
                        if let Some(residual) = residual {
                            sum = s.add(sum, s.load(&residual[at]));
                        }
                        s.store(s.relu(sum), &mut out[at - offset]);
                    }
                }
            }
        }
    }
}

/// Takes a gradient back through relu, in place: 0 where `outputs` are 0.
pub(super) struct Gate<'a> {
    pub(super) grid: Grid,
    /// How many boards there are.
    pub(super) boards: usize,
    pub(super) outputs: &'a [Lane],
    pub(super) gradient: &'a mut [Lane],
}

impl Task for Gate<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { grid, boards, outputs, gradient } = self;
        for board in 0..boards {
            for start in grid.rows(board) {
                let range = start..start + grid.width * grid.lanes;
                for (g, of) in gradient[range.clone()].iter_mut().zip(&outputs[range]) {
                    s.store(s.gate(s.load(of), s.load(g)), g);
                }
            }
        }
    }
}

/// Sums of each channel over each board: a row of lanes a board, overwritten.
pub(super) struct SumBoards<'a> {
    pub(super) grid: Grid,
    pub(super) boards: usize,
    pub(super) of: &'a [Lane],
    pub(super) sums: &'a mut [Lane],
}

impl Task for SumBoards<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { grid, boards, of, sums } = self;
        for board in 0..boards {
            for lane in 0..grid.lanes {
                let mut sum = s.splat(0.0);
                for start in grid.rows(board) {
                    for x in 0..grid.width {
                        sum = s.add(sum, s.load(&of[start + x * grid.lanes + lane]));
                    }
                }
                s.store(sum, &mut sums[board * grid.lanes + lane]);
            }
        }
    }
}
