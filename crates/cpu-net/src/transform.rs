//! From boards to the rows of Winograd's frequencies, and back.

use crate::simd::{Lane, Simd, Task};
use crate::winograd::{POINTS, Spread, TILE_MAX};

/// Transforms a padded board into its rows of every frequency.
pub(crate) struct ToFrequencies<'a, T> {
    pub(crate) transform: T,
    pub(crate) spread: &'a Spread,
    /// A board with its border of zeros, a row of lanes a point.
    pub(crate) from: &'a [Lane],
    pub(crate) to: &'a mut [Lane],
    pub(crate) boards: usize,
    pub(crate) board: usize,
}

/// How numbers along a row or a column of a tile become values at points.
pub(crate) trait Transform: Copy {
    /// How many more numbers there are than the tile has outputs, half of them on each side.
    fn more(self) -> usize;

    /// Maps `M` and so many numbers to the values at `M + 2` points. Numbers behind them are
    /// ignored.
    fn run<S: Simd, const M: usize>(self, s: S, x: [S::V; POINTS]) -> [S::V; POINTS];
}

/// That of a convolution's inputs.
///
/// Let m(x) be the product of (x - q) over a tile's finite points q. The row of a finite point p
/// has the coefficients of m(x) / (x - p), and the row of infinity those of m(x). The rows of
/// finite points are also multiplied by the surplus factor by which their filter was divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfInputs;

/// Transforms a board's rows of every frequency into its outputs.
pub(crate) struct Outputs<'a> {
    pub(crate) spread: &'a Spread,
    pub(crate) from: &'a [Lane],
    /// A board with its border, which is left alone.
    pub(crate) to: &'a mut [Lane],
    pub(crate) boards: usize,
    pub(crate) board: usize,
    pub(crate) bias: &'a [Lane],
    pub(crate) epilogue: Epilogue,
}

/// What follows a convolution and its bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Epilogue {
    /// Nothing: global pooling or squeeze-excitation looks at it first.
    Nothing,
    /// relu(x)
    Relu,
    /// x + what stands there
    Add,
    /// relu(x + what stands there)
    AddAndRelu,
}

impl Epilogue {
    /// Does it with a convolution's sum, bias included, and writes the result.
    #[inline(always)]
    pub(crate) fn store<S: Simd>(self, s: S, sum: S::V, to: &mut Lane) {
        let adds = matches!(self, Self::Add | Self::AddAndRelu);
        let sum = if adds { s.add(sum, s.load(to)) } else { sum };
        let relu = matches!(self, Self::Relu | Self::AddAndRelu);
        s.store(if relu { s.relu(sum) } else { sum }, to);
    }
}

/// Calls `$pass::<S, size>(...)`, so that the compiler knows the size.
macro_rules! sized {
    ($size:expr, $pass:ident($($argument:expr),*)) => {
        match $size {
            1 => $pass::<S, 1>($($argument),*),
            2 => $pass::<S, 2>($($argument),*),
            3 => $pass::<S, 3>($($argument),*),
            _ => $pass::<S, 4>($($argument),*),
        }
    };
}

impl<T: Transform> Task for ToFrequencies<'_, T> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { transform: t, spread, from, to, boards, board } = self;
        let lanes = spread.lanes;
        let stride = spread.tiling.width + 2;
        let inset = 1 - t.more() / 2;
        for tile in &spread.tiles {
            let rows = spread.rows(tile, boards, board);
            let corner = ((tile.y + inset) * stride + tile.x + inset) * lanes;
            let mut half = [[s.splat(0.0); POINTS]; POINTS];
            for lane in 0..lanes {
                let from = &from[corner + lane..];
                let half = &mut half[..tile.rows + t.more()];
                sized!(tile.columns, transform_rows(s, t, from, [lanes, stride * lanes], half));
                sized!(tile.rows, transform_columns(s, t, half, tile.columns + 2, to, &rows, lane));
            }
        }
    }
}

/// Transforms each row of a tile of `N` columns; `strides` are those of columns and of rows.
#[inline(always)]
fn transform_rows<S: Simd, const N: usize>(
    s: S,
    transform: impl Transform,
    from: &[Lane],
    strides: [usize; 2],
    half: &mut [[S::V; POINTS]],
) {
    for (i, half) in half.iter_mut().enumerate() {
        let from = &from[i * strides[1]..];
        let mut x = [s.splat(0.0); POINTS];
        for (j, x) in x.iter_mut().enumerate().take(N + transform.more()) {
            *x = s.load(&from[j * strides[0]]);
        }
        *half = transform.run::<S, N>(s, x);
    }
}

/// Transforms each of `columns` columns of a tile of `M` rows.
#[inline(always)]
fn transform_columns<S: Simd, const M: usize>(
    s: S,
    transform: impl Transform,
    half: &[[S::V; POINTS]],
    columns: usize,
    to: &mut [Lane],
    rows: &[[usize; POINTS]; POINTS],
    lane: usize,
) {
    for b in 0..columns {
        let mut x = [s.splat(0.0); POINTS];
        for (x, row) in x.iter_mut().zip(half) {
            *x = row[b];
        }
        let x = transform.run::<S, M>(s, x);
        for a in 0..M + 2 {
            s.store(x[a], &mut to[rows[a][b] + lane]);
        }
    }
}

