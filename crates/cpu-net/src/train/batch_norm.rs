//! Batch norm over a shard (Ioffe and Szegedy 2015, arXiv:1502.03167), forward and back.
//!
//! With x a convolution's outputs and n points in a shard, x' = (x - mean) / sqrt(variance +
//! epsilon) and y = gamma x' + beta. Back: dx = gamma / sqrt(variance + epsilon) (dy - mean of dy -
//! x' mean of dy x').

use std::ops::Range;

use super::grid::Grid;
use dz_network_file::BATCH_NORM_EPSILON;

use crate::simd::{LANE, Lane, Simd, Task, Vectors, lanes_of, numbers_of};

/// Added to variances before the square root.
const EPSILON: f32 = BATCH_NORM_EPSILON as f32;

/// A convolution's outputs with what batch norm makes of them.
#[derive(Debug, Default)]
pub(super) struct Normed {
    /// The outputs, padded boards.
    pub(super) raw: Vec<Lane>,
    /// Points counted so far.
    points: f32,
    pub(super) mean: Vec<Lane>,
    /// Sums of squared distances from the mean; once all points are counted, [`Normed::variance`]
    /// has their mean.
    squares: Vec<Lane>,
    /// 1 / sqrt(variance + epsilon)
    inverse: Vec<Lane>,
    /// y = scale x + shift
    pub(super) scale: Vec<Lane>,
    pub(super) shift: Vec<Lane>,
}

/// Sums that a gradient's way back needs, a row of lanes each.
#[derive(Debug)]
pub(super) struct BackSums {
    /// Of dy, which is the gradient of beta.
    pub(super) plain: Vec<Lane>,
    /// Of dy x', which is the gradient of gamma.
    pub(super) scaled: Vec<Lane>,
}

impl Normed {
    pub(super) fn new(grid: Grid, boards: usize) -> Self {
        Self { raw: vec![Lane::default(); boards * grid.board()], ..Self::default() }
    }

    /// Forgets what was counted.
    pub(super) fn begin(&mut self, lanes: usize) {
        self.points = 0.0;
        for row in [&mut self.mean, &mut self.squares] {
            row.clear();
            row.resize(lanes, Lane::default());
        }
    }

    /// Counts some more boards, whose outputs are there (Chan, Golub and `LeVeque` 1979 for joining
    /// two samples).
    pub(super) fn count(&mut self, vectors: Vectors, grid: Grid, boards: Range<usize>) {
        let points = (boards.len() * grid.area()) as f32;
        let all = self.points + points;
        let [mut mean, mut squares] = [(); 2].map(|()| vec![Lane::default(); grid.lanes]);
        let of = &self.raw[..];
        vectors.run(Moments { grid, boards, of, mean: &mut mean, squares: &mut squares });
        let before = self.mean.iter_mut().zip(&mut self.squares).flat_map(both_mut);
        for ((old, total), (new, square)) in before.zip(mean.iter().zip(&squares).flat_map(both)) {
            let distance = new - *old;
            *old += distance * points / all;
            *total += square + distance * distance * self.points * points / all;
        }
        self.points = all;
    }

    /// Works out scale and shift when all boards are counted; `gamma` and `beta` are `[C]`.
    pub(super) fn finish(&mut self, gamma: &[f32], beta: &[f32]) {
        let gamma = lanes_of(gamma.iter().copied());
        let beta = lanes_of(beta.iter().copied());
        let row = |number: &dyn Fn(usize, usize) -> f32| -> Vec<Lane> {
            (0..gamma.len()).map(|l| Lane(std::array::from_fn(|i| number(l, i)))).collect()
        };
        let points = self.points;
        self.inverse = row(&|l, i| 1.0 / (self.squares[l].0[i] / points + EPSILON).sqrt());
        self.scale = row(&|l, i| gamma[l].0[i] * self.inverse[l].0[i]);
        self.shift = row(&|l, i| beta[l].0[i] - self.scale[l].0[i] * self.mean[l].0[i]);
    }

    /// Means of each channel, `[C]`.
    pub(super) fn mean(&self, channels: usize) -> Vec<f32> {
        numbers_of(&self.mean)[..channels].to_vec()
    }

    /// Variances of each channel, `[C]`.
    pub(super) fn variance(&self, channels: usize) -> Vec<f32> {
        numbers_of(&self.squares)[..channels].iter().map(|square| square / self.points).collect()
    }

    /// Takes the gradient `dy` of some boards into `sums`; it begins with the first of them.
    pub(super) fn sum_back(
        &self,
        vectors: Vectors,
        grid: Grid,
        boards: Range<usize>,
        gradient: &[Lane],
        sums: &mut BackSums,
    ) {
        vectors.run(SumBack { grid, boards, normed: self, gradient, sums });
    }

