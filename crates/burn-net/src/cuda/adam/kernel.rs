//! The kernels.

// CubeCL's macro makes functions of as many arguments as a kernel has tensors.
#![allow(clippy::too_many_arguments)]

use cubecl::prelude::*;

use crate::cuda::adam_step::{BETA1, BETA2, EPSILON};

/// A step of `AdamW`, see [`crate::train::optimizer::Moments::update`], and of the moving average;
/// `count` numbers each.
#[cube(launch_unchecked)]
pub(super) fn adam(
    parameters: &[f32],
    gradient: &[f32],
    decay: &[f32],
    first: &[f32],
    second: &[f32],
    average: &[f32],
    out_parameters: &mut [f32],
    out_first: &mut [f32],
    out_second: &mut [f32],
    out_average: &mut [f32],
    count: usize,
    gradient_scale: f32,
    learning_rate: f32,
    first_scale: f32,
    second_scale: f32,
    average_share: f32,
) {
    let i = ABSOLUTE_POS;
    if i < count {
        let gradient = gradient[i] * gradient_scale;
        let first = first[i] * comptime!(BETA1 as f32) + gradient * comptime!((1.0 - BETA1) as f32);
        let second = second[i] * comptime!(BETA2 as f32)
            + gradient * gradient * comptime!((1.0 - BETA2) as f32);
        let deviation = (second * second_scale).sqrt() + comptime!(EPSILON as f32);
        let direction = first * first_scale / deviation;
        let parameter = parameters[i];
        let moved = parameter - (direction + parameter * decay[i]) * learning_rate;
        out_parameters[i] = moved;
        out_first[i] = first;
        out_second[i] = second;
        out_average[i] = average[i] * average_share + moved * (1.0f32 - average_share);
    }
}

/// `out = share * old + (1 - share) * new`, `count` numbers each.
#[cube(launch_unchecked)]
pub(super) fn blend(old: &[f32], new: &[f32], out: &mut [f32], count: usize, share: f32) {
    let i = ABSOLUTE_POS;
    if i < count {
        out[i] = old[i] * share + new[i] * (1.0f32 - share);
    }
}

/// Puts eight pieces one after another, from a place of `out` on. Each ends before the end that is
/// named, counted from there.
#[cube(launch_unchecked)]
pub(super) fn join(
    a: &[f32],
    b: &[f32],
    c: &[f32],
    d: &[f32],
    e: &[f32],
    f: &[f32],
    g: &[f32],
    h: &[f32],
    out: &mut [f32],
    from: usize,
    end_a: usize,
    end_b: usize,
    end_c: usize,
    end_d: usize,
    end_e: usize,
    end_f: usize,
    end_g: usize,
    end_h: usize,
) {
    let i = ABSOLUTE_POS;
    if i < end_a {
        out[from + i] = a[i];
    } else if i < end_b {
        out[from + i] = b[i - end_a];
    } else if i < end_c {
        out[from + i] = c[i - end_b];
    } else if i < end_d {
        out[from + i] = d[i - end_c];
    } else if i < end_e {
        out[from + i] = e[i - end_d];
    } else if i < end_f {
        out[from + i] = f[i - end_e];
    } else if i < end_g {
        out[from + i] = g[i - end_f];
    } else if i < end_h {
        out[from + i] = h[i - end_g];
    }
}
