//! Vectors of no processor in particular: SSE2 on old x86 ones.

use super::lane::{LANE, Lane, Simd, Task};

/// Arrays that the compiler makes vectors of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

/// Whether the target itself has a fused multiply-add; in software it would be far too slow.
pub(super) const FUSED: bool = cfg!(any(target_arch = "aarch64", target_feature = "fma"));

impl Simd for Portable {
    type V = [f32; LANE];
    const WIDTH_MAX: usize = 1;

    #[inline(always)]
    fn rows_max(_width: usize) -> usize {
        if cfg!(target_arch = "aarch64") { 6 } else { 2 }
    }

    #[inline(always)]
    fn run<T: Task>(self, task: T) {
        task.go(self);
    }

    #[inline(always)]
    fn splat(self, x: f32) -> [f32; LANE] {
        [x; LANE]
    }

    #[inline(always)]
    fn load(self, from: &Lane) -> [f32; LANE] {
        from.0
    }

    #[inline(always)]
    fn store(self, x: [f32; LANE], to: &mut Lane) {
        to.0 = x;
    }

    #[inline(always)]
    fn add(self, mut a: [f32; LANE], b: [f32; LANE]) -> [f32; LANE] {
        for (a, b) in a.iter_mut().zip(b) {
            *a += b;
        }
        a
    }

    #[inline(always)]
    fn sub(self, mut a: [f32; LANE], b: [f32; LANE]) -> [f32; LANE] {
        for (a, b) in a.iter_mut().zip(b) {
            *a -= b;
        }
        a
    }

    #[inline(always)]
    fn fma(self, a: [f32; LANE], b: [f32; LANE], mut c: [f32; LANE]) -> [f32; LANE] {
        for ((a, b), c) in a.into_iter().zip(b).zip(&mut c) {
            *c = if FUSED { a.mul_add(b, *c) } else { a * b + *c };
        }
        c
    }

    #[inline(always)]
    fn gate(self, of: [f32; LANE], mut x: [f32; LANE]) -> [f32; LANE] {
        for (of, x) in of.into_iter().zip(&mut x) {
            *x = if of > 0.0 { *x } else { 0.0 };
        }
        x
    }

    #[inline(always)]
    fn max(self, mut a: [f32; LANE], b: [f32; LANE]) -> [f32; LANE] {
        for (a, b) in a.iter_mut().zip(b) {
            // As the processor's own instruction: the second of two that do not compare.
            *a = if *a > b { *a } else { b };
        }
        a
    }
}