impl Task for Outputs<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { spread, from, to, boards, board, bias, epilogue } = self;
        let lanes = spread.lanes;
        let stride = spread.tiling.width + 2;
        for tile in &spread.tiles {
            let rows = spread.rows(tile, boards, board);
            let corner = ((tile.y + 1) * stride + tile.x + 1) * lanes;
            let mut half = [[s.splat(0.0); TILE_MAX]; POINTS];
            for (lane, bias) in bias.iter().enumerate() {
                let half = &mut half[..tile.rows + 2];
                sized!(tile.columns, output_rows(s, &from[lane..], &rows, half));
                let to = &mut to[corner + lane..];
                let strides = [lanes, stride * lanes];
                let bias = s.load(bias);
                sized!(
                    tile.rows,
                    output_columns(s, half, tile.columns, to, strides, bias, epilogue)
                );
            }
        }
    }
}

/// Transforms each row point's values at `N` + 2 column points.
#[inline(always)]
fn output_rows<S: Simd, const N: usize>(
    s: S,
    from: &[Lane],
    rows: &[[usize; POINTS]; POINTS],
    half: &mut [[S::V; TILE_MAX]],
) {
    for (rows, half) in rows.iter().zip(half) {
        let mut v = [s.splat(0.0); POINTS];
        for (v, &row) in v.iter_mut().zip(rows).take(N + 2) {
            *v = s.load(&from[row]);
        }
        *half = outputs_1d::<S, N>(s, v);
    }
}

/// Transforms each of `columns` columns to `M` outputs; `strides` are those of columns and of rows.
#[inline(always)]
fn output_columns<S: Simd, const M: usize>(
    s: S,
    half: &[[S::V; TILE_MAX]],
    columns: usize,
    to: &mut [Lane],
    strides: [usize; 2],
    bias: S::V,
    epilogue: Epilogue,
) {
    for j in 0..columns {
        let mut v = [s.splat(0.0); POINTS];
        for (v, row) in v.iter_mut().zip(half) {
            *v = row[j];
        }
        let y = outputs_1d::<S, M>(s, v);
        for i in 0..M {
            epilogue.store(s, s.add(y[i], bias), &mut to[i * strides[1] + j * strides[0]]);
        }
    }
}

impl Transform for OfInputs {
    #[inline(always)]
    fn more(self) -> usize {
        2
    }

    #[inline(always)]
    fn run<S: Simd, const M: usize>(self, s: S, x: [S::V; POINTS]) -> [S::V; POINTS] {
        let times = |k: f32, a: S::V, b: S::V| s.fma(s.splat(k), a, b);
        let zero = s.splat(0.0);
        let [x0, x1, x2, x3, x4, x5] = x;
        match M {
            1 => {
                let first = times(4.0, s.sub(x0, x1), zero);
                [s.sub(x2, x1), first, times(-6.0, x1, zero), zero, zero, zero]
            }
            2 => {
                let first = times(4.0, s.sub(x0, x2), zero);
                let plus = s.add(x1, x2);
                let minus = s.sub(x1, x2);
                let plus = times(-3.0, plus, zero);
                let minus = times(3.0, minus, zero);
                [s.sub(x3, x1), first, plus, minus, zero, zero]
            }
            3 => {
                let d = s.sub(x1, x3);
                let infinity = times(2.0, d, s.sub(x4, x2));
                let first = times(4.0, s.sub(x0, x2), times(-2.0, d, zero));
                let plus = times(3.0, s.sub(x3, x2), times(-6.0, x1, zero));
                let minus = times(2.0, x1, times(-3.0, x2, x3));
                [infinity, first, plus, minus, times(-4.0, d, zero), zero]
            }
            _ => {
                let infinity = times(4.0, x1, times(-5.0, x3, x5));
                let first = times(4.0, x0, times(-5.0, x2, x4));
                let even = times(-4.0, x2, x4);
                let odd = times(-4.0, x1, x3);
                let even2 = s.sub(x4, x2);
                let odd2 = s.sub(x3, x1);
                let two = (times(2.0, odd2, even2), times(-2.0, odd2, even2));
                [infinity, first, s.add(even, odd), s.sub(even, odd), two.0, two.1]
            }
        }
    }
}

/// From values at `M + 2` points to `M` outputs: output j is the sum of p^j times the value at p,
/// and the last one has the value at infinity.
#[inline(always)]
fn outputs_1d<S: Simd, const M: usize>(s: S, v: [S::V; POINTS]) -> [S::V; TILE_MAX] {
    let times = |k: f32, a: S::V, b: S::V| s.fma(s.splat(k), a, b);
    let zero = s.splat(0.0);
    let [infinity, v0, v1, w1, v2, w2] = v;
    let plus = s.add(v1, w1);
    let minus = s.sub(v1, w1);
    match M {
        1 => [s.add(s.add(v0, v1), infinity), zero, zero, zero],
        2 => [s.add(v0, plus), s.add(minus, infinity), zero, zero],
        3 => {
            let last = s.add(times(4.0, v2, plus), infinity);
            [s.add(s.add(v0, plus), v2), times(2.0, v2, minus), last, zero]
        }
        _ => {
            let plus2 = s.add(v2, w2);
            let minus2 = s.sub(v2, w2);
            let first = s.add(s.add(v0, plus), plus2);
            let last = s.add(times(8.0, minus2, minus), infinity);
            [first, times(2.0, minus2, minus), times(4.0, plus2, plus), last]
        }
    }
}
