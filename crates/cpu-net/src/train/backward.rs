//! The way back.

use std::collections::BTreeMap;
use std::ops::Range;

use dz_infer::EncodedBatch;

use super::batch_norm::{BackSums, Normed, ThroughNorm};
use super::elementwise::{Gate, SumBoards};
use super::filters::{self, Kernels};
use super::pooling::{Pooling, PoolingGradient};
use super::stem::{self, StemBack};
use super::tape::{BlockTape, Tape, Work};
use super::trunk::{Packed, PackedBlock, Trunk};
use crate::simd::Lane;
use crate::transform::Epilogue;

/// Gradients by the names of their parameters.
type Gradients = BTreeMap<String, Vec<f32>>;

impl Trunk {
    /// From the stream's gradient in `tape.work.outer` to those of all parameters.
    pub(super) fn run_back(
        &self,
        packed: &Packed,
        batch: &EncodedBatch,
        tape: &mut Tape,
    ) -> Gradients {
        let mut gradients = Gradients::new();
        let Tape { stream, blocks, work, .. } = &mut *tape;
        for (i, (block, packed)) in blocks.iter_mut().zip(&packed.blocks).enumerate().rev() {
            let residual = self.spec.residuals(i).swap_remove(0);
            let streams = [&stream[i][..], &stream[i + 1][..]];
            self.block_back(&residual.name, packed, block, streams, work, &mut gradients);
        }
        self.stem_back(packed, batch, tape, &mut gradients);
        gradients
    }

    fn block_back(
        &self,
        name: &str,
        packed: &PackedBlock,
        block: &BlockTape,
        [before, after]: [&[Lane]; 2],
        work: &mut Work,
        to: &mut Gradients,
    ) {
        let vectors = self.convolver.vectors;
        let grid = self.convolver.grid;
        let [first, second] = &block.norms;
        let mut sums = BackSums::new(grid.lanes);
        for boards in self.convolver.chunks(after.len()) {
            let range = grid.boards(&boards);
            let outputs = &after[range.clone()];
            let gradient = &mut work.outer[range];
            vectors.run(Gate { grid, boards: boards.len(), outputs, gradient: &mut *gradient });
            second.sum_back(vectors, grid, boards, gradient, &mut sums);
        }
        self.norm_gradients(&format!("{name}.conv2"), &sums, to);

        let way = second.way_back(&sums);
        let mut sums = BackSums::new(grid.lanes);
        let mut pooled = packed.pooling.as_ref().map(Pooling::gradient);
        work.sums.fill(Lane::default());
        for boards in self.convolver.chunks(after.len()) {
            self.second_back(packed, block, &way, boards.clone(), work);
            if let (Some(pooling), Some(to)) = (&packed.pooling, &mut pooled) {
                let count = boards.len();
                let range = grid.boards(&boards);
                let size = count * grid.board();
                let board_sums = &mut work.board_sums[..count * grid.lanes];
                let gradient = &mut work.inner[range];
                let of = &gradient[..];
                vectors.run(SumBoards { grid, boards: count, of, sums: &mut *board_sums });
                let inputs = (&work.inputs[..size], &board_sums[..]);
                pooling.back(grid, boards.start, &block.pools, inputs, gradient, to);
            }
            let gradient = &work.inner[grid.boards(&boards)];
            first.sum_back(vectors, grid, boards, gradient, &mut sums);
        }
        self.convolution_gradient(&format!("{name}.conv2"), work, to);
        self.norm_gradients(&format!("{name}.conv1"), &sums, to);
        if let Some(PoolingGradient { weight, bias }) = pooled {
            to.insert(format!("{name}.pool.weight"), weight);
            to.insert(format!("{name}.pool.bias"), bias);
        }

        let way = first.way_back(&sums);
        work.sums.fill(Lane::default());
        for boards in self.convolver.chunks(after.len()) {
            self.first_back(&packed.kernels[0], first, &way, before, boards, work);
        }
        self.convolution_gradient(&format!("{name}.conv1"), work, to);
    }

