//! Products of transposed rows with rows: the gradients of matrices.

use std::ops::Range;

use crate::matrix::{parts, run_sized};
use crate::simd::{LANE, Lane, Simd, Task, numbers_of};
use crate::winograd::Spread;

/// Adds to each frequency's matrix of sums, `[in, out]`, its inputs' rows, transposed, times its
/// gradients' rows.
pub(super) struct Accumulate<'a> {
    pub(super) spread: &'a Spread,
    pub(super) boards: usize,
    /// Of the inputs, which are as many lanes as the gradients.
    pub(super) rows: &'a [Lane],
    pub(super) gradients: &'a [Lane],
    pub(super) sums: &'a mut [Lane],
}

impl Task for Accumulate<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { spread, boards, rows, gradients, sums } = self;
        let (_, each) = spread.sums_len();
        for (range, sums) in spread.ranges(boards).zip(sums.chunks_exact_mut(each)) {
            let rows = &rows[range.clone()];
            let gradients = &gradients[range];
            for columns in parts(spread.lanes, S::WIDTH_MAX) {
                matrix(s, spread.lanes, columns, rows, gradients, sums);
            }
        }
    }
}

/// One panel of columns of one matrix.
#[inline(always)]
fn matrix<S: Simd>(
    s: S,
    lanes: usize,
    columns: Range<usize>,
    rows: &[Lane],
    gradients: &[Lane],
    sums: &mut [Lane],
) {
    for inputs in parts(lanes * LANE, S::rows_max(columns.len())) {
        let input = inputs.start;
        let first = columns.start;
        let block = Block { lanes, input, first, rows, gradients, sums: &mut *sums };
        run_sized!(s, (inputs.len(), columns.len()), Sized(block));
    }
}

/// `R` inputs times `N` lanes of outputs.
struct Block<'a> {
    lanes: usize,
    /// The first input.
    input: usize,
    /// The first lane of outputs.
    first: usize,
    rows: &'a [Lane],
    gradients: &'a [Lane],
    sums: &'a mut [Lane],
}

/// A block whose size the compiler knows.
struct Sized<'a, const R: usize, const N: usize>(Block<'a>);

impl<const R: usize, const N: usize> Task for Sized<'_, R, N> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "iterators may not be inlined, indices are")]
    fn go<S: Simd>(self, s: S) {
        let Block { lanes, input, first, rows, gradients, sums } = self.0;
        let mut totals = [[s.splat(0.0); N]; R];
        let rows = numbers_of(rows).chunks_exact(lanes * LANE);
        for (row, gradient) in rows.zip(gradients.chunks_exact(lanes)) {
            let row = &row[input..input + R];
            let gradient = &gradient[first..first + N];
            let mut g = [s.splat(0.0); N];
            for n in 0..N {
                g[n] = s.load(&gradient[n]);
            }
            for r in 0..R {
                let x = s.splat(row[r]);
                for n in 0..N {
                    totals[r][n] = s.fma(x, g[n], totals[r][n]);
                }
            }
        }
        for r in 0..R {
            let sums = &mut sums[(input + r) * lanes + first..][..N];
            for n in 0..N {
                s.store(s.add(s.load(&sums[n]), totals[r][n]), &mut sums[n]);
            }
        }
    }
}
