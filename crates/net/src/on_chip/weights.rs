//! The kernel of a kernel's gradient.

// CubeCL's macro uses what only tells it a type, and knows no inclusive ranges.
#![allow(clippy::used_underscore_binding, clippy::range_plus_one)]

use cubecl::cmma::{MatrixIdent, MmaDefinition};
use cubecl::prelude::*;

use super::kernel::{Pair, Registers, Run, Sums, run_of};
use super::weights_plan::{POINTS, POINTS_NEAR, TAPS, WeightsPlan};
use super::{RUN, TILE};

/// Parts of the gradient of a 3x3 kernel: `out [pieces, 9 * inputs * outputs]`, to be added up over pieces.
///
/// `x [rows, inputs]`, what was convolved, in vectors of `N`; `gradient [rows, outputs]`, that of what came out. A row is a
/// point of a board. A group adds up `turns` times [`POINTS`] rows for one row of the kernel; the products' common dimension
/// is that of the points, so both factors are read from shared memory as if turned.
#[cube(launch_unchecked)]
pub(super) fn weights3x3<E: Float, N: Size>(
    x: &[Vector<E, N>],
    gradient: &[Run<E>],
    out: &mut [f32],
    rows: usize,
    turns: usize,
    #[comptime] plan: WeightsPlan,
    #[define(E)] _dtype: ElemType,
) {
    let part = CUBE_POS_X as usize;
    let kernel_row = part % TAPS;
    let first_output = part / TAPS % plan.parts_outputs() * plan.group_outputs();
    let first_input = part / TAPS / plan.parts_outputs() * plan.group_inputs();
    let mut near = Shared::<[Run<E>]>::new_aligned_slice(plan.shared_inputs(), 16usize);
    let mut wanted = Shared::<[Run<E>]>::new_aligned_slice(plan.shared_outputs(), 16usize);
    let mut sums = Sequence::<Sums>::new();
    #[unroll]
    for _ in 0..comptime!(TAPS * plan.tiles_outputs * 2) {
        sums.push(Array::new(2usize));
    }
    for turn in 0..turns {
        let first_row = (CUBE_POS_Y as usize * turns + turn) * POINTS;
        load_inputs::<E, N>(x, &mut near, first_row, kernel_row, first_input, rows, plan);
        load_outputs::<E>(gradient, &mut wanted, first_row, first_output, rows, plan);
        sync_cube();
        for k in 0..comptime!(POINTS / TILE) {
            multiply::<E>(&near, &wanted, &mut sums, first_row, kernel_row, k, plan);
        }
        sync_cube();
    }
    write(&sums, out, kernel_row, first_input, first_output, plan);
}

/// Puts inputs of the neighbours in one row of the kernel into shared memory, from that of the first point's first tap on, and
/// a blank point behind.
#[cube]
fn load_inputs<E: Float, N: Size>(
    x: &[Vector<E, N>],
    near: &mut Shared<[Run<E>]>,
    first_row: usize,
    kernel_row: usize,
    first_input: usize,
    rows: usize,
    #[comptime] plan: WeightsPlan,
) {
    let all = comptime!((POINTS_NEAR + 1) * plan.runs_inputs());
    let threads = comptime!(plan.planes() * 32);
    // Later by the points of a row and one than it is, so that no number is below 0.
    let later = comptime!(plan.width + 1).runtime();
    let first = first_row + kernel_row * plan.width;
    #[unroll]
    for turn in 0..comptime!(all.div_ceil(threads)) {
        let i = turn * threads + UNIT_POS as usize;
        let (point, run) = (i / comptime!(plan.runs_inputs()), i % comptime!(plan.runs_inputs()));
        let row = first + point;
        let is_there = row >= later && row < rows + later && point < POINTS_NEAR;
        // What is read is read in any case, so that no thread waits for whether it is there.
        let row = min(max(row, later) - later, rows - 1);
        let run_read = first_input / comptime!(RUN) + run;
        let values = run_of::<E, N>(x, row, run_read, plan.inputs);
        let values = select(is_there, Registers::reinterpret(values), Registers::new(0u32));
        let is_within = comptime!((turn + 1) * threads <= all);
        if is_within || i < all {
            near[point * comptime!(plan.stride_inputs()) + run] = Run::<E>::reinterpret(values);
        }
    }
}

