//! The kernel of a kernel's gradient.

// CubeCL's macro uses bindings with an underscore, and has no inclusive ranges.
#![allow(clippy::used_underscore_binding, clippy::range_plus_one)]

use cubecl::cmma::{MatrixIdent, MmaDefinition};
use cubecl::prelude::*;

use crate::cuda::conv::kernel::{Pair, Run, Sums, load};
use crate::cuda::conv::weights_plan::{POINTS, WeightsPlan};
use crate::cuda::tiles::{RUN, TILE};

/// Parts of the gradient of a kernel: `out [pieces, taps * inputs * outputs]`, to be added up over
/// pieces.
///
/// `x [rows, inputs]` is the input of the convolution, in vectors of `N`; `gradient [rows,
/// outputs]` is that of its output. A row is a point of a board. A group adds up `turns` times
/// [`POINTS`] rows for one row of the kernel; the products' common dimension is that of the points,
/// so both factors are read from shared memory as if turned.
#[cube(launch_unchecked)]
pub(in crate::cuda) fn weights<E: Float, N: Size>(
    x: &[Vector<E, N>],
    gradient: &[Run<E>],
    out: &mut [f32],
    rows: usize,
    turns: usize,
    #[comptime] plan: WeightsPlan,
    #[define(E)] _dtype: ElemType,
) {
    let part = CUBE_POS_X as usize;
    let kernel_row = part % plan.side;
    let first_output = part / plan.side % plan.parts_outputs() * plan.group_outputs();
    let first_input = part / plan.side / plan.parts_outputs() * plan.group_inputs();
    let (inputs, outputs) = comptime!((plan.window_inputs(), plan.window_outputs()));
    let threads = comptime!(plan.planes() * 32);
    let mut near = Shared::<[Run<E>]>::new_aligned_slice(inputs.shared_runs(), 16usize);
    let mut wanted = Shared::<[Run<E>]>::new_aligned_slice(outputs.shared_runs(), 16usize);
    let mut sums = Sequence::<Sums>::new();
    #[unroll]
    for _ in 0..comptime!(plan.side * plan.tiles_outputs * 2) {
        sums.push(Array::new(2usize));
    }
    for turn in 0..turns {
        let first_row = (CUBE_POS_Y as usize * turns + turn) * POINTS;
        // Of the neighbours in this row of the kernel, from that of the first point's first tap on.
        let first = first_row + kernel_row * plan.width;
        load::<E, N>(x, &mut near, first, first_input / RUN, rows, inputs, threads);
        load::<E, Const<8>>(
            gradient,
            &mut wanted,
            first_row,
            first_output / RUN,
            rows,
            outputs,
            threads,
        );
        sync_cube();
        for k in 0..comptime!(POINTS / TILE) {
            multiply::<E>(&near, &wanted, &mut sums, first_row, kernel_row, k, plan);
        }
        sync_cube();
    }
    write(&sums, out, kernel_row, first_input, first_output, plan);
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
    let lane = UNIT_POS_X as usize;
    let plane = UNIT_POS_Y as usize;
    // Of the gradient, 8 points and 8 outputs at a time: the second eight outputs, then the second
    // eight points.
    let point = k * TILE + lane / 16 * 8 + lane % 8;
    let first_tile = plane % plan.planes_outputs * plan.tiles_outputs;
    let start = point * comptime!(plan.window_outputs().stride()) + first_tile * 2 + lane / 8 % 2;
    let mut outputs = Sequence::<Array<Pair<E>>>::new();
    #[unroll]
    for i in 0..plan.tiles_outputs {
        let start = start + comptime!(i * 2);
        let row = &wanted[start..start + 1];
        outputs.push(definition.load_matrix::<_, Const<2>>(row, MatrixIdent::A, 4usize, true));
    }
    // Of the inputs the other way around: the second eight points, then the second eight inputs.
    let point = k * TILE + lane % 16;
    let run = plane / plan.planes_outputs * 2 + lane / 16;
    #[unroll]
    for tap in 0..plan.side {
        let neighbour = neighbour(first_row, point, kernel_row, tap, plan);
        let start = neighbour * comptime!(plan.window_inputs().stride()) + run;
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

/// Which row of the inputs' window is the neighbour of a point of the group, at a tap of the
/// kernel's row: the blank one beyond the board.
#[cube]
fn neighbour(
    first_row: usize,
    point: usize,
    kernel_row: usize,
    #[comptime] tap: usize,
    #[comptime] plan: WeightsPlan,
) -> usize {
    if comptime!(plan.side == 1) {
        point
    } else {
        let at = (first_row + point) % comptime!(plan.height * plan.width);
        // One more than it is, so that no number is below 0.
        let y = at / plan.width + kernel_row;
        let x = at % plan.width + tap;
        let is_on_board = y >= 1 && y <= plan.height && x >= 1 && x <= plan.width;
        select(is_on_board, point + tap, comptime!(plan.window_inputs().rows).runtime())
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
    let lane = UNIT_POS_X as usize;
    let plane = UNIT_POS_Y as usize;
    let first_tile = plane % plan.planes_outputs * plan.tiles_outputs;
    let first_output = first_output + first_tile * TILE + lane / 4;
    let first_input = first_input + plane / plan.planes_outputs * TILE + lane % 4 * 2;
    let piece = CUBE_POS_Y as usize * comptime!(plan.factors());
    #[unroll]
    for tap in 0..plan.side {
        let row = (kernel_row * plan.side + tap) * plan.inputs;
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
                        // The second eight of half a tile are not there.
                        if comptime!(plan.outputs >= TILE) {
                            out[start + i * TILE + 8] = sums[1].extract(j);
                        }
                    }
                }
            }
        }
    }
}
