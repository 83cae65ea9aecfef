//! The way forward.

use std::ops::Range;

use dz_infer::EncodedBatch;

use super::batch_norm::Normed;
use super::elementwise::Activate;
use super::filters::Kernels;
use super::stem;
use super::tape::{Tape, Work};
use super::trunk::{Packed, PackedBlock, Trunk};
use crate::simd::Lane;
use crate::stem::StemOnBoard;
use crate::transform::Epilogue;

impl Trunk {
    pub(super) fn run_forward(&self, packed: &Packed, batch: &EncodedBatch, tape: &mut Tape) {
        let boards = tape.rows.len();
        self.stem_forward(packed, batch, tape);
        let Tape { stem, shifts, stream, blocks, work, .. } = tape;
        let shifts = (!shifts.is_empty()).then_some(&shifts[..]);
        self.activate(stem, 0..boards, shifts, None, &mut stream[0]);
        for (i, (block, packed)) in blocks.iter_mut().zip(&packed.blocks).enumerate() {
            let (before, after) = stream.split_at_mut(i + 1);
            let from = &before[i][..];
            let to = &mut after[0][..];
            let PackedBlock { kernels, norms, pooling } = packed;
            let [first, second] = &mut block.norms;
            self.convolve(&kernels[0], from, first, &norms[0], work);
            let shifts = pooling.as_ref().map(|pooling| {
                pooling.forward(self.convolver.grid, boards, first, &mut block.pools);
                &block.pools.shifts[..]
            });
            self.convolve_activated(&kernels[1], (first, shifts), second, &norms[1], work);
            self.activate(second, 0..boards, None, Some(from), to);
        }
    }

    fn stem_forward(&self, packed: &Packed, batch: &EncodedBatch, tape: &mut Tape) {
        let grid = self.convolver.grid;
        let Tape { rows, stem, shifts, .. } = tape;
        let mut shift = vec![Lane::default(); grid.lanes];
        for (board, row) in stem.raw.chunks_exact_mut(grid.board()).zip(rows.clone()) {
            let planes = batch.position(row);
            let shift = &mut shift[..];
            let stem = &packed.stem;
            let epilogue = Epilogue::Nothing;
            let on = StemOnBoard { stem, planes, globals: &[], board, shift, epilogue };
            self.convolver.vectors.run(on);
        }
        stem.begin(grid.lanes);
        for boards in self.convolver.chunks(stem.raw.len()) {
            stem.count(self.convolver.vectors, grid, boards);
        }
        let [gamma, beta] = &packed.stem_norm;
        stem.finish(gamma, beta);
        if !packed.globals.is_empty() {
            *shifts = stem::shifts(&self.spec, &packed.globals, batch, rows.clone(), grid.lanes);
        }
    }

    /// A convolution of all boards, and what batch norm needs of it.
    fn convolve(
        &self,
        kernels: &Kernels,
        from: &[Lane],
        to: &mut Normed,
        norm: &[Vec<f32>; 2],
        work: &mut Work,
    ) {
        let inputs =
            |boards: Range<usize>, _: &mut [Lane]| Some(&from[self.convolver.grid.boards(&boards)]);
        self.convolve_each(kernels, inputs, to, norm, work);
    }

    /// The same of what batch norm and relu make of another convolution.
    fn convolve_activated(
        &self,
        kernels: &Kernels,
        (from, shifts): (&Normed, Option<&[Lane]>),
        to: &mut Normed,
        norm: &[Vec<f32>; 2],
        work: &mut Work,
    ) {
        let inputs = |boards, room: &mut [Lane]| {
            self.activate(from, boards, shifts, None, room);
            None
        };
        self.convolve_each(kernels, inputs, to, norm, work);
    }

    /// Chunk by chunk; `inputs` either has a chunk's boards or writes them to the room that it is
    /// given.
    fn convolve_each<'a>(
        &self,
        kernels: &Kernels,
        inputs: impl Fn(Range<usize>, &mut [Lane]) -> Option<&'a [Lane]>,
        to: &mut Normed,
        [gamma, beta]: &[Vec<f32>; 2],
        work: &mut Work,
    ) {
        let convolver = &self.convolver;
        let vectors = convolver.vectors;
        let grid = convolver.grid;
        to.begin(grid.lanes);
        for boards in convolver.chunks(to.raw.len()) {
            let room = &mut work.inputs[..boards.len() * grid.board()];
            let given = inputs(boards.clone(), &mut *room);
            let from = given.unwrap_or(room);
            convolver.forward(kernels, from, &mut to.raw[grid.boards(&boards)], &mut work.rows);
            to.count(vectors, grid, boards);
        }
        to.finish(gamma, beta);
    }

    /// relu of batch norm's result for some boards; see [`Activate`].
    pub(super) fn activate(
        &self,
        normed: &Normed,
        boards: Range<usize>,
        shifts: Option<&[Lane]>,
        residual: Option<&[Lane]>,
        out: &mut [Lane],
    ) {
        let grid = self.convolver.grid;
        self.convolver.vectors.run(Activate { grid, boards, normed, shifts, residual, out });
    }
}
