//! The vectors of 64-bit ARM processors, which all of them have.

use std::arch::aarch64::{
    float32x4_t, vaddq_f32, vbslq_f32, vcgtq_f32, vdupq_n_f32, vfmaq_f32, vld1q_f32, vst1q_f32,
    vsubq_f32,
};

use super::lane::{LANE, Lane, Simd, Task};

/// NEON: a lane is four registers of 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Neon;

/// Numbers in a register.
const REGISTER: usize = 4;

impl Neon {
    /// Register by register.
    #[inline(always)]
    fn each(register: impl Fn(usize) -> float32x4_t) -> [float32x4_t; LANE / REGISTER] {
        [register(0), register(1), register(2), register(3)]
    }
}

impl Simd for Neon {
    type V = [float32x4_t; LANE / REGISTER];
    const WIDTH_MAX: usize = 1;

    #[inline(always)]
    fn rows_max(_width: usize) -> usize {
        6
    }

    #[inline(always)]
    fn run<T: Task>(self, task: T) {
        task.go(self);
    }

    #[inline(always)]
    fn splat(self, x: f32) -> Self::V {
        // SAFETY: every 64-bit ARM target of Rust's has NEON.
        Self::each(|_| unsafe { vdupq_n_f32(x) })
    }

    #[inline(always)]
    fn load(self, from: &Lane) -> Self::V {
        // SAFETY: NEON is there; four readable numbers begin at each multiple of four of a lane's
        // sixteen.
        Self::each(|i| unsafe { vld1q_f32(from.0.as_ptr().add(i * REGISTER)) })
    }

    #[inline(always)]
    fn store(self, x: Self::V, to: &mut Lane) {
        for (x, to) in x.into_iter().zip(to.0.as_chunks_mut::<REGISTER>().0) {
            // SAFETY: NEON is there; `to` is four writable numbers.
            unsafe { vst1q_f32(to.as_mut_ptr(), x) }
        }
    }

    #[inline(always)]
    fn add(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: NEON is there.
        Self::each(|i| unsafe { vaddq_f32(a[i], b[i]) })
    }

    #[inline(always)]
    fn sub(self, a: Self::V, b: Self::V) -> Self::V {
        // SAFETY: NEON is there.
        Self::each(|i| unsafe { vsubq_f32(a[i], b[i]) })
    }

    #[inline(always)]
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V {
        // SAFETY: NEON is there.
        Self::each(|i| unsafe { vfmaq_f32(c[i], a[i], b[i]) })
    }

    #[inline(always)]
    fn gate(self, of: Self::V, x: Self::V) -> Self::V {
        // SAFETY: NEON is there.
        Self::each(|i| unsafe {
            let zero = vdupq_n_f32(0.0);
            vbslq_f32(vcgtq_f32(of[i], zero), x[i], zero)
        })
    }

    #[inline(always)]
    fn max(self, a: Self::V, b: Self::V) -> Self::V {
        // Not the processor's maximum, which orders zeros by sign: the second of two that do not
        // compare, as on x86. SAFETY: NEON is there.
        Self::each(|i| unsafe { vbslq_f32(vcgtq_f32(a[i], b[i]), a[i], b[i]) })
    }
}
