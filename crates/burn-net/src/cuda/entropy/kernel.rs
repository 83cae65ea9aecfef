//! The kernels.

use cubecl::prelude::*;

/// Threads that share a row.
const LANES: usize = 32;

/// Rows of a group.
pub(super) const ROWS: usize = 8;

pub(super) const THREADS: usize = ROWS * LANES;

/// Of each row of `logits` and `targets [rows, columns]`: the gradient of its part of the loss,
/// `[rows, columns]`, and the sum of these parts for each group's rows, `sums [rows / ROWS]`.
///
/// A row's part is `share * sum_a t_a (ln sum_b e^(x_b) - x_a)`, whose gradient along `x_a` is
/// `share * (softmax_a sum_b t_b - t_a)`; targets need not sum to 1. Its share is one of `shares`,
/// that of `per` rows, divided among these.
#[cube(launch_unchecked)]
pub(super) fn entropies(
    logits: &[f32],
    targets: &[f32],
    shares: &[f32],
    gradient: &mut [f32],
    sums: &mut [f32],
    rows: usize,
    columns: usize,
    per: usize,
) {
    let unit = UNIT_POS as usize;
    let place = unit / LANES;
    let lane = unit % LANES;
    // A thread without a row does what one with the last row does, and keeps it to itself.
    let is_row = CUBE_POS_X as usize * ROWS + place < rows;
    let row = min(CUBE_POS_X as usize * ROWS + place, rows - 1);
    let start = row * columns;
    let mut shared = Shared::<[f32]>::new_slice(3 * THREADS);

    let mut most = logits[start];
    let mut column = lane;
    while column < columns {
        most = max(most, logits[start + column]);
        column += LANES;
    }
    shared[unit] = most;
    sync_cube();
    for i in 0..LANES {
        most = max(most, shared[place * LANES + i]);
    }
    sync_cube();

    // Sums of e^(x - most), of t, and of t (x - most).
    let mut powers = 0.0f32;
    let mut wanted = 0.0f32;
    let mut product = 0.0f32;
    column = lane;
    while column < columns {
        let below = logits[start + column] - most;
        let target = targets[start + column];
        powers += below.exp();
        wanted += target;
        product += target * below;
        column += LANES;
    }
    shared[unit] = powers;
    shared[THREADS + unit] = wanted;
    shared[2 * THREADS + unit] = product;
    sync_cube();
    powers = 0.0f32;
    wanted = 0.0f32;
    product = 0.0f32;
    for i in 0..LANES {
        powers += shared[place * LANES + i];
        wanted += shared[THREADS + place * LANES + i];
        product += shared[2 * THREADS + place * LANES + i];
    }
    sync_cube();

    let share = shares[row / per] / f32::cast_from(per);
    if is_row {
        column = lane;
        while column < columns {
            let chance = (logits[start + column] - most).exp() / powers;
            gradient[start + column] = share * (chance * wanted - targets[start + column]);
            column += LANES;
        }
    }
    let loss = share * (wanted * powers.ln() - product);
    shared[unit] = select(is_row, loss, 0.0f32);
    sync_cube();
    if unit == 0 {
        let mut sum = 0.0f32;
        for i in 0..ROWS {
            sum += shared[i * LANES];
        }
        sums[CUBE_POS_X as usize] = sum;
    }
}
