//! Products of rows of lanes with a packed matrix: all of the network's multiplications.

use std::ops::Range;

use crate::simd::{LANE, Lane, Simd, Task, Vectors};

/// A matrix `[in, out]` of weights, cut into panels of a few lanes of outputs. A panel is
/// `[in, width]` lanes, so that a product reads it from front to back.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    /// Lanes of a row that is multiplied.
    pub(crate) lanes_in: usize,
    /// Lanes of a row of the product.
    pub(crate) lanes_out: usize,
    /// Lanes of each panel; they add up to `lanes_out`.
    widths: Vec<usize>,
    data: Vec<Lane>,
}

impl Matrix {
    /// A matrix of zeros, to be written lane by lane.
    pub(crate) fn zeros(vectors: Vectors, inputs: usize, outputs: usize) -> Self {
        let lanes_in = inputs.div_ceil(LANE);
        let lanes_out = outputs.div_ceil(LANE);
        let widths = shares(lanes_out, vectors.width_max());
        let data = vec![Lane::default(); lanes_in * LANE * lanes_out];
        Self { lanes_in, lanes_out, widths, data }
    }

    /// The panels: each one's first lane of outputs and its width.
    pub(crate) fn panels(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let mut first = 0;
        self.widths.iter().map(move |&width| {
            first += width;
            (first - width, width)
        })
    }

    /// Where a lane of outputs stands for input `i`, in a panel that starts at lane `first`.
    #[inline(always)]
    pub(crate) fn lane_mut(
        &mut self,
        i: usize,
        (first, width): (usize, usize),
        n: usize,
    ) -> &mut Lane {
        &mut self.data[first * self.lanes_in * LANE + i * width + n]
    }

    /// Packs `weight(in, out)`; what is missing of whole lanes is 0.
    pub(crate) fn new(
        vectors: Vectors,
        inputs: usize,
        outputs: usize,
        weight: impl Fn(usize, usize) -> f32,
    ) -> Self {
        let mut matrix = Self::zeros(vectors, inputs, outputs);
        let Self { lanes_in, widths, data, .. } = &mut matrix;
        let mut first = 0;
        let mut rest = data.as_mut_slice();
        for &width in &*widths {
            let (panel, after) = rest.split_at_mut(*lanes_in * LANE * width);
            rest = after;
            for (i, row) in panel.chunks_exact_mut(width).enumerate().take(inputs) {
                for (j, x) in row.iter_mut().flat_map(|lane| &mut lane.0).enumerate() {
                    let output = first * LANE + j;
                    if output < outputs {
                        *x = weight(i, output);
                    }
                }
            }
            first += width;
        }
        matrix
    }
}

/// `whole` as a sum of parts of at most `most`, as few and as equal as can be, larger ones first.
pub(crate) fn shares(whole: usize, most: usize) -> Vec<usize> {
    parts(whole, most).map(|part| part.len()).collect()
}

/// The same parts, one after another.
#[inline(always)]
pub(crate) fn parts(whole: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    let count = whole.div_ceil(most);
    let mut end = 0;
    (0..count).map(move |part| {
        let first = end;
        end += (whole - first).div_ceil(count - part);
        first..end
    })
}

/// Runs `$task::<rows, width>($block)`, so that the compiler knows the size, for all sizes that fit
/// the registers.
macro_rules! run_sized {
    ($s:ident, $size:expr, $task:ident($block:expr)) => {
        run_sized! { $s, $size, $task($block),
            1: 1 2 3 4 5 6 7 8 9 10 11 12 13 14;
            2: 1 2 3 4 5 6 7 8 9 10 11 12;
            3: 1 2 3 4 5 6 7 8 9;
            4: 1 2 3 4 5 6;
        }
    };
    ($s:ident, $size:expr, $task:ident($block:expr), $($width:literal: $($rows:literal)*;)*) => {
        match $size {
            $($(($rows, $width) if S::WIDTH_MAX >= $width && S::rows_max($width) >= $rows
                => $s.run($task::<$rows, $width>($block)),)*)*
            _ => unreachable!("rows and panels are cut to what fits the registers"),
        }
    };
}
pub(crate) use run_sized;

/// `out = rows x matrix`, each number a sum in the order of the inputs, for any number of rows.
pub(crate) struct Product<'a> {
    /// Rows of `matrix.lanes_in` lanes.
    pub(crate) rows: &'a [Lane],
    pub(crate) matrix: &'a Matrix,
    /// As many rows of `matrix.lanes_out` lanes.
    pub(crate) out: &'a mut [Lane],
}

impl Task for Product<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { rows, matrix, out } = self;
        let Matrix { lanes_in, lanes_out, .. } = *matrix;
        let count = rows.len() / lanes_in;
        let mut first = 0;
        let mut rest = matrix.data.as_slice();
        for &width in &matrix.widths {
            let (panel, after) = rest.split_at(lanes_in * LANE * width);
            rest = after;
            for part in parts(count, S::rows_max(width)) {
                let rows = &rows[part.start * lanes_in..part.end * lanes_in];
                let out = &mut out[part.start * lanes_out..part.end * lanes_out];
                let block = Block { rows, lanes_in, panel, out, lanes_out, first };
                run_sized!(s, (part.len(), width), Sized(block));
            }
            first += width;
        }
    }
}

/// `R` rows times one panel of `N` lanes.
struct Block<'a> {
    rows: &'a [Lane],
    lanes_in: usize,
    panel: &'a [Lane],
    out: &'a mut [Lane],
    lanes_out: usize,
    /// Where the panel's lanes stand in a row of the product.
    first: usize,
}

/// A block whose size the compiler knows.
struct Sized<'a, const R: usize, const N: usize>(Block<'a>);

impl<const R: usize, const N: usize> Task for Sized<'_, R, N> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "iterators may not be inlined, indices are")]
    fn go<S: Simd>(self, s: S) {
        let Block { rows, lanes_in, panel, out, lanes_out, first } = self.0;
        let mut sums = [[s.splat(0.0); N]; R];
        for (k, weights) in panel.chunks_exact(LANE * N).enumerate() {
            let mut xs = [&rows[k]; R];
            for r in 0..R {
                xs[r] = &rows[r * lanes_in + k];
            }
            for j in 0..LANE {
                let mut w = [s.splat(0.0); N];
                for n in 0..N {
                    w[n] = s.load(&weights[j * N + n]);
                }
                for r in 0..R {
                    let x = s.splat(xs[r].0[j]);
                    for n in 0..N {
                        sums[r][n] = s.fma(x, w[n], sums[r][n]);
                    }
                }
            }
        }
        for r in 0..R {
            let out = &mut out[r * lanes_out + first..][..N];
            for n in 0..N {
                s.store(sums[r][n], &mut out[n]);
            }
        }
    }
}
