//! A convolution of some boards, forward and back.

use std::ops::Range;

use super::adjoint::OfGradients;
use super::filters::Kernels;
use super::grid::Grid;
use super::outer::Accumulate;
use crate::simd::{Lane, Vectors};
use crate::transform::{Epilogue, OfInputs, Outputs, ToFrequencies, Transform};
use crate::winograd::Spread;

/// Bytes that the rows of a few boards may take, so that they share the second-level cache with the
/// matrices.
const CHUNK_BYTES: usize = 600_000;

/// How 3x3 convolutions of as many outputs as inputs are worked out.
#[derive(Clone, Debug)]
pub(super) struct Convolver {
    pub(super) vectors: Vectors,
    pub(super) spread: Spread,
    pub(super) grid: Grid,
    /// Most boards at a time.
    pub(super) chunk: usize,
    /// A row of zeros.
    blank: Vec<Lane>,
}

/// What convolutions work in.
#[derive(Debug)]
pub(super) struct Rows {
    inputs: Vec<Lane>,
    products: Vec<Lane>,
    gradients: Vec<Lane>,
}

impl Convolver {
    pub(super) fn new(vectors: Vectors, spread: Spread) -> Self {
        let height = spread.tiling.height;
        let width = spread.tiling.width;
        let grid = Grid { height, width, lanes: spread.lanes };
        let chunk = (CHUNK_BYTES / (3 * spread.len(1) * size_of::<Lane>())).clamp(1, 16);
        let blank = vec![Lane::default(); spread.lanes];
        Self { vectors, spread, grid, chunk, blank }
    }

    /// Numbers of the boards that go through a convolution together, of as many boards as have so
    /// many lanes.
    pub(super) fn chunks(&self, lanes: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let all = lanes / self.grid.board();
        let chunk = self.chunk;
        (0..all).step_by(chunk).map(move |first| first..all.min(first + chunk))
    }

    pub(super) fn rows(&self) -> Rows {
        let lanes = || vec![Lane::default(); self.spread.len(self.chunk)];
        Rows { inputs: lanes(), products: lanes(), gradients: lanes() }
    }

    /// Convolves boards, at most a chunk of them.
    pub(super) fn forward(
        &self,
        kernels: &Kernels,
        from: &[Lane],
        to: &mut [Lane],
        rows: &mut Rows,
    ) {
        let boards = self.spread_boards(OfInputs, from, &mut rows.inputs);
        let Rows { inputs, products, .. } = rows;
        self.spread.multiply(self.vectors, &kernels.forward, boards, inputs, products);
        self.gather_boards(products, to, Epilogue::Nothing);
    }

    /// From `inputs` and the gradient of the outputs, boards with blank borders, to the gradient of
    /// the inputs, which is written or added to `to`; that of each frequency's matrix is added to
    /// `sums`.
    pub(super) fn back(
        &self,
        kernels: &Kernels,
        (inputs, gradient): (&[Lane], &[Lane]),
        (to, epilogue): (&mut [Lane], Epilogue),
        sums: &mut [Lane],
        rows: &mut Rows,
    ) {
        let vectors = self.vectors;
        let spread = &self.spread;
        let boards = self.spread_boards(OfInputs, inputs, &mut rows.inputs);
        self.spread_boards(OfGradients, gradient, &mut rows.gradients);
        let inputs = &rows.inputs[..];
        let gradients = &rows.gradients[..];
        vectors.run(Accumulate { spread, boards, rows: inputs, gradients, sums });
        self.spread_boards(OfInputs, gradient, &mut rows.inputs);
        let Rows { inputs, products, .. } = rows;
        spread.multiply(vectors, &kernels.back, boards, inputs, products);
        self.gather_boards(products, to, epilogue);
    }

    fn spread_boards(&self, transform: impl Transform, from: &[Lane], rows: &mut [Lane]) -> usize {
        let size = self.grid.board();
        let spread = &self.spread;
        let boards = from.len() / size;
        for (board, from) in from.chunks_exact(size).enumerate() {
            let to = &mut *rows;
            self.vectors.run(ToFrequencies { transform, spread, from, to, boards, board });
        }
        boards
    }

    fn gather_boards(&self, products: &[Lane], to: &mut [Lane], epilogue: Epilogue) {
        let size = self.grid.board();
        let spread = &self.spread;
        let boards = to.len() / size;
        let bias = &self.blank[..];
        for (board, to) in to.chunks_exact_mut(size).enumerate() {
            self.vectors.run(Outputs { spread, from: products, to, boards, board, bias, epilogue });
        }
    }
}
