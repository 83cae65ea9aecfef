//! Filters to matrices of frequencies in 32 bits, quickly, since they are new at each step; and
//! back.

use crate::simd::{LANE, Lane, Simd, Task, Vectors};
use crate::winograd::{Kernel, POINTS, Tiling};

/// A convolution's matrices, both ways.
#[derive(Debug)]
pub(super) struct Kernels {
    /// From inputs to outputs.
    pub(super) forward: Kernel,
    /// From gradients of outputs to gradients of inputs: filters turned and transposed.
    pub(super) back: Kernel,
}

impl Kernels {
    /// Transforms weights `[C, C, 3, 3]`.
    pub(super) fn new(vectors: Vectors, tiling: &Tiling, weight: &[f32], channels: usize) -> Self {
        let row = channels * 9;
        let kernel = |tap: &dyn Fn(usize, usize, usize) -> usize| {
            let lanes = channels.div_ceil(LANE);
            let mut taps = vec![Lane::default(); channels * 9 * lanes];
            for (i, taps) in taps.chunks_exact_mut(9 * lanes).enumerate() {
                for (t, row) in taps.chunks_exact_mut(lanes).enumerate() {
                    for (o, x) in row.iter_mut().flat_map(|l| &mut l.0).take(channels).enumerate() {
                        *x = weight[tap(i, o, t)];
                    }
                }
            }
            let mut kernel = Kernel::zeros(vectors, tiling, channels);
            vectors.run(Filter { tiling, taps: &taps, lanes, kernel: &mut kernel });
            kernel
        };
        Self {
            forward: kernel(&|i, o, t| o * row + i * 9 + t),
            back: kernel(&|i, o, t| i * row + o * 9 + 8 - t),
        }
    }
}

/// Transforms taps, `[in, 9]` rows of lanes of outputs.
struct Filter<'a> {
    tiling: &'a Tiling,
    taps: &'a [Lane],
    lanes: usize,
    kernel: &'a mut Kernel,
}

impl Task for Filter<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { tiling, taps, lanes, kernel } = self;
        let panels: Vec<_> = kernel.0[0].panels().collect();
        for (i, taps) in taps.chunks_exact(9 * lanes).enumerate() {
            for &(first, width) in &panels {
                for n in 0..width {
                    let mut half = [[s.splat(0.0); 3]; POINTS];
                    for y in 0..3 {
                        let mut g = [s.splat(0.0); 3];
                        for (x, g) in g.iter_mut().enumerate() {
                            *g = s.load(&taps[(y * 3 + x) * lanes + first + n]);
                        }
                        let u = filter_1d(s, g);
                        for b in 0..POINTS {
                            half[b][y] = u[b];
                        }
                    }
                    let mut whole = [[s.splat(0.0); POINTS]; POINTS];
                    for b in 0..POINTS {
                        whole[b] = filter_1d(s, half[b]);
                    }
                    for ((a, b, _), matrix) in tiling.frequencies().zip(&mut kernel.0) {
                        s.store(whole[b][a], matrix.lane_mut(i, (first, width), n));
                    }
                }
            }
        }
    }
}

/// A filter of three taps at all points; see [`crate::winograd`].
#[inline(always)]
fn filter_1d<S: Simd>(s: S, [g0, g1, g2]: [S::V; 3]) -> [S::V; POINTS] {
    let zero = s.splat(0.0);
    let times = |k: f32, a: S::V| s.fma(s.splat(k), a, zero);
    let even = s.add(g0, g2);
    let even2 = s.fma(s.splat(4.0), g2, g0);
    let odd2 = times(2.0, g1);
    [
        g2,
        times(0.25, g0),
        times(-1.0 / 6.0, s.add(even, g1)),
        times(-1.0 / 6.0, s.sub(even, g1)),
        times(1.0 / 24.0, s.add(even2, odd2)),
        times(1.0 / 24.0, s.sub(even2, odd2)),
    ]
}

/// From the gradients of each frequency's matrix, `[in, out]`, to that of the weights,
/// `[C, C, 3, 3]`.
pub(super) fn weight_gradient(
    vectors: Vectors,
    tiling: &Tiling,
    sums: &[Lane],
    channels: usize,
) -> Vec<f32> {
    let mut weight = vec![0.0; channels * channels * 9];
    vectors.run(Unfilter { tiling, sums, channels, weight: &mut weight });
    weight
}

/// See [`weight_gradient`].
struct Unfilter<'a> {
    tiling: &'a Tiling,
    sums: &'a [Lane],
    channels: usize,
    weight: &'a mut [f32],
}

impl Task for Unfilter<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { tiling, sums, channels, weight } = self;
        let lanes = channels.div_ceil(LANE);
        let each = lanes * LANE * lanes;
        for i in 0..channels {
            for lane in 0..lanes {
                let mut u = [[s.splat(0.0); POINTS]; POINTS];
                for ((a, b, _), sums) in tiling.frequencies().zip(sums.chunks_exact(each)) {
                    u[b][a] = s.load(&sums[i * lanes + lane]);
                }
                let mut half = [[s.splat(0.0); POINTS]; 3];
                for b in 0..POINTS {
                    let g = unfilter_1d(s, u[b]);
                    for y in 0..3 {
                        half[y][b] = g[y];
                    }
                }
                for y in 0..3 {
                    let taps = unfilter_1d(s, half[y]);
                    for x in 0..3 {
                        let mut tap = Lane::default();
                        s.store(taps[x], &mut tap);
                        let outputs = (lane * LANE..channels).take(LANE);
                        for (o, number) in outputs.zip(tap.0) {
                            weight[(o * channels + i) * 9 + y * 3 + x] = number;
                        }
                    }
                }
            }
        }
    }
}

/// [`filter_1d`], transposed.
#[inline(always)]
fn unfilter_1d<S: Simd>(s: S, u: [S::V; POINTS]) -> [S::V; 3] {
    let zero = s.splat(0.0);
    let times = |k: f32, a: S::V, b: S::V| s.fma(s.splat(k), a, b);
    let [infinity, u0, u1, w1, u2, w2] = u;
    let even = s.add(u1, w1);
    let odd = s.sub(u1, w1);
    let even2 = s.add(u2, w2);
    let odd2 = s.sub(u2, w2);
    let even = times(-1.0 / 6.0, even, zero);
    [
        times(0.25, u0, times(1.0 / 24.0, even2, even)),
        times(-1.0 / 6.0, odd, times(1.0 / 12.0, odd2, zero)),
        s.add(infinity, times(1.0 / 6.0, even2, even)),
    ]
}