    /// dx = a dy + b x + c, when all boards are summed: rows of lanes a, b, c.
    pub(super) fn way_back(&self, sums: &BackSums) -> [Vec<Lane>; 3] {
        let points = self.points;
        let mut way = [(); 3].map(|()| vec![Lane::default(); self.scale.len()]);
        for lane in 0..self.scale.len() {
            for i in 0..LANE {
                let of = |row: &[Lane]| row[lane].0[i];
                let a = of(&self.scale);
                let b = -a * of(&self.inverse) * of(&sums.scaled) / points;
                let c = -a * of(&sums.plain) / points - b * of(&self.mean);
                for (row, number) in way.iter_mut().zip([a, b, c]) {
                    row[lane].0[i] = number;
                }
            }
        }
        way
    }
}

impl BackSums {
    pub(super) fn new(lanes: usize) -> Self {
        Self { plain: vec![Lane::default(); lanes], scaled: vec![Lane::default(); lanes] }
    }

    /// Gradients of gamma and beta, `[C]` each.
    pub(super) fn gradients(&self, channels: usize) -> [Vec<f32>; 2] {
        [&self.scaled, &self.plain].map(|row| numbers_of(row)[..channels].to_vec())
    }
}

/// The numbers of two lanes, pair by pair.
fn both((a, b): (&Lane, &Lane)) -> impl Iterator<Item = (f32, f32)> + use<> {
    a.0.into_iter().zip(b.0)
}

/// The same, to be changed.
fn both_mut<'a>(
    (a, b): (&'a mut Lane, &'a mut Lane),
) -> impl Iterator<Item = (&'a mut f32, &'a mut f32)> {
    a.0.iter_mut().zip(&mut b.0)
}

/// Mean and sum of squared distances from it, of each channel over some boards.
struct Moments<'a> {
    grid: Grid,
    boards: Range<usize>,
    of: &'a [Lane],
    mean: &'a mut [Lane],
    squares: &'a mut [Lane],
}

impl Task for Moments<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { grid, boards, of, mean, squares } = self;
        let share = s.splat(1.0 / (boards.len() * grid.area()) as f32);
        let zero = s.splat(0.0);
        for (lane, (mean, squares)) in mean.iter_mut().zip(squares).enumerate() {
            let mut sum = zero;
            for board in boards.clone() {
                for start in grid.rows(board) {
                    for x in 0..grid.width {
                        sum = s.add(sum, s.load(&of[start + x * grid.lanes + lane]));
                    }
                }
            }
            let centre = s.fma(sum, share, zero);
            let mut square = zero;
            for board in boards.clone() {
                for start in grid.rows(board) {
                    for x in 0..grid.width {
                        let distance = s.sub(s.load(&of[start + x * grid.lanes + lane]), centre);
                        square = s.fma(distance, distance, square);
                    }
                }
            }
            s.store(centre, mean);
            s.store(square, squares);
        }
    }
}

/// See [`Normed::sum_back`].
struct SumBack<'a> {
    grid: Grid,
    boards: Range<usize>,
    normed: &'a Normed,
    gradient: &'a [Lane],
    sums: &'a mut BackSums,
}

impl Task for SumBack<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { grid, boards, normed, gradient, sums } = self;
        let offset = boards.start * grid.board();
        for lane in 0..grid.lanes {
            let mean = s.load(&normed.mean[lane]);
            let inverse = s.load(&normed.inverse[lane]);
            let mut plain = s.splat(0.0);
            let mut scaled = s.splat(0.0);
            for board in boards.clone() {
                for start in grid.rows(board) {
                    for x in 0..grid.width {
                        let at = start + x * grid.lanes + lane;
                        let g = s.load(&gradient[at - offset]);
                        let centred = s.sub(s.load(&normed.raw[at]), mean);
                        plain = s.add(plain, g);
                        scaled = s.fma(g, centred, scaled);
                    }
                }
            }
            let total = &mut sums.plain[lane];
            s.store(s.add(s.load(total), plain), total);
            let total = &mut sums.scaled[lane];
            s.store(s.fma(scaled, inverse, s.load(total)), total);
        }
    }
}

/// dx of some boards, from their dy and their outputs x.
pub(super) struct ThroughNorm<'a> {
    pub(super) grid: Grid,
    pub(super) boards: Range<usize>,
    pub(super) normed: &'a Normed,
    /// See [`Normed::way_back`].
    pub(super) way: &'a [Vec<Lane>; 3],
    /// Of all boards.
    pub(super) gradient: &'a [Lane],
    /// The boards that were asked for; borders are left alone.
    pub(super) out: &'a mut [Lane],
}

impl Task for ThroughNorm<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { grid, boards, normed, way, gradient, out } = self;
        let offset = boards.start * grid.board();
        let [all_a, all_b, all_c] = way;
        for (lane, ((a, b), c)) in all_a.iter().zip(all_b).zip(all_c).enumerate() {
            let a = s.load(a);
            let b = s.load(b);
            let c = s.load(c);
            for board in boards.clone() {
                for start in grid.rows(board) {
                    for x in 0..grid.width {
                        let at = start + x * grid.lanes + lane;
                        let rest = s.fma(b, s.load(&normed.raw[at]), c);
                        s.store(s.fma(a, s.load(&gradient[at]), rest), &mut out[at - offset]);
                    }
                }
            }
        }
    }
}
