//! The kernel itself.

// CubeCL's macro uses bindings with an underscore, and has no inclusive ranges.
#![allow(clippy::used_underscore_binding, clippy::range_plus_one)]

use cubecl::cmma::{MatrixIdent, MmaDefinition};
use cubecl::prelude::*;

use crate::cuda::conv::finish::Finish;
use crate::cuda::conv::plan::Plan;
use crate::cuda::conv::window::Window;
use crate::cuda::tiles::{RUN, TILE};

/// Eight halves, which a thread loads at a time.
pub(in crate::cuda) type Run<E> = Vector<E, Const<8>>;

/// The same in four registers.
pub(in crate::cuda) type Registers = Vector<u32, Const<4>>;

/// Two halves, a register.
pub(in crate::cuda) type Pair<E> = Vector<E, Const<2>>;

/// Of a tile of points and eight outputs what a thread has: two outputs of a row, and the same of
/// the row eight on.
pub(in crate::cuda) type Sums = Array<Vector<f32, Const<2>>>;

/// `out = x convolved with kernel`, then `+ shift`, then `+ added`, then no less than 0, what of
/// these is asked for.
///
/// `x [rows, inputs]`, in vectors of `N`; `kernel` in the order of
/// [`crate::cuda::conv::fits::pack`]; `shift [outputs]`; `added` and `out [rows, outputs]`. A row
/// is a point of a board. Sums are 32 bits wide and rounded once. `moments [parts, 2, outputs]` is
/// written if asked for, see [`write_moments`].
#[cube(launch_unchecked)]
pub(in crate::cuda) fn convolve<E: Float, N: Size>(
    x: &[Vector<E, N>],
    kernel: &[Registers],
    shift: &[Pair<E>],
    added: &[Pair<E>],
    out: &mut [Pair<E>],
    moments: &mut [Vector<f32, Const<2>>],
    rows: usize,
    #[comptime] plan: Plan,
    #[comptime] finish: Finish,
    #[define(E)] _dtype: ElemType,
) {
    let group_row = CUBE_POS_X as usize * comptime!(plan.points());
    let mut near =
        Shared::<[Run<E>]>::new_aligned_slice(comptime!(plan.window().shared_runs()), 16usize);
    load::<E, N>(
        x,
        &mut near,
        group_row,
        0usize,
        rows,
        plan.window(),
        comptime!(plan.planes() * 32),
    );
    sync_cube();

    let plane = UNIT_POS_Y as usize;
    let first_point = plane % plan.planes_points * comptime!(plan.tiles_points * TILE);
    let part = CUBE_POS_Y as usize * plan.planes_outputs + plane / plan.planes_points;
    let first_tile = part * plan.tiles_outputs;
    let mut sums = Sequence::<Sums>::new();
    #[unroll]
    for _ in 0..comptime!(plan.tiles_points * plan.tiles_outputs * 2) {
        sums.push(Array::new(2usize));
    }
    let taps = taps_on_board(group_row, first_point, plan);
    for tap in 0..comptime!(plan.taps()) {
        let starts = starts(&taps, first_point, tap, plan);
        #[unroll]
        for k in 0..comptime!(plan.tiles_inputs()) {
            let step = tap * comptime!(plan.tiles_inputs()) + k;
            let first = step * comptime!(plan.all_tiles_outputs()) + first_tile;
            let mut factors = Sequence::<Array<Pair<E>>>::new();
            #[unroll]
            for j in 0..plan.tiles_outputs {
                let registers = kernel[(first + j) * 32 + UNIT_POS_X as usize];
                factors.push(pairs::<E>(registers, 0usize));
                factors.push(pairs::<E>(registers, 2usize));
            }
            multiply::<E>(&near, &starts, &factors, &mut sums, k, plan);
        }
    }
    let first_row = group_row + first_point;
    if finish.moments {
        write_moments::<E>(&sums, moments, first_row, rows, first_tile, plan);
    }
    write::<E>(&sums, shift, added, out, first_row, rows, first_tile, plan, finish);
}