/// Puts gradients of points into shared memory, nothing for those beyond the last row.
#[cube]
fn load_outputs<E: Float>(
    gradient: &[Run<E>],
    wanted: &mut Shared<[Run<E>]>,
    first_row: usize,
    first_output: usize,
    rows: usize,
    #[comptime] plan: WeightsPlan,
) {
    let all = comptime!(POINTS * plan.runs_outputs());
    let threads = comptime!(plan.planes() * 32);
    #[unroll]
    for turn in 0..comptime!(all.div_ceil(threads)) {
        let i = turn * threads + UNIT_POS as usize;
        let (point, run) = (i / comptime!(plan.runs_outputs()), i % comptime!(plan.runs_outputs()));
        let row = first_row + point;
        let row_read = min(row, rows - 1);
        let run_read = first_output / comptime!(RUN) + run;
        let values = gradient[row_read * comptime!(plan.outputs / RUN) + run_read];
        let values = select(row < rows, Registers::reinterpret(values), Registers::new(0u32));
        let is_within = comptime!((turn + 1) * threads <= all);
        if is_within || i < all {
            wanted[point * comptime!(plan.stride_outputs()) + run] = Run::<E>::reinterpret(values);
        }
    }
}

/// Adds to a plane's sums what 16 points give, tile `k` of them.
#[cube]
fn multiply<E: Float>(
    near: &Shared<[Run<E>]>,
    wanted: &Shared<[Run<E>]>,
    sums: &mut Sequence<Sums>,
    first_row: usize,
    kernel_row: usize,
    k: usize,
    #[comptime] plan: WeightsPlan,
) {
    let definition = MmaDefinition::<E, E, f32>::new(16usize, 8usize, 16usize);
    let (lane, plane) = (UNIT_POS_X as usize, UNIT_POS_Y as usize);
    // Of the gradient, 8 points and 8 outputs at a time: the second eight outputs, then the second eight points.
    let point = k * TILE + lane / 16 * 8 + lane % 8;
    let first_tile = plane % plan.planes_outputs * plan.tiles_outputs;
    let start = point * comptime!(plan.stride_outputs()) + first_tile * 2 + lane / 8 % 2;
    let mut outputs = Sequence::<Array<Pair<E>>>::new();
    #[unroll]
    for i in 0..plan.tiles_outputs {
        let start = start + comptime!(i * 2);
        let row = &wanted[start..start + 1];
        outputs.push(definition.load_matrix::<_, Const<2>>(row, MatrixIdent::A, 4usize, true));
    }
    // Of the inputs the other way around: the second eight points, then the second eight inputs.
    let point = k * TILE + lane % 16;
    let at = (first_row + point) % comptime!(plan.height * plan.width);
    // One more than it is, so that no number is below 0.
    let y = at / plan.width + kernel_row;
    let is_row_there = y >= 1 && y <= plan.height;
    let run = plane / plan.planes_outputs * 2 + lane / 16;
    #[unroll]
    for tap in 0..TAPS {
        let x = at % plan.width + tap;
        let is_on_board = is_row_there && x >= 1 && x <= plan.width;
        let neighbour = select(is_on_board, point + tap, POINTS_NEAR);
        let start = neighbour * comptime!(plan.stride_inputs()) + run;
        let row = &near[start..start + 1];
        let inputs = definition.load_matrix::<_, Const<2>>(row, MatrixIdent::B, 4usize, true);
        #[unroll]
        for half in 0..2usize {
            let mut eight = Array::<Pair<E>>::new(2usize);
            eight[0] = inputs[comptime!(half * 2)];
            eight[1] = inputs[comptime!(half * 2 + 1)];
            #[unroll]
            for i in 0..plan.tiles_outputs {
                let sums = sums.index_mut(comptime!((tap * plan.tiles_outputs + i) * 2 + half));
                definition.execute_inplace(outputs.index(i), &eight, sums);
            }
        }
    }
}

/// Writes a plane's sums, transposed: outputs of an input follow each other.
#[cube]
fn write(
    sums: &Sequence<Sums>,
    out: &mut [f32],
    kernel_row: usize,
    first_input: usize,
    first_output: usize,
    #[comptime] plan: WeightsPlan,
) {
    let (lane, plane) = (UNIT_POS_X as usize, UNIT_POS_Y as usize);
    let first_tile = plane % plan.planes_outputs * plan.tiles_outputs;
    let first_output = first_output + first_tile * TILE + lane / 4;
    let first_input = first_input + plane / plan.planes_outputs * TILE + lane % 4 * 2;
    let piece = CUBE_POS_Y as usize * comptime!(plan.factors());
    #[unroll]
    for tap in 0..TAPS {
        let row = (kernel_row * TAPS + tap) * plan.inputs;
        #[unroll]
        for half in 0..2usize {
            #[unroll]
            for j in 0..2usize {
                let input = first_input + half * 8 + j;
                let start = piece + (row + input) * plan.outputs + first_output;
                if input < plan.inputs {
                    #[unroll]
                    for i in 0..plan.tiles_outputs {
                        let tile = comptime!((tap * plan.tiles_outputs + i) * 2 + half);
                        let sums = sums.index(tile);
                        out[start + i * TILE] = sums[0].extract(j);
                        out[start + i * TILE + 8] = sums[1].extract(j);
                    }
                }
            }
        }
    }
}
