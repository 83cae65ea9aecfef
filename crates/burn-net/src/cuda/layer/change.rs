//! Kernels that change rows: batch norm with its epilogue, and the gradient.

// CubeCL's macro uses bindings with an underscore, and has no inclusive ranges.
#![allow(clippy::used_underscore_binding, clippy::range_plus_one)]

use cubecl::prelude::*;

use crate::cuda::conv::kernel::{Run, rectified};
use crate::cuda::conv::rows_plan::RowsPlan;
use crate::cuda::layer::sums::{Eight, eight, inverse, row_of, through};

/// `out = (y - mean) / deviation * gamma + beta`, then `+ added`, then no less than 0, if asked
/// for. `mean`, `variance`, `gamma` and `beta` are `[C]`, all others `[rows, C]`.
#[cube(launch_unchecked)]
pub(super) fn normalise<E: Float>(
    y: &[Run<E>],
    mean: &[Eight],
    variance: &[Eight],
    gamma: &[f32],
    beta: &[f32],
    added: &[Run<E>],
    out: &mut [Run<E>],
    rows: usize,
    turns: usize,
    #[comptime] plan: RowsPlan,
    #[comptime] adds: bool,
    #[comptime] rectifies: bool,
    #[define(E)] _dtype: ElemType,
) {
    let run = UNIT_POS as usize % plan.runs();
    let scale = eight(gamma, run) * inverse(variance[run]);
    let shift = eight(beta, run) - mean[run] * scale;
    for turn in 0..turns {
        let row = row_of(turn, turns, rows, plan);
        if row < rows {
            let i = row * plan.runs() + run;
            let mut values = Eight::cast_from(y[i]) * scale + shift;
            if adds {
                values += Eight::cast_from(added[i]);
            }
            if rectifies {
                values = rectified(values);
            }
            out[i] = Run::<E>::cast_from(values);
        }
    }
}

/// Writes the gradient of `y` into `back`, and that of the added tensor, if there is one, into
/// `aside`. They come from the gradient of the `output` and from its sums `along_beta` and
/// `along_gamma [C]`.
///
/// Ioffe & Szegedy 2015, the equations of section 3: the gradient is that of centred and scaled
/// rows, less its part along beta and along gamma.
#[cube(launch_unchecked)]
pub(super) fn back<E: Float>(
    gradient: &[Run<E>],
    output: &[Run<E>],
    y: &[Run<E>],
    mean: &[Eight],
    variance: &[Eight],
    gamma: &[f32],
    along_beta: &[Eight],
    along_gamma: &[Eight],
    back: &mut [Run<E>],
    aside: &mut [Run<E>],
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
    let count = Eight::new(f32::cast_from(rows));
    let along_beta = along_beta[run] / count;
    let along_gamma = along_gamma[run] / count;
    let scale = eight(gamma, run) * inverse;
    for turn in 0..turns {
        let row = row_of(turn, turns, rows, plan);
        if row < rows {
            let i = row * plan.runs() + run;
            let y = Eight::cast_from(y[i]);
            // `y` shows whether the output was above 0, and `along` uses that. Here the registers
            // for it cost more than reading the output: 23 us instead of 20.
            let through = through::<E>(gradient[i], Eight::cast_from(output[i]), rectifies);
            let scaled = (y - mean) * inverse;
            let rest = through - along_beta - scaled * along_gamma;
            back[i] = Run::<E>::cast_from(rest * scale);
            if adds {
                aside[i] = Run::<E>::cast_from(through);
            }
        }
    }
}
