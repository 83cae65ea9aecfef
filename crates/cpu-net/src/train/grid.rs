//! Padded boards, one after another.

use std::ops::Range;

use crate::simd::{LANE, Lane, numbers_of};

/// What padded boards look like: a border of one zero point on each side, a row of lanes a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) height: usize,
    pub(super) width: usize,
    /// Lanes of a point.
    pub(super) lanes: usize,
}

impl Grid {
    /// Lanes of a board.
    pub(super) fn board(self) -> usize {
        (self.height + 2) * (self.width + 2) * self.lanes
    }

    /// Points of a board that are no border.
    pub(super) fn area(self) -> usize {
        self.height * self.width
    }

    /// Lanes of some boards.
    pub(super) fn boards(self, boards: &Range<usize>) -> Range<usize> {
        boards.start * self.board()..boards.end * self.board()
    }

    /// Where each row of a board begins, border left out, counted from the first lane of all
    /// boards.
    #[inline(always)]
    pub(super) fn rows(self, board: usize) -> impl Iterator<Item = usize> {
        let stride = (self.width + 2) * self.lanes;
        let first = board * self.board() + stride + self.lanes;
        (0..self.height).map(move |y| first + y * stride)
    }

    /// From padded boards to `[B * H * W, C]`.
    pub(super) fn unpad(self, boards: usize, from: &[Lane], channels: usize) -> Vec<f32> {
        let mut points = Vec::with_capacity(boards * self.area() * channels);
        for start in (0..boards).flat_map(|board| self.rows(board)) {
            for point in from[start..][..self.width * self.lanes].chunks_exact(self.lanes) {
                points.extend_from_slice(&numbers_of(point)[..channels]);
            }
        }
        points
    }

    /// From `[B * H * W, C]` to padded boards, whose borders are left alone.
    pub(super) fn pad(self, boards: usize, from: &[f32], channels: usize, to: &mut [Lane]) {
        let mut points = from.chunks_exact(channels);
        for start in (0..boards).flat_map(|board| self.rows(board)) {
            let row = &mut to[start..][..self.width * self.lanes];
            for (to, from) in row.chunks_exact_mut(self.lanes).zip(&mut points) {
                for (lane, numbers) in to.iter_mut().zip(from.chunks(LANE)) {
                    lane.0[..numbers.len()].copy_from_slice(numbers);
                }
            }
        }
    }
}
