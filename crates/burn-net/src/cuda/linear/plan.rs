//! How a linear layer is shared out among a card's planes, and how its matrix lies.

use burn::tensor::Tensor;

use crate::cuda::tiles::{RUN, TILE};

/// What comes out of a linear layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// In 32 bits, as summed.
    Whole,
    /// In the format of what goes in.
    AsInput,
    /// The same, and what is below 0 becomes 0.
    Rectified,
}

/// What a plane (32 threads, a warp in CUDA's words) does of a linear layer, `[B, in]` to
/// `[B, out]`. Known when a kernel is compiled.
///
/// It takes 16 rows and `tiles` of 8 outputs each, whose sums it keeps in registers, over all
/// inputs; `parts` planes that follow each other have the same rows. Nothing is shared between
/// planes but what a multiprocessor's cache keeps, so none waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LinearPlan {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// Of 8 outputs, of a plane.
    pub(super) tiles: usize,
    /// Planes for the outputs of 16 rows.
    pub(super) parts: usize,
}

/// Inputs that the four threads of a row read at a time, 16 bytes each: two products' depth.
pub(super) const CHUNK: usize = 4 * RUN;

/// Chunks that are read before the first of them is multiplied, so that many reads are under way at
/// once.
const TURN_CHUNKS_MAX: usize = 4;

/// With 24 outputs, what a turn reads takes 80 registers of a thread.
const TILES_MAX: usize = 3;

/// Beyond so many outputs planes read the same rows too often, and the library's product, which
/// keeps them in shared memory, has enough to share out.
const OUTPUTS_MAX: usize = 512;

impl LinearPlan {
    /// None where rows do not begin at 16 bytes, and where there are too many outputs.
    pub(crate) fn new([inputs, outputs]: [usize; 2]) -> Option<Self> {
        let fits = inputs > 0 && inputs.is_multiple_of(RUN) && (1..=OUTPUTS_MAX).contains(&outputs);
        let all = outputs.div_ceil(RUN);
        let parts = all.div_ceil(TILES_MAX);
        fits.then_some(Self { inputs, outputs, tiles: all.div_ceil(parts.max(1)), parts })
    }

    /// Chunks of a turn.
    pub(super) fn turn_chunks(&self) -> usize {
        self.inputs.div_ceil(CHUNK).min(TURN_CHUNKS_MAX)
    }

    pub(super) fn turns(&self) -> usize {
        self.inputs.div_ceil(CHUNK * self.turn_chunks())
    }

    /// Of all turns; those that are not there are zero.
    fn all_inputs(&self) -> usize {
        self.turns() * self.turn_chunks() * CHUNK
    }

    /// Of 8 outputs, of all planes; those that are not there are zero.
    pub(super) const fn all_tiles(&self) -> usize {
        self.tiles * self.parts
    }

    /// Of a packed matrix.
    pub(super) fn factors(&self) -> usize {
        self.all_inputs() * self.all_tiles() * RUN
    }

    /// Planes for so many rows.
    #[cfg_attr(not(feature = "cuda"), allow(dead_code))]
    pub(super) const fn planes(&self, rows: usize) -> usize {
        rows.div_ceil(TILE) * self.parts
    }

    /// A matrix `[in, out]` in the order in which the threads of a plane multiply, flat: for each
    /// chunk of inputs and tile of outputs `[8 outputs, 4, 8 inputs]`, each thread's eight factors
    /// together. Missing inputs and outputs become zeros.
    ///
    /// A product of 16 inputs wants inputs `2 * t` and the next one, and both again 8 on, of thread
    /// `t` of four (PTX ISA 9.0, "mma.m16n8k16"), from rows and matrix alike. The order of inputs
    /// is free if rows and matrix agree. So thread `t` has the contiguous inputs `8 * t..8 * t + 8`
    /// of a chunk, and multiplies twice.
    pub(crate) fn pack(&self, matrix: Tensor<2>) -> Tensor<1> {
        let [inputs, outputs] = matrix.dims();
        let all = [self.all_inputs(), self.all_tiles() * RUN];
        let zeros = Tensor::<2>::zeros(all, (&matrix.device(), matrix.dtype()));
        zeros
            .slice_assign([0..inputs, 0..outputs], matrix)
            // Of a chunk's inputs: [fourth, 8]; of all outputs: [tile, 8].
            .reshape([all[0] / CHUNK, 4, RUN, self.all_tiles(), RUN])
            .permute([0, 3, 4, 1, 2])
            .reshape([self.factors()])
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::tensors::{download, upload};

    #[test]
    fn every_output_has_a_plane_and_every_input_a_turn() {
        for (inputs, outputs) in [(648, 82), (64, 3), (336, 7), (64, 64), (8, 1), (2888, 362)] {
            let plan = LinearPlan::new([inputs, outputs]).unwrap();
            assert!((outputs..outputs + 24).contains(&(plan.all_tiles() * 8)), "{plan:?}");
            assert!((inputs..inputs + 4 * CHUNK).contains(&plan.all_inputs()), "{plan:?}");
            assert_eq!(plan.planes(33), 3 * plan.parts);
        }
    }

    #[test]
    fn what_does_not_fit_has_no_plan() {
        for shape in [[162, 82], [64, 1858], [0, 3], [8, 0]] {
            assert_eq!(LinearPlan::new(shape), None);
        }
    }

    /// What each thread holds is written out once more.
    #[test]
    fn a_packed_matrix_has_each_threads_factors_together() {
        let inputs = 168;
        let outputs = 30;
        let plan = LinearPlan::new([inputs, outputs]).unwrap();
        let numbers: Vec<f32> = (0..inputs * outputs).map(|i| i as f32 + 1.0).collect();
        let matrix = upload(numbers.clone(), &Device::flex()).reshape([inputs, outputs]);
        let packed = download(plan.pack(matrix));
        // Six chunks in two turns of four; two planes of two tiles.
        assert_eq!(packed.len(), 8 * 4 * 256);
        for (i, found) in packed.into_iter().enumerate() {
            let chunk = i / 1024;
            let tile = i / 256 % 4;
            let thread = i / 8 % 32;
            let place = i % 8;
            let output = tile * 8 + thread / 4;
            let input = chunk * 32 + thread % 4 * 8 + place;
            let is_there = input < inputs && output < outputs;
            let wanted = if is_there { numbers[input * outputs + output] } else { 0.0 };
            assert_eq!(found, wanted, "{i}");
        }
    }
}
