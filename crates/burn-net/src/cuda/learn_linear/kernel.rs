//! The kernels.

// CubeCL's macro uses bindings with an underscore, and has no inclusive ranges.
#![allow(clippy::used_underscore_binding, clippy::range_plus_one, clippy::too_many_arguments)]

use cubecl::cmma::{MatrixIdent, MmaDefinition};
use cubecl::prelude::*;

use crate::cuda::conv::kernel::{Pair, Run, Sums};
use crate::cuda::learn_linear::plan::{SIDE, THREADS};
use crate::cuda::tiles::{RUN, TILE};

/// Runs of a row in shared memory. An odd number, so that the same run of eight rows that follow
/// each other is in eight different places of the 128 bytes that a card reads at a time.
const STRIDE: usize = SIDE / RUN + 1;

/// Tiles of 16 along either side of a plane's quarter of the sums.
const TILES: usize = SIDE / 2 / TILE;

/// The memory layout of a product's factors. It is known when a kernel is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Factors {
    /// The left one is `[depth, rows]` instead of `[rows, depth]`.
    pub(super) is_left_turned: bool,
    /// The right one is `[columns, depth]` instead of `[depth, columns]`.
    pub(super) is_right_turned: bool,
    /// The right one has a last column of ones that is not in memory. The sums of that column are
    /// sums of the left factor.
    pub(super) has_ones: bool,
}

/// Computes `out [parts, rows, columns]`. Each part sums up `steps * SIDE` of the depth. Sums have
/// 32 bits. Factors are rounded to `E`.
#[cube(launch_unchecked)]
pub(super) fn product<E: Float, A: Float, B: Float, O: Float, N: Size, M: Size>(
    left: &[Vector<A, N>],
    right: &[Vector<B, M>],
    out: &mut [O],
    rows: usize,
    columns: usize,
    depth: usize,
    steps: usize,
    #[comptime] factors: Factors,
    #[define(E)] _dtype: ElemType,
    #[define(A)] _left_dtype: ElemType,
    #[define(B)] _right_dtype: ElemType,
    #[define(O)] _out_dtype: ElemType,
) {
    let first_row = CUBE_POS_X as usize * SIDE;
    let first_column = CUBE_POS_Y as usize * SIDE;
    let part = CUBE_POS_Z as usize;
    let mut near_left = Shared::<[Run<E>]>::new_aligned_slice(SIDE * STRIDE, 16usize);
    let mut near_right = Shared::<[Run<E>]>::new_aligned_slice(SIDE * STRIDE, 16usize);
    let mut sums = Sequence::<Sums>::new();
    #[unroll]
    for _ in 0..comptime!(TILES * TILES * 2) {
        sums.push(Array::new(2usize));
    }
    for step in 0..steps {
        let at = (part * steps + step) * SIDE;
        if factors.is_left_turned {
            load::<E, A, N>(left, &mut near_left, at, first_row, depth, rows, false);
        } else {
            load::<E, A, N>(left, &mut near_left, first_row, at, rows, depth, false);
        }
        if factors.is_right_turned {
            load::<E, B, M>(right, &mut near_right, first_column, at, columns, depth, false);
        } else {
            load::<E, B, M>(
                right,
                &mut near_right,
                at,
                first_column,
                depth,
                columns,
                comptime!(factors.has_ones),
            );
        }
        sync_cube();
        #[unroll]
        for k in 0..comptime!(SIDE / TILE) {
            multiply::<E>(&near_left, &near_right, &mut sums, k, factors);
        }
        sync_cube();
    }
    write::<O>(&sums, out, part, first_row, first_column, rows, columns);
}

/// Copies a tile of 64 x 64 numbers of a matrix `[rows, columns]` to shared memory. Numbers beyond
/// its end are 0. With `ones`, the last column is not in memory, and all its numbers are 1.
#[cube]
fn load<E: Float, T: Float, N: Size>(
    from: &[Vector<T, N>],
    near: &mut Shared<[Run<E>]>,
    first_row: usize,
    first_column: usize,
    rows: usize,
    columns: usize,
    #[comptime] ones: bool,
) {
    let width = if comptime!(ones) { columns - 1 } else { columns };
    let size = N::value();
    // Unrolled, so that all reads are issued before the first result is stored.
    #[unroll]
    for turn in 0..comptime!(SIDE * SIDE / RUN / THREADS) {
        let i = turn * THREADS + UNIT_POS as usize;
        let place = i / (SIDE / RUN);
        let run = i % (SIDE / RUN);
        let row = first_row + place;
        let is_row = row < rows;
        let start = min(row, rows - 1) * width;
        let mut values = Run::<E>::empty();
        #[unroll]
        for piece in 0..comptime!(RUN / size) {
            let column = first_column + run * RUN + piece * size;
            // Out-of-range threads read the last numbers, so that no read waits for the check.
            let read = from[(start + min(column, width - size)) / size];
            #[unroll]
            for j in 0..size {
                let is_there = is_row && column + j < width;
                let mut value = select(is_there, E::cast_from(read.extract(j)), E::from_int(0));
                if ones {
                    let is_one = is_row && column + j == width;
                    value = select(is_one, E::from_int(1), value);
                }
                values.insert(comptime!(piece * size + j), value);
            }
        }
        near[place * STRIDE + run] = values;
    }
}

