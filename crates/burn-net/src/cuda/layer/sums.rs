//! Kernels that add up rows: batch norm's statistics, and the gradients along its parameters.

// CubeCL's macro uses what only tells it a type, and knows no inclusive ranges.
#![allow(clippy::used_underscore_binding, clippy::range_plus_one)]

use cubecl::prelude::*;
use dz_network_file::BATCH_NORM_EPSILON;

use crate::cuda::conv::kernel::Run;
use crate::cuda::conv::rows_plan::{RowsPlan, THREADS, THREADS_FINISH};
use crate::cuda::tiles::RUN;

/// Eight channels in 32 bits.
pub(super) type Eight = Vector<f32, Const<8>>;

/// What a group's rows have in sum, and in sum of squares, beyond the first row of all:
/// `out [groups, 2, C]` of `y [rows, C]`. Taken from numbers near the mean, squares lose nothing
/// when the mean's is taken away.
#[cube(launch_unchecked)]
pub(super) fn moments<E: Float>(
    y: &[Run<E>],
    out: &mut [Eight],
    rows: usize,
    turns: usize,
    #[comptime] plan: RowsPlan,
    #[define(E)] _dtype: ElemType,
) {
    let run = UNIT_POS as usize % plan.runs();
    let first = Eight::cast_from(y[run]);
    let mut sum = Eight::new(0.0f32);
    let mut squares = Eight::new(0.0f32);
    for turn in 0..turns {
        let row = row_of(turn, turns, rows, plan);
        if row < rows {
            let beyond = Eight::cast_from(y[row * plan.runs() + run]) - first;
            sum += beyond;
            squares += beyond * beyond;
        }
    }
    add_up(sum, squares, out, plan);
}

/// What a group's rows give to the gradients of beta and gamma: `out [groups, 2, C]`, from the
/// `gradient [rows, C]` of the `output`, and from `y` and its `mean` and `variance [C]`.
#[cube(launch_unchecked)]
pub(super) fn along<E: Float>(
    gradient: &[Run<E>],
    output: &[Run<E>],
    y: &[Run<E>],
    mean: &[Eight],
    variance: &[Eight],
    out: &mut [Eight],
    rows: usize,
    turns: usize,
    #[comptime] plan: RowsPlan,
    #[comptime] rectifies: bool,
    #[define(E)] _dtype: ElemType,
) {
    let run = UNIT_POS as usize % plan.runs();
    let mean = mean[run];
    let inverse = inverse(variance[run]);
    let mut sum = Eight::new(0.0f32);
    let mut product = Eight::new(0.0f32);
    for turn in 0..turns {
        let row = row_of(turn, turns, rows, plan);
        if row < rows {
            let i = row * plan.runs() + run;
            let through = through::<E>(gradient, output, i, rectifies);
            sum += through;
            product += through * (Eight::cast_from(y[i]) - mean) * inverse;
        }
    }
    add_up(sum, product, out, plan);
}

/// Adds up what groups found, `sums [groups, 2, C]`, to `out [C]` and `out_second [C]`: as it is,
/// or of [`moments`] mean and variance of the rows of `y`. A group of threads for each eight
/// channels.
#[cube(launch_unchecked)]
pub(super) fn finish<E: Float>(
    sums: &[Eight],
    y: &[Run<E>],
    out: &mut [Eight],
    out_second: &mut [Eight],
    groups: usize,
    rows: usize,
    #[comptime] plan: RowsPlan,
    #[comptime] is_moments: bool,
    #[define(E)] _dtype: ElemType,
) {
    let run = CUBE_POS_X as usize;
    let mut shared = Shared::<[Eight]>::new_slice(2 * THREADS_FINISH);
    let mut first = Eight::new(0.0f32);
    let mut second = Eight::new(0.0f32);
    let mut group = UNIT_POS as usize;
    while group < groups {
        first += sums[group * 2 * plan.runs() + run];
        second += sums[(group * 2 + 1) * plan.runs() + run];
        group += THREADS_FINISH;
    }
    shared[UNIT_POS as usize] = first;
    shared[THREADS_FINISH + UNIT_POS as usize] = second;
    sync_cube();
    if UNIT_POS == 0 {
        for i in 1..THREADS_FINISH {
            first += shared[i];
            second += shared[THREADS_FINISH + i];
        }
        if is_moments {
            let count = Eight::new(f32::cast_from(rows));
            let beyond = first / count;
            second = second / count - beyond * beyond;
            first = beyond + Eight::cast_from(y[run]);
        }
        out[run] = first;
        out_second[run] = second;
    }
}

/// The row that the thread has in a turn, no less than `rows` if it has none.
#[cube]
pub(super) fn row_of(turn: usize, turns: usize, rows: usize, #[comptime] plan: RowsPlan) -> usize {
    let place = UNIT_POS as usize / plan.runs();
    let row = (CUBE_POS_X as usize * turns + turn) * plan.rows_at_once() + place;
    select(place < plan.rows_at_once(), row, rows)
}

/// Of a variance, one over the deviation.
#[cube]
pub(super) fn inverse(variance: Eight) -> Eight {
    let epsilon = comptime!(BATCH_NORM_EPSILON as f32);
    let mut inverse = Eight::empty();
    #[unroll]
    for i in 0..RUN {
        // Rounding may have left less than 0 of nothing.
        let variance = max(variance.extract(i), 0.0f32);
        inverse.insert(i, 1.0f32 / (variance + epsilon).sqrt());
    }
    inverse
}

/// The gradient of an output before what was below 0 became 0.
#[cube]
pub(super) fn through<E: Float>(
    gradient: &[Run<E>],
    output: &[Run<E>],
    i: usize,
    #[comptime] rectifies: bool,
) -> Eight {
    let mut through = Eight::cast_from(gradient[i]);
    if rectifies {
        let output = Eight::cast_from(output[i]);
        #[unroll]
        for j in 0..RUN {
            let kept = select(output.extract(j) > 0.0f32, through.extract(j), 0.0f32);
            through.insert(j, kept);
        }
    }
    through
}

/// Adds up what the threads of a group found, row by row, into its place of `out [groups, 2, C]`.
#[cube]
fn add_up(first: Eight, second: Eight, out: &mut [Eight], #[comptime] plan: RowsPlan) {
    let mut shared = Shared::<[Eight]>::new_slice(2 * THREADS);
    let unit = UNIT_POS as usize;
    shared[unit] = first;
    shared[THREADS + unit] = second;
    sync_cube();
    if unit < 2 * plan.runs() {
        let kind = unit / plan.runs();
        let run = unit % plan.runs();
        let mut sum = shared[kind * THREADS + run];
        for place in 1..plan.rows_at_once() {
            sum += shared[kind * THREADS + place * plan.runs() + run];
        }
        out[CUBE_POS_X as usize * 2 * plan.runs() + unit] = sum;
    }
}
