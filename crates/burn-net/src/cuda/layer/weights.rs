//! Kernels between a weight as files have it, `[out, in, side, side]`, and the order in which it
//! multiplies.

// CubeCL's macro uses bindings with an underscore.
#![allow(clippy::used_underscore_binding)]

use cubecl::prelude::*;

use crate::cuda::conv::rows_plan::THREADS;
use crate::cuda::tiles::{FACTORS, TILE};

/// A weight, rounded and packed as [`crate::cuda::conv::fits::pack`] does it: for the forward pass,
/// and for the backward pass from the gradient of outputs to that of inputs, where taps are
/// mirrored and inputs and outputs change places.
#[cube(launch_unchecked)]
pub(super) fn pack_both<E: Float>(
    weight: &[f32],
    forth: &mut [E],
    back: &mut [E],
    #[comptime] taps: usize,
    #[comptime] inputs: usize,
    #[comptime] outputs: usize,
    #[comptime] has_back: bool,
    #[define(E)] _dtype: ElemType,
) {
    let i = ABSOLUTE_POS;
    if i < comptime!(taps * inputs.next_multiple_of(TILE) * outputs.next_multiple_of(TILE)) {
        let (tap, input, output) = place_of(i, inputs, outputs);
        forth[i] = E::cast_from(factor(weight, tap, input, output, taps, inputs, outputs));
        if has_back {
            let (tap, output, input) = place_of(i, outputs, inputs);
            let tap = comptime!(taps - 1).runtime() - tap;
            back[i] = E::cast_from(factor(weight, tap, input, output, taps, inputs, outputs));
        }
    }
}

/// A factor of a weight, zero where there is no such channel.
#[cube]
fn factor(
    weight: &[f32],
    tap: usize,
    input: usize,
    output: usize,
    #[comptime] taps: usize,
    #[comptime] inputs: usize,
    #[comptime] outputs: usize,
) -> f32 {
    let is_there = input < inputs && output < outputs;
    // What is read is read in any case.
    let input = min(input, comptime!(inputs - 1).runtime());
    let output = min(output, comptime!(outputs - 1).runtime());
    select(is_there, weight[(output * inputs + input) * taps + tap], 0.0f32)
}

/// Tap, input and output of the packed factor `i`.
#[cube]
fn place_of(
    i: usize,
    #[comptime] inputs: usize,
    #[comptime] outputs: usize,
) -> (usize, usize, usize) {
    let tile = i / FACTORS;
    let thread = i / 8 % 32;
    let place = i % 8;
    let tiles_outputs = comptime!(outputs.div_ceil(TILE));
    let tap_and_k = tile / tiles_outputs;
    let n = tile % tiles_outputs;
    let tap = tap_and_k / comptime!(inputs.div_ceil(TILE));
    let k = tap_and_k % comptime!(inputs.div_ceil(TILE));
    let input = k * TILE + place / 2 % 2 * 8 + thread % 4 * 2 + place % 2;
    let output = n * TILE + place / 4 * 8 + thread / 4;
    (tap, input, output)
}

/// Threads that add up a number of [`add_parts`] together, and numbers of a group of threads. One
/// thread a number would leave most of the GPU idle, waiting for memory.
pub(super) const ADDERS: usize = 8;
pub(super) const NUMBERS: usize = THREADS / ADDERS;

/// Adds up `parts [pieces, taps * in * out]` of a weight's gradient, to `out [out, in, taps]`. The
/// order of additions is fixed.
#[cube(launch_unchecked)]
pub(super) fn add_parts(
    parts: &[f32],
    out: &mut [f32],
    pieces: usize,
    #[comptime] taps: usize,
    #[comptime] inputs: usize,
    #[comptime] outputs: usize,
) {
    let unit = UNIT_POS as usize;
    let factors = comptime!(taps * inputs * outputs);
    let i = CUBE_POS_X as usize * NUMBERS + unit % NUMBERS;
    let mut shared = Shared::<[f32]>::new_slice(THREADS);
    let mut sum = 0.0f32;
    if i < factors {
        let mut piece = unit / NUMBERS;
        while piece < pieces {
            sum += parts[piece * factors + i];
            piece += ADDERS;
        }
    }
    shared[unit] = sum;
    sync_cube();
    if unit < NUMBERS && i < factors {
        for adder in 1..ADDERS {
            sum += shared[adder * NUMBERS + unit];
        }
        let row = i / outputs;
        let output = i % outputs;
        let tap = row / inputs;
        let input = row % inputs;
        out[(output * inputs + input) * taps + tap] = sum;
    }
}
