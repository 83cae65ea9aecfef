//! Sums of what the threads of a group have.

// CubeCL's macro uses bindings with an underscore.
#![allow(clippy::used_underscore_binding)]

use cubecl::prelude::*;

use crate::cuda::conv::rows_plan::THREADS;

/// Writes the sum of `sums [count]`, or the root of that sum, to `out [1]`. One group of threads
/// adds them up.
#[cube(launch_unchecked)]
pub(in crate::cuda) fn add_up(sums: &[f32], out: &mut [f32], count: usize, #[comptime] root: bool) {
    let mut sum = 0.0f32;
    let mut i = UNIT_POS as usize;
    while i < count {
        sum += sums[i];
        i += THREADS;
    }
    sum = group_sum(sum);
    if UNIT_POS == 0 {
        if root {
            sum = sum.sqrt();
        }
        out[0] = sum;
    }
}

/// Returns the sum of the numbers of all [`THREADS`] threads to the first one. The order of
/// additions is fixed.
#[cube]
pub(in crate::cuda) fn group_sum(number: f32) -> f32 {
    const PARTS: usize = 16;
    let unit = UNIT_POS as usize;
    let mut shared = Shared::<[f32]>::new_slice(THREADS);
    shared[unit] = number;
    sync_cube();
    let mut sum = 0.0f32;
    if unit < PARTS {
        for i in 0..THREADS / PARTS {
            sum += shared[i * PARTS + unit];
        }
    }
    sync_cube();
    if unit < PARTS {
        shared[unit] = sum;
    }
    sync_cube();
    if unit == 0 {
        sum = 0.0f32;
        for i in 0..PARTS {
            sum += shared[i];
        }
    }
    sum
}