/// Adds to a plane's sums the products of 16 of the depth, tile `k` of them. The order of a
/// matrix's registers is that of PTX ISA 9.0, "mma.m16n8k16".
#[cube]
fn multiply<E: Float>(
    near_left: &Shared<[Run<E>]>,
    near_right: &Shared<[Run<E>]>,
    sums: &mut Sequence<Sums>,
    #[comptime] k: usize,
    #[comptime] factors: Factors,
) {
    let definition = MmaDefinition::<E, E, f32>::new(16usize, 8usize, 16usize);
    let lane = UNIT_POS as usize % 32;
    let plane = UNIT_POS as usize / 32;
    let first_row_tile = plane / 2 * TILES;
    let first_column_tile = plane % 2 * TILES;
    // Eight lanes name the rows of a block of 8x8, four blocks a tile: of the left factor the
    // second block is eight rows on and the third one eight of the depth on.
    let eight = lane % 8;
    let second = lane / 8 % 2;
    let third = lane / 16;
    let mut lefts = Sequence::<Array<Pair<E>>>::new();
    #[unroll]
    for i in 0..TILES {
        let tile = first_row_tile + i;
        let mut start = (tile * TILE + second * 8 + eight) * STRIDE + k * 2 + third;
        if factors.is_left_turned {
            start = (k * TILE + third * 8 + eight) * STRIDE + tile * 2 + second;
        }
        let row = &near_left[start..start + 1];
        let turned = comptime!(factors.is_left_turned);
        lefts.push(definition.load_matrix::<_, Const<2>>(row, MatrixIdent::A, 4usize, turned));
    }
    // Of the right one the second block is eight of the depth on and the third eight columns on.
    #[unroll]
    for j in 0..TILES {
        let tile = first_column_tile + j;
        let mut start = (k * TILE + second * 8 + eight) * STRIDE + tile * 2 + third;
        if factors.is_right_turned {
            start = (tile * TILE + third * 8 + eight) * STRIDE + k * 2 + second;
        }
        let row = &near_right[start..start + 1];
        let turned = comptime!(!factors.is_right_turned);
        let rights = definition.load_matrix::<_, Const<2>>(row, MatrixIdent::B, 4usize, turned);
        #[unroll]
        for half in 0..2usize {
            let mut two = Array::<Pair<E>>::new(2usize);
            two[0] = rights[comptime!(half * 2)];
            two[1] = rights[comptime!(half * 2 + 1)];
            #[unroll]
            for i in 0..TILES {
                let sums = sums.index_mut(comptime!((i * TILES + j) * 2 + half));
                definition.execute_inplace(lefts.index(i), &two, sums);
            }
        }
    }
}

/// Writes a plane's sums.
#[cube]
fn write<O: Float>(
    sums: &Sequence<Sums>,
    out: &mut [O],
    part: usize,
    first_row: usize,
    first_column: usize,
    rows: usize,
    columns: usize,
) {
    let lane = UNIT_POS as usize % 32;
    let plane = UNIT_POS as usize / 32;
    let first_row = first_row + plane / 2 * (SIDE / 2) + lane / 4;
    let first_column = first_column + plane % 2 * (SIDE / 2) + lane % 4 * 2;
    #[unroll]
    for i in 0..TILES {
        #[unroll]
        for j in 0..comptime!(TILES * 2) {
            #[unroll]
            for half in 0..2usize {
                let row = first_row + i * TILE + half * 8;
                let sum = sums.index(comptime!(i * TILES * 2 + j))[half];
                #[unroll]
                for k in 0..2usize {
                    let column = first_column + j * 8 + k;
                    if row < rows && column < columns {
                        out[(part * rows + row) * columns + column] = O::cast_from(sum.extract(k));
                    }
                }
            }
        }
    }
}

/// Adds up `parts [pieces, count]` and adds `bias [columns]` to each row, to `out [count]`.
#[cube(launch_unchecked)]
pub(super) fn finish_outputs(
    parts: &[f32],
    bias: &[f32],
    out: &mut [f32],
    count: usize,
    columns: usize,
    pieces: usize,
) {
    let i = ABSOLUTE_POS;
    if i < count {
        let mut sum = parts[i];
        for piece in 1..pieces {
            sum += parts[piece * count + i];
        }
        out[i] = sum + bias[i % columns];
    }
}

/// Adds up `parts [pieces, outputs, inputs + 1]`, to `weight [outputs, inputs]` and `bias
/// [outputs]`.
#[cube(launch_unchecked)]
pub(super) fn finish_gradients(
    parts: &[f32],
    weight: &mut [f32],
    bias: &mut [f32],
    outputs: usize,
    inputs: usize,
    pieces: usize,
) {
    let i = ABSOLUTE_POS;
    let columns = inputs + 1;
    let count = outputs * columns;
    if i < count {
        let mut sum = parts[i];
        for piece in 1..pieces {
            sum += parts[piece * count + i];
        }
        let output = i / columns;
        let input = i % columns;
        if input < inputs {
            weight[output * inputs + input] = sum;
        } else {
            bias[output] = sum;
        }
    }
}
