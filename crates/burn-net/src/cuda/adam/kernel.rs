//! The kernels.

// CubeCL's macro makes functions of as many arguments as a kernel has tensors.
#![allow(clippy::too_many_arguments)]

use cubecl::prelude::*;

use crate::cuda::adam_step::{
    AVERAGE_SHARE, BETA1, BETA2, CLIP_NORM, EPSILON, FIRST_SCALE, LEARNING_RATE, SECOND_SCALE,
};
use crate::cuda::conv::rows_plan::THREADS;
use crate::cuda::sums::group_sum;

/// Returns whether all `length` numbers are finite.
#[cube]
fn are_finite(numbers: &[f32], #[comptime] length: usize) -> bool {
    let mut finite = 0usize;
    #[allow(clippy::needless_range_loop, reason = "CubeCL knows ranges only")]
    for i in 0..length {
        // Both comparisons are false for NaN.
        if numbers[i] <= 3.4e38f32 && numbers[i] >= -3.4e38f32 {
            finite += 1;
        }
    }
    finite == length
}

/// A step of `AdamW` (see [`crate::train::optimizer::Moments::update`]) and of the moving average,
/// in place. Tensors have `count` numbers. `step` has
/// [`crate::cuda::adam_step::AdamStep::settings`]. `numbers` has `length` numbers: losses, then the
/// gradient norm. If one of them is not finite, nothing changes.
#[cube(launch_unchecked)]
pub(super) fn adam(
    gradient: &[f32],
    decay: &[f32],
    step: &[f32],
    numbers: &[f32],
    parameters: &mut [f32],
    first: &mut [f32],
    second: &mut [f32],
    average: &mut [f32],
    count: usize,
    #[comptime] length: usize,
) {
    let i = ABSOLUTE_POS;
    if i < count && are_finite(numbers, length) {
        let learning_rate = step[LEARNING_RATE];
        let average_share = step[AVERAGE_SHARE];
        let clip_norm = step[CLIP_NORM];
        let norm = numbers[comptime!(length - 1)];
        let mut scale = 1.0f32;
        if norm > clip_norm {
            scale = clip_norm / norm;
        }
        let gradient = gradient[i] * scale;
        let mean = first[i] * comptime!(BETA1 as f32) + gradient * comptime!((1.0 - BETA1) as f32);
        let square = second[i] * comptime!(BETA2 as f32)
            + gradient * gradient * comptime!((1.0 - BETA2) as f32);
        let deviation = (square * step[SECOND_SCALE]).sqrt() + comptime!(EPSILON as f32);
        let direction = mean * step[FIRST_SCALE] / deviation;
        let parameter = parameters[i];
        let moved = parameter - (direction + parameter * decay[i]) * learning_rate;
        parameters[i] = moved;
        first[i] = mean;
        second[i] = square;
        average[i] = average[i] * average_share + moved * (1.0f32 - average_share);
    }
}

/// `old = share * old + (1 - share) * new`, in place. Tensors have `count` numbers. The share is
/// `step[place]`. If one of `numbers` is not finite, nothing changes.
#[cube(launch_unchecked)]
pub(super) fn blend(
    new: &[f32],
    step: &[f32],
    numbers: &[f32],
    old: &mut [f32],
    count: usize,
    #[comptime] place: usize,
    #[comptime] length: usize,
) {
    let i = ABSOLUTE_POS;
    if i < count && are_finite(numbers, length) {
        let share = step[place];
        old[i] = old[i] * share + new[i] * (1.0f32 - share);
    }
}

/// Writes sums of squares of `x [count]` to `out [groups]`, one for each group of threads.
#[cube(launch_unchecked)]
pub(super) fn squares(x: &[f32], out: &mut [f32], count: usize) {
    let mut sum = 0.0f32;
    let mut i = ABSOLUTE_POS;
    while i < count {
        sum += x[i] * x[i];
        i += CUBE_COUNT_X as usize * THREADS;
    }
    sum = group_sum(sum);
    if UNIT_POS == 0 {
        out[CUBE_POS_X as usize] = sum;
    }
}

/// Puts eight pieces one after another, from a place of `out` on. Each ends before the end that is
/// named, counted from there.
#[cube(launch_unchecked)]
pub(super) fn join(
    a: &[f32],
    b: &[f32],
    c: &[f32],
    d: &[f32],
    e: &[f32],
    f: &[f32],
    g: &[f32],
    h: &[f32],
    out: &mut [f32],
    from: usize,
    end_a: usize,
    end_b: usize,
    end_c: usize,
    end_d: usize,
    end_e: usize,
    end_f: usize,
    end_g: usize,
    end_h: usize,
) {
    let i = ABSOLUTE_POS;
    if i < end_a {
        out[from + i] = a[i];
    } else if i < end_b {
        out[from + i] = b[i - end_a];
    } else if i < end_c {
        out[from + i] = c[i - end_b];
    } else if i < end_d {
        out[from + i] = d[i - end_c];
    } else if i < end_e {
        out[from + i] = e[i - end_d];
    } else if i < end_f {
        out[from + i] = f[i - end_e];
    } else if i < end_g {
        out[from + i] = g[i - end_f];
    } else if i < end_h {
        out[from + i] = h[i - end_g];
    }
}
