//! The kernel.

// CubeCL's macro uses bindings with an underscore, and has no inclusive ranges.
#![allow(clippy::used_underscore_binding, clippy::range_plus_one)]

use cubecl::cmma::MmaDefinition;
use cubecl::prelude::*;

use crate::cuda::conv::kernel::{Pair, Registers, Run, Sums, pairs, rectified};
use crate::cuda::linear::plan::{CHUNK, LinearPlan};
use crate::cuda::tiles::{RUN, TILE};

/// Planes of a group.
pub(super) const PLANES: usize = 4;

/// `out = x times a matrix + shift`, then no less than 0 if it `rectifies`.
///
/// `x [rows, inputs]`, eight at a time; `factors` in the order of [`LinearPlan::pack`];
/// `shift [outputs]`; `out [rows, outputs]`. Sums are 32 bits wide and rounded at most once.
#[cube(launch_unchecked)]
pub(super) fn linear<E: Float, O: Float>(
    x: &[Run<E>],
    factors: &[Registers],
    shift: &[E],
    out: &mut [O],
    rows: usize,
    #[comptime] plan: LinearPlan,
    #[comptime] rectifies: bool,
    #[define(E)] _dtype: ElemType,
    #[define(O)] _out_dtype: ElemType,
) {
    let plane = CUBE_POS_X as usize * PLANES + UNIT_POS_Y as usize;
    let lane = UNIT_POS_X as usize;
    let first_row = plane / plan.parts * TILE + lane / 4;
    let first_tile = plane % plan.parts * plan.tiles;
    let definition = MmaDefinition::<E, E, f32>::new(16usize, 8usize, 16usize);
    let mut sums = Sequence::<Sums>::new();
    #[unroll]
    for _ in 0..plan.tiles {
        sums.push(Array::new(2usize));
    }
    for turn in 0..comptime!(plan.turns()) {
        // All that a turn reads is on its way before the first of it is multiplied.
        let mut points = Sequence::<Registers>::new();
        let mut matrix = Sequence::<Registers>::new();
        #[unroll]
        for i in 0..comptime!(plan.turn_chunks()) {
            let chunk = turn * comptime!(plan.turn_chunks()) + i;
            #[unroll]
            for half in 0..2usize {
                let row = min(first_row + half * 8, rows - 1);
                points.push(run_of::<E>(x, row, chunk * 4 + lane % 4, plan.inputs));
            }
            #[unroll]
            for j in 0..plan.tiles {
                let tile = chunk * comptime!(plan.all_tiles()) + first_tile + j;
                matrix.push(factors[tile * 32 + lane]);
            }
        }
        #[unroll]
        for step in 0..comptime!(plan.turn_chunks() * 2) {
            let i = comptime!(step / 2);
            let (lower, upper) = comptime!((step % 2 * 2, step % 2 * 2 + 1));
            let near = points.index(comptime!(2 * i));
            let far = points.index(comptime!(2 * i + 1));
            let mut four = Array::<Pair<E>>::new(4usize);
            four[0] = Pair::<E>::reinterpret(near.extract(lower));
            four[1] = Pair::<E>::reinterpret(far.extract(lower));
            four[2] = Pair::<E>::reinterpret(near.extract(upper));
            four[3] = Pair::<E>::reinterpret(far.extract(upper));
            #[unroll]
            for j in 0..plan.tiles {
                let registers = matrix.index(comptime!(i * plan.tiles + j));
                let two = pairs::<E>(*registers, lower);
                definition.execute_inplace(&four, &two, sums.index_mut(j));
            }
        }
    }
    write::<E, O>(&sums, shift, out, first_row, first_tile, rows, plan, rectifies);
}

/// Eight inputs of a row; zeros behind its end.
#[cube]
fn run_of<E: Float>(x: &[Run<E>], row: usize, run: usize, #[comptime] inputs: usize) -> Registers {
    let runs = comptime!(inputs / RUN);
    let last = comptime!(runs - 1).runtime();
    // What is read is read in any case, so that no thread waits for whether it is there.
    let values = Registers::reinterpret(x[row * runs + min(run, last)]);
    if comptime!(!inputs.is_multiple_of(CHUNK)) {
        select(run <= last, values, Registers::new(0u32))
    } else {
        values
    }
}

/// Finishes a plane's sums and writes them.
#[cube]
fn write<E: Float, O: Float>(
    sums: &Sequence<Sums>,
    shift: &[E],
    out: &mut [O],
    first_row: usize,
    first_tile: usize,
    rows: usize,
    #[comptime] plan: LinearPlan,
    #[comptime] rectifies: bool,
) {
    let last = comptime!(plan.outputs - 1).runtime();
    #[unroll]
    for j in 0..plan.tiles {
        let first = (first_tile + j) * 8 + UNIT_POS_X as usize % 4 * 2;
        #[unroll]
        for half in 0..2usize {
            let row = first_row + half * 8;
            let mut sum = sums.index(j)[half];
            sum += shifts::<E>(shift, first, last);
            if rectifies {
                sum = rectified(sum);
            }
            #[unroll]
            for k in 0..2usize {
                let output = first + k;
                if row < rows && output <= last {
                    out[row * plan.outputs + output] = O::cast_from(sum.extract(k));
                }
            }
        }
    }
}

/// Of two outputs that follow each other.
#[cube]
fn shifts<E: Float>(shift: &[E], first: usize, last: usize) -> Vector<f32, Const<2>> {
    let mut two = Vector::empty();
    #[unroll]
    for k in 0..2usize {
        two.insert(k, f32::cast_from(shift[min(first + k, last)]));
    }
    two
}