/// Puts rows around `first_row` into shared memory, channels from run `first_run` on.
#[cube]
pub(in crate::cuda) fn load<E: Float, N: Size>(
    x: &[Vector<E, N>],
    near: &mut Shared<[Run<E>]>,
    first_row: usize,
    first_run: usize,
    rows: usize,
    #[comptime] window: Window,
    #[comptime] threads: usize,
) {
    let all = comptime!((window.rows + window.blank) * window.runs());
    let before = comptime!(window.before).runtime();
    // Unrolled, so that all turns' reading is on its way before the first of it is stored.
    #[unroll]
    for turn in 0..comptime!(all.div_ceil(threads)) {
        let i = turn * threads + UNIT_POS as usize;
        let place = i / comptime!(window.runs());
        let run = i % comptime!(window.runs());
        // Later by what is before than it is, so that no number is below 0.
        let row = first_row + place;
        let is_row = row >= before && row < rows + before;
        // What is read is read in any case, so that no thread waits for whether it is there.
        let row = min(max(row, before) - before, rows - 1);
        let is_there = is_row && place < comptime!(window.rows);
        let values = run_of::<E, N>(x, row, first_run + run, window.channels);
        let values = select(is_there, Registers::reinterpret(values), Registers::new(0u32));
        // The only condition is that for the last turn. With another, each turn would wait for its
        // own reads.
        let is_within = comptime!((turn + 1) * threads <= all);
        if is_within || i < all {
            near[place * comptime!(window.stride()) + run] = Run::<E>::reinterpret(values);
        }
    }
}

/// Eight channels of a row of so many; zeros for those that it does not have.
#[cube]
fn run_of<E: Float, N: Size>(
    x: &[Vector<E, N>],
    row: usize,
    run: usize,
    #[comptime] channels: usize,
) -> Run<E> {
    let size = N::value();
    let mut values = Vector::empty();
    #[unroll]
    for part in 0..comptime!(RUN / size) {
        let channel = run * RUN + part * size;
        let last = comptime!(channels - size).runtime();
        let from = x[row * comptime!(channels / size) + min(channel, last) / size];
        #[unroll]
        for j in 0..size {
            let value = from.extract(j);
            let is_missing = comptime!(!channels.is_multiple_of(TILE)) && channel > last;
            let value = select(is_missing, E::from_int(0), value);
            values.insert(comptime!(part * size + j), value);
        }
    }
    values
}

/// Two registers of halves.
#[cube]
pub(in crate::cuda) fn pairs<E: Float>(
    registers: Registers,
    #[comptime] first: usize,
) -> Array<Pair<E>> {
    let mut pairs = Array::new(2usize);
    #[unroll]
    for i in 0..2usize {
        pairs[i] = Pair::<E>::reinterpret(registers.extract(comptime!(first + i)));
    }
    pairs
}

/// Returns a mask for each tile. Bit `t` says whether the neighbour of the thread's row at tap `t`
/// of the kernel is on the board.
///
/// A mask takes one register. The row's coordinates would take two, and above 168 registers a
/// thread only two thread blocks instead of three fit a multiprocessor.
#[cube]
fn taps_on_board(group_row: usize, first_point: usize, #[comptime] plan: Plan) -> Sequence<u32> {
    let mut taps = Sequence::<u32>::new();
    #[unroll]
    for i in 0..plan.tiles_points {
        let point = first_point + i * TILE + UNIT_POS_X as usize % TILE;
        let at = (group_row + point) % comptime!(plan.height * plan.width);
        let y = at / plan.width;
        let x = at % plan.width;
        let left = select(x > 0, 1u32, 0u32);
        let right = select(x + 1 < plan.width, 4u32, 0u32);
        let row = left + 2u32 + right;
        let above = select(y > 0, row, 0u32);
        let below = select(y + 1 < plan.height, row, 0u32);
        taps.push(above + row * 8u32 + below * 64u32);
    }
    taps
}

