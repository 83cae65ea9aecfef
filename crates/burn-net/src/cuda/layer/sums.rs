//! Kernels that add up: batch norm's statistics, and the gradients along its parameters.

// CubeCL's macro uses bindings with an underscore, and has no inclusive ranges.
#![allow(clippy::used_underscore_binding, clippy::range_plus_one)]

use cubecl::prelude::*;
use dz_network_file::BATCH_NORM_EPSILON;

use crate::cuda::conv::kernel::Run;
use crate::cuda::conv::rows_plan::{RowsPlan, THREADS};
use crate::cuda::tiles::RUN;

/// Eight channels in 32 bits.
pub(super) type Eight = Vector<f32, Const<8>>;

/// What a group's rows give to the gradients of beta and gamma: `out [groups, 2, C]`, from the
/// `gradient [rows, C]` of the `output`, and from `y` and its `mean` and `variance [C]`. The output
/// is read only if something was added to it.
#[cube(launch_unchecked)]
pub(super) fn along<E: Float>(
    gradient: &[Run<E>],
    output: &[Run<E>],
    y: &[Run<E>],
    mean: &[Eight],
    variance: &[Eight],
    gamma: &[f32],
    beta: &[f32],
    out: &mut [Eight],
    rows: usize,
    turns: usize,
    #[comptime] plan: RowsPlan,
    #[comptime] adds: bool,
    #[comptime] rectifies: bool,
    #[define(E)] _dtype: ElemType,
) {
    let run = UNIT_POS as usize % plan.runs();
    let mean = mean[run];
    let inverse = inverse(variance[run]);
    let scale = eight(gamma, run) * inverse;
    let shift = eight(beta, run) - mean * scale;
    let mut sum = Eight::new(0.0f32);
    let mut product = Eight::new(0.0f32);
    for turn in 0..turns {
        let row = row_of(turn, turns, rows, plan);
        if row < rows {
            let i = row * plan.runs() + run;
            let y = Eight::cast_from(y[i]);
            let mut wanted = y * scale + shift;
            if adds {
                wanted = Eight::cast_from(output[i]);
            }
            let through = through::<E>(gradient[i], wanted, rectifies);
            sum += through;
            product += through * (y - mean) * inverse;
        }
    }
    add_up(sum, product, out, plan);
}

/// Adds up what groups found, `sums [groups, 2, C]`, to `out [C]` and `out_second [C]`. A group of
/// threads adds up eight channels.
#[cube(launch_unchecked)]
pub(super) fn finish(
    sums: &[Eight],
    out: &mut [f32],
    out_second: &mut [f32],
    groups: usize,
    #[comptime] plan: RowsPlan,
) {
    let run = CUBE_POS_X as usize;
    let unit = UNIT_POS as usize;
    let mut first = Eight::new(0.0f32);
    let mut second = Eight::new(0.0f32);
    let mut group = unit;
    while group < groups {
        first += sums[group * 2 * plan.runs() + run];
        second += sums[(group * 2 + 1) * plan.runs() + run];
        group += THREADS;
    }
    let sum = column_sum(first, second);
    if unit < RUN {
        out[run * RUN + unit] = sum;
    } else if unit < 2 * RUN {
        out_second[run * RUN + unit - RUN] = sum;
    }
}

/// Mean and variance `[C]` of all `rows`, from those of `count` parts: `parts [count, 2, C]` has
/// the mean of each part's rows and the sum of squares of their distances from it. A group of
/// threads takes eight channels.
///
/// Chan, Golub & `LeVeque` 1983, equation 2.1: distances within parts, and distances of the parts'
/// means from the mean of all. Nothing large is subtracted from something large.
#[cube(launch_unchecked)]
pub(super) fn combine_moments(
    parts: &[Eight],
    mean: &mut [f32],
    variance: &mut [f32],
    count: usize,
    rows: usize,
    #[comptime] part_rows: usize,
    #[comptime] plan: RowsPlan,
) {
    let run = CUBE_POS_X as usize;
    let unit = UNIT_POS as usize;
    let all_rows = f32::cast_from(rows);
    let mut sum = Eight::new(0.0f32);
    let mut within = Eight::new(0.0f32);
    let mut part = unit;
    while part < count {
        sum += parts[part * 2 * plan.runs() + run] * rows_of_part(part, rows, part_rows);
        within += parts[(part * 2 + 1) * plan.runs() + run];
        part += THREADS;
    }
    let sum = column_sum(sum, within);
    let mut shared = Shared::<[f32]>::new_slice(comptime!(2 * RUN));
    if unit < 2 * RUN {
        shared[unit] = sum / all_rows;
    }
    sync_cube();
    let mut center = Eight::empty();
    #[unroll]
    for i in 0..RUN {
        center.insert(i, shared[i]);
    }
    let mut between = Eight::new(0.0f32);
    let mut part = unit;
    while part < count {
        let distance = parts[part * 2 * plan.runs() + run] - center;
        between += distance * distance * rows_of_part(part, rows, part_rows);
        part += THREADS;
    }
    let between = column_sum(between, Eight::new(0.0f32));
    if unit < RUN {
        mean[run * RUN + unit] = shared[unit];
        variance[run * RUN + unit] = shared[RUN + unit] + between / all_rows;
    }
}

/// Rows of a part, which may be fewer than others have, or none, at the end.
#[cube]
fn rows_of_part(part: usize, rows: usize, #[comptime] part_rows: usize) -> Eight {
    let first_row = part * part_rows;
    let there = min(max(rows, first_row) - first_row, comptime!(part_rows).runtime());
    Eight::new(f32::cast_from(there))
}

/// Adds up what the [`THREADS`] threads of a group have. Thread `i` gets the sum of channel `i` of
/// `first` if `i` is below 8, and of channel `i - 8` of `second` if it is below 16. The order of
/// additions is fixed.
#[cube]
fn column_sum(first: Eight, second: Eight) -> f32 {
    const COLUMNS: usize = 2 * RUN;
    const PARTS: usize = THREADS / COLUMNS;
    let unit = UNIT_POS as usize;
    let mut shared = Shared::<[f32]>::new_slice(COLUMNS * THREADS);
    #[unroll]
    for i in 0..RUN {
        shared[i * THREADS + unit] = first.extract(i);
        shared[(i + RUN) * THREADS + unit] = second.extract(i);
    }
    sync_cube();
    let mut sum = 0.0f32;
    for i in 0..THREADS / PARTS {
        sum += shared[unit / PARTS * THREADS + i * PARTS + unit % PARTS];
    }
    sync_cube();
    shared[unit] = sum;
    sync_cube();
    sum = 0.0f32;
    if unit < COLUMNS {
        for i in 0..PARTS {
            sum += shared[unit * PARTS + i];
        }
    }
    sum
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
    gradient: Run<E>,
    output: Eight,
    #[comptime] rectifies: bool,
) -> Eight {
    let mut through = Eight::cast_from(gradient);
    if rectifies {
        #[unroll]
        for j in 0..RUN {
            let kept = select(output.extract(j) > 0.0f32, through.extract(j), 0.0f32);
            through.insert(j, kept);
        }
    }
    through
}

/// Of what may lie at any place of a flat tensor, so that it is read number by number.
#[cube]
pub(super) fn eight(values: &[f32], run: usize) -> Eight {
    let mut eight = Eight::empty();
    #[unroll]
    for i in 0..RUN {
        eight.insert(i, values[run * RUN + i]);
    }
    eight
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
