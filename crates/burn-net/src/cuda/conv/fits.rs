//! Which convolutions the kernels take, and how their weights are packed.

use burn::tensor::Tensor;
use dz_network_file::NetworkSpec;

use crate::cuda::conv::plan::Plan;
use crate::cuda::conv::weights_plan::WeightsPlan;
use crate::cuda::tiles::{FACTORS, TILE};

/// Whether all 3x3 convolutions of a network can be worked out so.
pub(crate) fn fits(spec: &NetworkSpec) -> bool {
    let narrow = spec.block_channels();
    let layers = [(spec.channels_in, spec.channels), (narrow, narrow)];
    layers.iter().all(|&(from, to)| Plan::new([spec.height, spec.width], 3, from, to).is_some())
}

/// Whether [`convolve`] takes a convolution of `[out, in, side, side]`, of a network that [`fits`].
pub(crate) fn plays(size: [usize; 2], [outputs, inputs, side, _]: [usize; 4]) -> bool {
    Plan::new(size, side, inputs, outputs).is_some()
}

/// Whether [`layer`] takes a convolution of `[out, in, side, side]`, of a network that [`fits`]. Of
/// 3x3 convolutions only the first has inputs that do not fill tiles, and their gradient is not
/// needed. All 1x1 convolutions come after others.
pub(crate) fn learns(size: [usize; 2], shape: [usize; 4]) -> bool {
    let [outputs, inputs, side, _] = shape;
    let back = side == 3 || plays(size, [inputs, outputs, side, side]);
    back && plays(size, shape) && WeightsPlan::new(size, side, inputs, outputs).is_some()
}

/// A kernel `[taps * in, out]` of 9 taps or 1 in the order in which the threads of a plane
/// multiply: `[taps * in / 16 * out / 16, 256]`, where a tile of 16 inputs and 16 outputs is a row
/// of `[8 outputs, 4 inputs, 2 outputs, 2 inputs, 2 inputs]`, each thread's eight factors together.
/// Missing channels become zeros.
///
/// The instruction takes its second matrix in this layout: thread `t` has inputs `2 * (t % 4)` and
/// the next one, and both again 8 on, of output `t / 4` (PTX ISA 9.0, "mma.m16n8k16", figures of
/// the fragments for `.f16`).
pub(crate) fn pack(kernel: Tensor<2>, taps: usize) -> Tensor<2> {
    let [rows, outputs] = kernel.dims();
    let inputs = rows / taps;
    let tiles_inputs = inputs.div_ceil(TILE);
    let tiles_outputs = outputs.div_ceil(TILE);
    let mut kernel = kernel.reshape([taps, inputs, outputs]);
    for (axis, tiles) in [(1, tiles_inputs), (2, tiles_outputs)] {
        let mut missing = kernel.dims();
        missing[axis] = tiles * TILE - missing[axis];
        if missing[axis] > 0 {
            let zeros = Tensor::zeros(missing, (&kernel.device(), kernel.dtype()));
            kernel = Tensor::cat(vec![kernel, zeros], axis);
        }
    }
    kernel
        // Of 16 inputs: [half, fourth, pair]; of 16 outputs: [half, eighth].
        .reshape([taps * tiles_inputs, 2, 4, 2, tiles_outputs, 2, 8])
        .permute([0, 4, 6, 2, 5, 1, 3])
        .reshape([taps * tiles_inputs * tiles_outputs, FACTORS])
}

/// So many rows that the gradient of a kernel takes all that a card does for one.
pub(crate) fn rows_of_two_turns(
    size: [usize; 2],
    side: usize,
    inputs: usize,
    outputs: usize,
) -> usize {
    WeightsPlan::new(size, side, inputs, outputs).map_or(1, |plan| plan.rows_of_two_turns())
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use crate::tensors::{download, upload};

    use super::*;

    #[test]
    fn networks_of_ordinary_size_fit() {
        let plain = |board, channels| NetworkSpec::plain(board, 10, 2, channels);
        assert!(fits(&plain([3, 6, 7], 32)) && fits(&plain([17, 9, 9], 96)));
        assert!(fits(&plain([17, 19, 19], 256)));
        assert!(!fits(&plain([3, 6, 7], 24)) && !fits(&plain([17, 19, 19], 512)));
    }

    #[test]
    fn heads_learn_on_a_chip_if_they_fill_tiles_or_half_of_one() {
        let takes = |shape| learns([9, 9], shape);
        assert!(takes([96, 17, 3, 3]) && takes([96, 96, 3, 3]));
        assert!(takes([16, 96, 1, 1]) && takes([8, 96, 1, 1]) && takes([64, 128, 1, 1]));
        assert!(!takes([2, 96, 1, 1]) && !takes([24, 96, 1, 1]) && !takes([16, 20, 1, 1]));
    }

    /// What each thread holds is written out once more, from the instruction's description.
    #[test]
    fn a_packed_kernel_has_each_threads_factors_together() {
        let inputs = 20;
        let outputs = 48;
        let numbers: Vec<f32> = (0..9 * inputs * outputs).map(|i| i as f32 + 1.0).collect();
        let kernel = upload(numbers.clone(), &Device::flex()).reshape([9 * inputs, outputs]);
        let packed = pack(kernel, 9);
        assert_eq!(packed.dims(), [9 * 2 * 3, 256]);
        let packed = download(packed);
        for (i, found) in packed.into_iter().enumerate() {
            let tile = i / 256;
            let thread = i / 8 % 32;
            let place = i % 8;
            let tap = tile / 6;
            let k = tile / 3 % 2;
            let n = tile % 3;
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

    #[test]
    fn of_half_a_tile_the_other_half_is_blank() {
        let kernel = upload(vec![1.0; 32 * 8], &Device::flex()).reshape([32, 8]);
        let packed = pack(kernel, 1);
        assert_eq!(packed.dims(), [2, 256]);
        for (i, found) in download(packed).into_iter().enumerate() {
            // The second four of a thread's factors are those of the second eight outputs.
            assert_eq!(found, if i % 8 < 4 { 1.0 } else { 0.0 }, "{i}");
        }
    }
}