    /// From the stream's gradient to that before the second convolution's relu; leaves what relu
    /// gave in `work.inputs`.
    fn second_back(
        &self,
        packed: &PackedBlock,
        block: &BlockTape,
        way: &[Vec<Lane>; 3],
        boards: Range<usize>,
        work: &mut Work,
    ) {
        let convolver = &self.convolver;
        let grid = self.convolver.grid;
        let range = grid.boards(&boards);
        let size = boards.len() * grid.board();
        let shifts = packed.pooling.is_some().then_some(&block.pools.shifts[..]);
        let Work { rows, inputs, gradients, outer, inner, sums, .. } = work;
        let inputs = &mut inputs[..size];
        let gradients = &mut gradients[..size];
        self.through(&block.norms[1], way, boards.clone(), outer, gradients);
        self.activate(&block.norms[0], boards.clone(), shifts, None, inputs);
        let to = &mut inner[range];
        let given = (&*inputs, &*gradients);
        convolver.back(&packed.kernels[1], given, (&mut *to, Epilogue::Nothing), sums, rows);
        let gate = Gate { grid, boards: boards.len(), outputs: inputs, gradient: to };
        convolver.vectors.run(gate);
    }

    /// From the gradient between the convolutions to that of the stream before the block, to which
    /// it is added.
    fn first_back(
        &self,
        kernels: &Kernels,
        normed: &Normed,
        way: &[Vec<Lane>; 3],
        before: &[Lane],
        boards: Range<usize>,
        work: &mut Work,
    ) {
        let grid = self.convolver.grid;
        let range = grid.boards(&boards);
        let size = boards.len() * grid.board();
        let Work { rows, gradients, outer, inner, sums, .. } = work;
        let gradients = &mut gradients[..size];
        self.through(normed, way, boards, inner, gradients);
        let given = (&before[range.clone()], &*gradients);
        self.convolver.back(kernels, given, (&mut outer[range], Epilogue::Add), sums, rows);
    }

    fn stem_back(
        &self,
        packed: &Packed,
        batch: &EncodedBatch,
        tape: &mut Tape,
        to: &mut Gradients,
    ) {
        let vectors = self.convolver.vectors;
        let grid = self.convolver.grid;
        let spec = &self.spec;
        let Tape { rows, stem, stream, work, .. } = tape;
        let boards = rows.len();
        let lanes = grid.lanes;
        let mut sums = BackSums::new(lanes);
        vectors.run(Gate { grid, boards, outputs: &stream[0], gradient: &mut work.outer });
        for boards in self.convolver.chunks(work.outer.len()) {
            let gradient = &work.outer[grid.boards(&boards)];
            stem.sum_back(vectors, grid, boards, gradient, &mut sums);
        }
        self.norm_gradients("stem.conv", &sums, to);
        if !packed.globals.is_empty() {
            let board_sums = &mut work.board_sums[..];
            vectors.run(SumBoards { grid, boards, of: &work.outer, sums: &mut *board_sums });
            let gradient = stem::globals_gradient(spec, batch, rows.clone(), board_sums, lanes);
            to.insert("stem.globals.weight".to_owned(), gradient);
        }
        self.through(stem, &stem.way_back(&sums), 0..boards, &work.outer, &mut work.inner);
        let mut taps = vec![Lane::default(); spec.channels_in * 9 * lanes];
        for (gradient, row) in work.inner.chunks_exact(grid.board()).zip(rows.clone()) {
            let planes = batch.position(row);
            let channels_in = spec.channels_in;
            let sums = &mut taps[..];
            vectors.run(StemBack { grid, channels_in, planes, gradient, sums });
        }
        to.insert("stem.conv.weight".to_owned(), stem::weights(spec, &taps, lanes));
    }

    fn through(
        &self,
        normed: &Normed,
        way: &[Vec<Lane>; 3],
        boards: Range<usize>,
        gradient: &[Lane],
        out: &mut [Lane],
    ) {
        let grid = self.convolver.grid;
        self.convolver.vectors.run(ThroughNorm { grid, boards, normed, way, gradient, out });
    }

    fn norm_gradients(&self, conv: &str, sums: &BackSums, to: &mut Gradients) {
        let [gamma, beta] = sums.gradients(self.spec.channels);
        to.insert(format!("{conv}.gamma"), gamma);
        to.insert(format!("{conv}.beta"), beta);
    }

    fn convolution_gradient(&self, conv: &str, work: &Work, to: &mut Gradients) {
        let vectors = self.convolver.vectors;
        let tiling = &self.convolver.spread.tiling;
        let weight = filters::weight_gradient(vectors, tiling, &work.sums, self.spec.channels);
        to.insert(format!("{conv}.weight"), weight);
    }
}