/// Where in shared memory the thread's row of each tile has its neighbour, `tap` of the kernel, row
/// by row: the blank one beyond the board. A tile's 16 rows are named by 16 threads; the other 16
/// name the same rows' inputs from the eighth on.
#[cube]
fn starts(
    taps: &Sequence<u32>,
    first_point: usize,
    tap: usize,
    #[comptime] plan: Plan,
) -> Sequence<usize> {
    let lane = UNIT_POS_X as usize;
    let stride = comptime!(plan.window().stride());
    let aside = if comptime!(plan.side == 1) { tap } else { tap / 3 * plan.width + tap % 3 };
    let first = (first_point + lane % TILE + aside) * stride + lane / TILE;
    let blank = comptime!(plan.window().rows * stride).runtime() + lane / TILE;
    let mut starts = Sequence::<usize>::new();
    #[unroll]
    for i in 0..plan.tiles_points {
        let there = first + comptime!(i * TILE * stride);
        if comptime!(plan.side == 1) {
            starts.push(there);
        } else {
            let is_on_board = (*taps.index(i) >> tap as u32) % 2u32 == 1u32;
            starts.push(select(is_on_board, there, blank));
        }
    }
    starts
}

/// Adds to a plane's sums the products with 16 inputs, tile `k` of them.
#[cube]
fn multiply<E: Float>(
    near: &Shared<[Run<E>]>,
    starts: &Sequence<usize>,
    factors: &Sequence<Array<Pair<E>>>,
    sums: &mut Sequence<Sums>,
    #[comptime] k: usize,
    #[comptime] plan: Plan,
) {
    let definition = MmaDefinition::<E, E, f32>::new(16usize, 8usize, 16usize);
    #[unroll]
    for i in 0..plan.tiles_points {
        let start = *starts.index(i) + comptime!(k * TILE / RUN);
        let row = &near[start..start + 1];
        let points = definition.load_matrix::<_, Const<2>>(row, MatrixIdent::A, 4usize, false);
        #[unroll]
        for j in 0..comptime!(plan.tiles_outputs * 2) {
            let sums = sums.index_mut(comptime!(i * plan.tiles_outputs * 2 + j));
            definition.execute_inplace(&points, factors.index(j), sums);
        }
    }
}

/// Finishes a plane's sums and writes them.
#[cube]
fn write<E: Float>(
    sums: &Sequence<Sums>,
    shift: &[Pair<E>],
    added: &[Pair<E>],
    out: &mut [Pair<E>],
    first_row: usize,
    rows: usize,
    first_tile: usize,
    #[comptime] plan: Plan,
    #[comptime] finish: Finish,
) {
    let lane = UNIT_POS_X as usize;
    let first_pair = first_tile * comptime!(TILE / 2) + lane % 4;
    #[unroll]
    for i in 0..plan.tiles_points {
        #[unroll]
        for half in 0..2usize {
            let row = first_row + i * TILE + half * 8 + lane / 4;
            // What is read is read for every row, so that no thread waits for whether it is there.
            let row_read = min(row, rows - 1);
            let mut pairs = Array::<Pair<E>>::new(comptime!(plan.tiles_outputs * 2));
            #[unroll]
            for j in 0..comptime!(plan.tiles_outputs * 2) {
                let mut output = first_pair + j * 4;
                if comptime!(plan.outputs < TILE) {
                    // As with rows; the second eight outputs are not there.
                    output = min(output, comptime!(plan.outputs / 2 - 1).runtime());
                }
                let mut sum = sums.index(comptime!(i * plan.tiles_outputs * 2 + j))[half];
                if finish.shifts {
                    sum += Vector::cast_from(shift[output]);
                }
                if finish.adds {
                    sum +=
                        Vector::cast_from(added[row_read * comptime!(plan.outputs / 2) + output]);
                }
                if finish.rectifies {
                    sum = rectified(sum);
                }
                pairs[j] = Vector::cast_from(sum);
            }
            if row < rows {
                #[unroll]
                for j in 0..comptime!(plan.tiles_outputs * 2) {
                    let output = first_pair + j * 4;
                    // Not known when the kernel is compiled, or CubeCL 0.11.3 fails to compile it.
                    if comptime!(plan.outputs >= TILE) || output < comptime!(plan.outputs / 2) {
                        out[row * comptime!(plan.outputs / 2) + output] = pairs[j];
                    }
                }
            }
        }
    }
}

