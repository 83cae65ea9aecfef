//! The gradients of the first convolution and of the globals' weights.

use std::ops::Range;

use dz_infer::EncodedBatch;
use dz_network_file::NetworkSpec;

use super::grid::Grid;
use crate::simd::{Lane, Simd, Task, lanes_of, numbers_of};

/// Adds a board's part to the gradient of the first convolution's weights: sums of gradients around
/// set bits.
pub(super) struct StemBack<'a> {
    pub(super) grid: Grid,
    pub(super) channels_in: usize,
    pub(super) planes: &'a [u8],
    /// Of the convolution's outputs, a board with a blank border.
    pub(super) gradient: &'a [Lane],
    /// `[C_in, 9]` rows of lanes.
    pub(super) sums: &'a mut [Lane],
}

impl Task for StemBack<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { grid, channels_in, planes, gradient, sums } = self;
        let lanes = grid.lanes;
        let padded = grid.width + 2;
        for (i, &byte) in planes.iter().enumerate() {
            let mut byte = byte;
            while byte != 0 {
                let bit = i * 8 + byte.trailing_zeros() as usize;
                byte &= byte - 1;
                let channel = bit / grid.area();
                let point = bit % grid.area();
                if channel >= channels_in {
                    break;
                }
                // As in `StemOnBoard`: tap 8 reaches the first of the nine outputs, tap 0 the last.
                let corner = (point / grid.width) * padded + point % grid.width;
                let taps = &mut sums[channel * 9 * lanes..][..9 * lanes];
                for (tap, sums) in taps.chunks_exact_mut(lanes).enumerate() {
                    let down = 2 - tap / 3;
                    let right = 2 - tap % 3;
                    let outputs = &gradient[(corner + down * padded + right) * lanes..][..lanes];
                    for (sum, gradient) in sums.iter_mut().zip(outputs) {
                        s.store(s.add(s.load(sum), s.load(gradient)), sum);
                    }
                }
            }
        }
    }
}

/// From `[C_in, 9]` rows of lanes to weights `[C, C_in, 3, 3]`.
pub(super) fn weights(spec: &NetworkSpec, sums: &[Lane], lanes: usize) -> Vec<f32> {
    let taps = spec.channels_in * 9;
    let mut weights = vec![0.0; spec.channels * taps];
    for (tap, row) in sums.chunks_exact(lanes).enumerate() {
        for (channel, number) in numbers_of(row)[..spec.channels].iter().enumerate() {
            weights[channel * taps + tap] = *number;
        }
    }
    weights
}

/// The globals of some rows, a slice each.
fn globals_of<'a>(
    spec: &NetworkSpec,
    batch: &'a EncodedBatch,
    rows: Range<usize>,
) -> impl Iterator<Item = &'a [f32]> + use<'a> {
    let globals = spec.globals;
    batch.globals[rows.start * globals..rows.end * globals].chunks_exact(globals)
}

/// What the globals add to each channel of each board, a row of lanes a board.
pub(super) fn shifts(
    spec: &NetworkSpec,
    weight: &[f32],
    batch: &EncodedBatch,
    rows: Range<usize>,
    lanes: usize,
) -> Vec<Lane> {
    let globals = spec.globals;
    let mut shifts = Vec::with_capacity(rows.len() * lanes);
    for given in globals_of(spec, batch, rows) {
        let products = |row: &[f32]| row.iter().zip(given).map(|(w, g)| w * g).sum::<f32>();
        let row = lanes_of(weight.chunks_exact(globals).map(products));
        shifts.extend(row);
    }
    shifts
}

/// The gradient of the globals' weights, `[C, G]`, from the sums over each board, a row of lanes
/// each.
pub(super) fn globals_gradient(
    spec: &NetworkSpec,
    batch: &EncodedBatch,
    rows: Range<usize>,
    sums: &[Lane],
    lanes: usize,
) -> Vec<f32> {
    let globals = spec.globals;
    let mut gradient = vec![0.0; spec.channels * globals];
    for (given, sums) in globals_of(spec, batch, rows).zip(sums.chunks_exact(lanes)) {
        for (row, sum) in gradient.chunks_exact_mut(globals).zip(numbers_of(sums)) {
            for (gradient, global) in row.iter_mut().zip(given) {
                *gradient += sum * global;
            }
        }
    }
    gradient
}
