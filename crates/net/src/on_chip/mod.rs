//! 3x3 convolutions on a card by a kernel of our own: neighbours are found in a multiprocessor's own memory.
//!
//! A convolution by [`crate::convolve::Convolve::Gather`] writes every activation nine times and reads it nine times from the
//! card's memory. Here a group of threads reads the points that it works on and their neighbours once, finds each point's nine
//! among them, and writes the outputs once, added to what stands beside them and rectified if asked for.

#[cfg(feature = "cuda")]
mod kernel;
#[cfg(feature = "cuda")]
mod launch;
mod plan;

use burn::tensor::Tensor;
use dz_network::NetworkSpec;

use crate::convolve::Then;

pub(crate) use plan::Plan;

/// Rows, columns and depth of what a card's matrix units multiply at a time.
pub(crate) const TILE: usize = 16;

/// Halves that a thread loads at a time, 16 bytes.
const RUN: usize = 8;

/// Factors of a tile.
pub(crate) const FACTORS: usize = TILE * TILE;

/// Whether all 3x3 convolutions of a network can be worked out so.
pub(crate) fn fits(spec: &NetworkSpec) -> bool {
    let narrow = spec.block_channels();
    let layers = [(spec.channels_in, spec.channels), (narrow, narrow)];
    layers.iter().all(|&(from, to)| Plan::new([spec.height, spec.width], from, to).is_some())
}

/// 3x3 convolution of rows `[B * H * W, in]` on a card, `[B * H * W, out]`, with a kernel from [`pack`], `shift [1, out]` and what
/// comes then. All are of one format of 16 bits.
#[cfg(feature = "cuda")]
pub(crate) fn convolve3x3(
    plan: Plan,
    x: Tensor<2>,
    kernel: Tensor<2>,
    shift: Tensor<2>,
    then: Then<'_>,
) -> Tensor<2> {
    let rectifies = !matches!(then, Then::Nothing);
    let added = if let Then::AddAndRectify(added) = then { Some(added.clone()) } else { None };
    launch::convolve3x3(plan, x, kernel, shift, added, rectifies)
}

#[cfg(not(feature = "cuda"))]
pub(crate) fn convolve3x3(
    _: Plan,
    _: Tensor<2>,
    _: Tensor<2>,
    _: Tensor<2>,
    _: Then<'_>,
) -> Tensor<2> {
    unreachable!("pick_device gives no card in a build without CUDA")
}

/// A 3x3 kernel `[9 * in, out]` in the order in which the threads of a plane multiply: `[9 * in / 16 * out / 16, 256]`, where
/// a tile of 16 inputs and 16 outputs is a row of `[8 outputs, 4 inputs, 2 outputs, 2 inputs, 2 inputs]`, each thread's
/// eight factors together. Missing inputs become zeros.
///
/// That a thread has inputs `2 * (t % 4)`, the next one, and both again 8 on, of output `t / 4`, is how the instruction takes
/// its second matrix (PTX ISA 9.0, "mma.m16n8k16", figures of the fragments for `.f16`).
pub(crate) fn pack(kernel: Tensor<2>) -> Tensor<2> {
    let [rows, outputs] = kernel.dims();
    let inputs = rows / 9;
    let (tiles_inputs, tiles_outputs) = (inputs.div_ceil(TILE), outputs / TILE);
    let missing = tiles_inputs * TILE - inputs;
    let mut kernel = kernel.reshape([9, inputs, outputs]);
    if missing > 0 {
        let zeros = Tensor::zeros([9, missing, outputs], (&kernel.device(), kernel.dtype()));
        kernel = Tensor::cat(vec![kernel, zeros], 1);
    }
    kernel
        // Of 16 inputs: [half, fourth, pair]; of 16 outputs: [half, eighth].
        .reshape([9 * tiles_inputs, 2, 4, 2, tiles_outputs, 2, 8])
        .permute([0, 4, 6, 2, 5, 1, 3])
        .reshape([9 * tiles_inputs * tiles_outputs, FACTORS])
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use crate::tower::{download, upload};

    use super::*;

    #[test]
    fn networks_of_ordinary_size_fit() {
        let plain = |board, channels| NetworkSpec::plain(board, 10, 2, channels);
        assert!(fits(&plain([3, 6, 7], 32)) && fits(&plain([17, 9, 9], 96)));
        assert!(fits(&plain([17, 19, 19], 256)));
        assert!(!fits(&plain([3, 6, 7], 24)) && !fits(&plain([17, 19, 19], 512)));
    }

    /// What each thread holds is written out once more, from the instruction's description.
    #[test]
    fn a_packed_kernel_has_each_threads_factors_together() {
        let (inputs, outputs) = (20, 48);
        let numbers: Vec<f32> = (0..9 * inputs * outputs).map(|i| i as f32 + 1.0).collect();
        let kernel = upload(numbers.clone(), &Device::flex()).reshape([9 * inputs, outputs]);
        let packed = pack(kernel);
        assert_eq!(packed.dims(), [9 * 2 * 3, 256]);
        let packed = download(packed);
        for (i, found) in packed.into_iter().enumerate() {
            let (tile, thread, place) = (i / 256, i / 8 % 32, i % 8);
            let (tap, k, n) = (tile / 6, tile / 3 % 2, tile % 3);
            let output = n * 16 + place / 4 * 8 + thread / 4;
            let input = k * 16 + place / 2 % 2 * 8 + thread % 4 * 2 + place % 2;
            let wanted = if input < inputs {
                numbers[(tap * inputs + input) * outputs + output]
            } else {
                0.0
            };
            assert_eq!(found, wanted, "{i}");
        }
    }
}
