//! The outputs' transform, transposed: from the gradient of a board's outputs to its rows of every frequency.

use crate::simd::{Lane, Simd, Task};
use crate::transform::sized;
use crate::winograd::{POINTS, Spread, TILE_MAX};

/// Transforms a padded board of gradients into its rows of every frequency.
pub(super) struct Adjoint<'a> {
    pub(super) spread: &'a Spread,
    pub(super) from: &'a [Lane],
    pub(super) to: &'a mut [Lane],
    pub(super) boards: usize,
    pub(super) board: usize,
}

impl Task for Adjoint<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { spread, from, to, boards, board } = self;
        let (lanes, stride) = (spread.lanes, spread.tiling.width + 2);
        for tile in &spread.tiles {
            let rows = spread.rows(tile, boards, board);
            let corner = ((tile.y + 1) * stride + tile.x + 1) * lanes;
            let mut half = [[s.splat(0.0); POINTS]; TILE_MAX];
            for lane in 0..lanes {
                let (from, half) = (&from[corner + lane..], &mut half[..tile.rows]);
                sized!(tile.columns, adjoint_rows(s, from, [lanes, stride * lanes], half));
                sized!(tile.rows, adjoint_columns(s, half, tile.columns + 2, to, &rows, lane));
            }
        }
    }
}

/// Transforms each row of a tile of `N` columns; `strides` are those of columns and of rows.
#[inline(always)]
fn adjoint_rows<S: Simd, const N: usize>(
    s: S,
    from: &[Lane],
    strides: [usize; 2],
    half: &mut [[S::V; POINTS]],
) {
    for (i, half) in half.iter_mut().enumerate() {
        let from = &from[i * strides[1]..];
        let mut y = [s.splat(0.0); TILE_MAX];
        for (j, y) in y.iter_mut().enumerate().take(N) {
            *y = s.load(&from[j * strides[0]]);
        }
        *half = adjoint_1d::<S, N>(s, y);
    }
}

/// Transforms each of `columns` columns of `M` rows.
#[inline(always)]
fn adjoint_columns<S: Simd, const M: usize>(
    s: S,
    half: &[[S::V; POINTS]],
    columns: usize,
    to: &mut [Lane],
    rows: &[[usize; POINTS]; POINTS],
    lane: usize,
) {
    for b in 0..columns {
        let mut y = [s.splat(0.0); TILE_MAX];
        for (y, row) in y.iter_mut().zip(half) {
            *y = row[b];
        }
        let v = adjoint_1d::<S, M>(s, y);
        for a in 0..M + 2 {
            s.store(v[a], &mut to[rows[a][b] + lane]);
        }
    }
}

/// From the gradients of `M` outputs to those of the values at `M + 2` points: at p the sum of p^j times that of
/// output j, at infinity that of the last.
#[inline(always)]
fn adjoint_1d<S: Simd, const M: usize>(s: S, y: [S::V; TILE_MAX]) -> [S::V; POINTS] {
    let times = |k: f32, a: S::V, b: S::V| s.fma(s.splat(k), a, b);
    let zero = s.splat(0.0);
    let [y0, y1, y2, y3] = y;
    match M {
        1 => [y0, y0, y0, zero, zero, zero],
        2 => [y1, y0, s.add(y0, y1), s.sub(y0, y1), zero, zero],
        3 => {
            let even = s.add(y0, y2);
            let two = times(4.0, y2, times(2.0, y1, y0));
            [y2, y0, s.add(even, y1), s.sub(even, y1), two, zero]
        }
        _ => {
            let (even, odd) = (s.add(y0, y2), s.add(y1, y3));
            let even2 = times(4.0, y2, y0);
            let odd2 = times(8.0, y3, times(2.0, y1, zero));
            let ones = [s.add(even, odd), s.sub(even, odd)];
            [y3, y0, ones[0], ones[1], s.add(even2, odd2), s.sub(even2, odd2)]
        }
    }
}