/// Writes the mean of each output over a plane's points, and the sum of squared distances from it,
/// to `out [parts, 2, outputs]`. Both are of the rounded convolution, before shift and residual. A
/// part is the points of a plane, see [`Plan::plane_points`].
#[cube]
fn write_moments<E: Float>(
    sums: &Sequence<Sums>,
    out: &mut [Vector<f32, Const<2>>],
    first_row: usize,
    rows: usize,
    first_tile: usize,
    #[comptime] plan: Plan,
) {
    let lane = UNIT_POS_X as usize;
    let points = comptime!(plan.plane_points()).runtime();
    let part = first_row / points;
    let there = min(max(rows, first_row) - first_row, points);
    let share = 1.0f32 / f32::cast_from(max(there, 1usize));
    #[unroll]
    for j in 0..comptime!(plan.tiles_outputs * 2) {
        let nothing = Vector::<f32, Const<2>>::new(0.0f32);
        let sum =
            plane_pair_sum(sum_of_points::<E>(sums, nothing, first_row, rows, j, false, plan));
        let mean = sum * Vector::new(share);
        let squares =
            plane_pair_sum(sum_of_points::<E>(sums, mean, first_row, rows, j, true, plan));
        let output = first_tile * comptime!(TILE / 2) + lane % 4 + j * 4;
        // After the shuffles, the eight lanes of an output all have its sum. One of them writes it.
        if lane < 4 && output < comptime!(plan.outputs / 2) {
            let place = part * comptime!(plan.outputs) + output;
            out[place] = mean;
            out[place + comptime!(plan.outputs / 2)] = squares;
        }
    }
}

/// Returns the sum over a thread's points of `output - center`, or of its square, for the two
/// outputs `j`.
#[cube]
fn sum_of_points<E: Float>(
    sums: &Sequence<Sums>,
    center: Vector<f32, Const<2>>,
    first_row: usize,
    rows: usize,
    #[comptime] j: usize,
    #[comptime] squares: bool,
    #[comptime] plan: Plan,
) -> Vector<f32, Const<2>> {
    let mut all = Vector::<f32, Const<2>>::new(0.0f32);
    #[unroll]
    for i in 0..plan.tiles_points {
        #[unroll]
        for half in 0..2usize {
            let row = first_row + i * TILE + half * 8 + UNIT_POS_X as usize / 4;
            let sum = sums.index(comptime!(i * plan.tiles_outputs * 2 + j))[half];
            let rounded = Pair::<E>::cast_from(sum);
            let mut beyond = Vector::<f32, Const<2>>::cast_from(rounded) - center;
            if squares {
                beyond = beyond * beyond;
            }
            all += select(row < rows, beyond, Vector::new(0.0f32));
        }
    }
    all
}

/// Returns the sums of two numbers over the lanes of a plane that have the same outputs. The order
/// of additions is fixed.
#[cube]
fn plane_pair_sum(pair: Vector<f32, Const<2>>) -> Vector<f32, Const<2>> {
    let mut all = Vector::empty();
    #[unroll]
    for i in 0..2usize {
        let mut sum = pair.extract(i);
        sum += plane_shuffle_xor(sum, 4u32);
        sum += plane_shuffle_xor(sum, 8u32);
        sum += plane_shuffle_xor(sum, 16u32);
        all.insert(i, sum);
    }
    all
}

/// No less than 0, but what is no number stays none.
#[cube]
pub(in crate::cuda) fn rectified<N: Size>(values: Vector<f32, N>) -> Vector<f32, N> {
    let mut rectified = Vector::empty();
    #[unroll]
    for i in 0..N::value() {
        let value = values.extract(i);
        rectified.insert(i, select(value < 0.0f32, 0.0f32, value));
    }
    rectified
}
