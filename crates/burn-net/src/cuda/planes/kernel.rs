//! The kernel.

// CubeCL's macro uses bindings with an underscore.
#![allow(clippy::used_underscore_binding)]

use cubecl::prelude::*;

use crate::cuda::planes::packed::Packed;

/// `out [points, C]` from the bits of positions one after another, 32 in a number, each channel by
/// channel.
#[cube(launch_unchecked)]
pub(super) fn unpack<E: Float>(
    words: &[i32],
    out: &mut [E],
    points: usize,
    #[comptime] packed: Packed,
    #[define(E)] _dtype: ElemType,
) {
    let (area, channels) = comptime!((packed.area, packed.channels));
    let i = ABSOLUTE_POS;
    let point = i / channels;
    let channel = i % channels;
    if point < points {
        let bit = point / area * comptime!(packed.bits) + channel * area + point % area;
        out[i] = E::cast_from((words[bit / 32] >> (bit % 32) as i32) & 1i32);
    }
}
