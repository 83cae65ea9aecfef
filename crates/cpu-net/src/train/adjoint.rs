//! The outputs' transform, transposed: from the gradient of a board's outputs to its rows of every
//! frequency.

use crate::simd::Simd;
use crate::transform::Transform;
use crate::winograd::POINTS;

/// That of gradients of a convolution's outputs.
///
/// Maps the gradients of `M` outputs to the gradients of the values at `M + 2` points. At point p
/// it is the sum over j of p^j times the gradient of output j; at infinity it is the gradient of
/// the last output.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfGradients;

impl Transform for OfGradients {
    #[inline(always)]
    fn more(self) -> usize {
        0
    }

    #[inline(always)]
    fn run<S: Simd, const M: usize>(self, s: S, y: [S::V; POINTS]) -> [S::V; POINTS] {
        let times = |k: f32, a: S::V, b: S::V| s.fma(s.splat(k), a, b);
        let zero = s.splat(0.0);
        let [y0, y1, y2, y3, ..] = y;
        match M {
            1 => [y0, y0, y0, zero, zero, zero],
            2 => [y1, y0, s.add(y0, y1), s.sub(y0, y1), zero, zero],
            3 => {
                let even = s.add(y0, y2);
                let two = times(4.0, y2, times(2.0, y1, y0));
                [y2, y0, s.add(even, y1), s.sub(even, y1), two, zero]
            }
            _ => {
                let even = s.add(y0, y2);
                let odd = s.add(y1, y3);
                let even2 = times(4.0, y2, y0);
                let odd2 = times(8.0, y3, times(2.0, y1, zero));
                let ones = [s.add(even, odd), s.sub(even, odd)];
                [y3, y0, ones[0], ones[1], s.add(even2, odd2), s.sub(even2, odd2)]
            }
        }
    }
}
