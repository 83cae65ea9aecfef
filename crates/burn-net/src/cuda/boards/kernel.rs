//! The kernels. A group of threads takes [`LANES`] columns of one board, [`PLACES`] points at a
//! time.

// CubeCL's macro uses bindings with an underscore, and has no inclusive ranges.
#![allow(clippy::used_underscore_binding, clippy::range_plus_one)]

use cubecl::prelude::*;

/// Columns of a group.
pub(super) const LANES: usize = 32;

/// Points that a group reads at a time.
const PLACES: usize = 8;

pub(super) const THREADS: usize = LANES * PLACES;

/// Mean of `columns` columns from `first` on over each board, then their maximum if it is asked
/// for: `out [B, columns]` or `[B, 2 * columns]` of `x [B * area, width]`, or of `max(x, 0)` if it
/// `rectifies`.
#[cube(launch_unchecked)]
pub(super) fn statistics<E: Float>(
    x: &[E],
    out: &mut [f32],
    area: usize,
    width: usize,
    first: usize,
    columns: usize,
    #[comptime] maximum: bool,
    #[comptime] rectifies: bool,
    #[define(E)] _dtype: ElemType,
) {
    let unit = UNIT_POS as usize;
    let place = unit / LANES;
    let board = CUBE_POS_X as usize;
    let column = CUBE_POS_Y as usize * LANES + unit % LANES;
    // A thread without a column reads the last one and writes nothing.
    let start = board * area * width + first + min(column, columns - 1);
    let mut sum = 0.0f32;
    let mut most = value::<E>(x, start + min(place, area - 1) * width, rectifies);
    let mut point = place;
    while point < area {
        let value = value::<E>(x, start + point * width, rectifies);
        sum += value;
        most = max(most, value);
        point += PLACES;
    }
    let mut shared = Shared::<[f32]>::new_slice(2 * THREADS);
    shared[unit] = sum;
    shared[THREADS + unit] = most;
    sync_cube();
    if unit < LANES && column < columns {
        for other in 1..PLACES {
            sum += shared[other * LANES + unit];
            most = max(most, shared[THREADS + other * LANES + unit]);
        }
        if maximum {
            out[board * 2 * columns + column] = sum / f32::cast_from(area);
            out[board * 2 * columns + columns + column] = most;
        } else {
            out[board * columns + column] = sum / f32::cast_from(area);
        }
    }
}

/// The gradient of `x` from that of [`statistics`]. Columns without statistics get zeros. The
/// maximum's gradient goes to the first point that has it.
#[cube(launch_unchecked)]
pub(super) fn statistics_back<E: Float>(
    gradient: &[f32],
    x: &[E],
    out: &mut [E],
    area: usize,
    width: usize,
    first: usize,
    columns: usize,
    #[comptime] maximum: bool,
    #[comptime] rectifies: bool,
    #[define(E)] _dtype: ElemType,
) {
    let unit = UNIT_POS as usize;
    let place = unit / LANES;
    let lane = unit % LANES;
    let board = CUBE_POS_X as usize;
    let column = CUBE_POS_Y as usize * LANES + lane;
    let is_column = column < width;
    let has_statistics = is_column && column >= first && column < first + columns;
    let start = board * area * width + min(column, width - 1);
    let mut each = 0.0f32;
    let mut once = 0.0f32;
    let mut most_at = area;
    if maximum {
        let mut most = value::<E>(x, start + min(place, area - 1) * width, rectifies);
        most_at = min(place, area - 1);
        let mut point = place + PLACES;
        while point < area {
            let value = value::<E>(x, start + point * width, rectifies);
            if value > most {
                most = value;
                most_at = point;
            }
            point += PLACES;
        }
        let mut values = Shared::<[f32]>::new_slice(THREADS);
        let mut points = Shared::<[u32]>::new_slice(THREADS);
        values[unit] = most;
        points[unit] = most_at as u32;
        sync_cube();
        for other in 0..PLACES {
            let value = values[other * LANES + lane];
            let point = points[other * LANES + lane] as usize;
            if value > most || (value == most && point < most_at) {
                most = value;
                most_at = point;
            }
        }
    }
    if has_statistics {
        if maximum {
            each = gradient[board * 2 * columns + column - first] / f32::cast_from(area);
            once = gradient[board * 2 * columns + columns + column - first];
        } else {
            each = gradient[board * columns + column - first] / f32::cast_from(area);
        }
    }
    if is_column {
        let mut point = place;
        while point < area {
            let mut found = each + select(point == most_at, once, 0.0f32);
            if rectifies {
                let above = f32::cast_from(x[start + point * width]) > 0.0f32;
                found = select(above, found, 0.0f32);
            }
            out[start + point * width] = E::cast_from(found);
            point += PLACES;
        }
    }
}

/// `out = max(x + shift, 0)` of `x [B * area, width]`, where the columns before the last `columns`
/// have no shift. `shift [B, columns]`.
#[cube(launch_unchecked)]
pub(super) fn shift_and_rectify<E: Float>(
    x: &[E],
    shift: &[f32],
    out: &mut [E],
    area: usize,
    width: usize,
    columns: usize,
    #[define(E)] _dtype: ElemType,
) {
    let unit = UNIT_POS as usize;
    let board = CUBE_POS_X as usize;
    let column = CUBE_POS_Y as usize * LANES + unit % LANES;
    let first = width - columns;
    if column < width {
        let mut added = 0.0f32;
        if column >= first {
            added = shift[board * columns + column - first];
        }
        let mut point = unit / LANES;
        while point < area {
            let i = (board * area + point) * width + column;
            out[i] = E::cast_from(max(f32::cast_from(x[i]) + added, 0.0f32));
            point += PLACES;
        }
    }
}

/// The gradients of `x` and of `shift` from that of the `output` of [`shift_and_rectify`].
#[cube(launch_unchecked)]
pub(super) fn shift_and_rectify_back<E: Float>(
    gradient: &[E],
    output: &[E],
    of_x: &mut [E],
    of_shift: &mut [f32],
    area: usize,
    width: usize,
    columns: usize,
    #[define(E)] _dtype: ElemType,
) {
    let unit = UNIT_POS as usize;
    let board = CUBE_POS_X as usize;
    let column = CUBE_POS_Y as usize * LANES + unit % LANES;
    let first = width - columns;
    let mut sum = 0.0f32;
    if column < width {
        let mut point = unit / LANES;
        while point < area {
            let i = (board * area + point) * width + column;
            let above = f32::cast_from(output[i]) > 0.0f32;
            let through = select(above, f32::cast_from(gradient[i]), 0.0f32);
            sum += through;
            of_x[i] = E::cast_from(through);
            point += PLACES;
        }
    }
    let mut shared = Shared::<[f32]>::new_slice(THREADS);
    shared[unit] = sum;
    sync_cube();
    if unit < LANES && column < width && column >= first {
        for other in 1..PLACES {
            sum += shared[other * LANES + unit];
        }
        of_shift[board * columns + column - first] = sum;
    }
}

#[cube]
fn value<E: Float>(x: &[E], i: usize, #[comptime] rectifies: bool) -> f32 {
    let mut value = f32::cast_from(x[i]);
    if rectifies {
        value = max(value, 0.0f32);
    }
    value
}
