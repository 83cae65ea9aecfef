//! A matrix with a bias: every linear layer and every 1x1 convolution.

use crate::matrix::{Matrix, Product};
use crate::simd::{Lane, Simd, Task, Vectors};
use crate::stem::lanes_of;
use crate::transform::Then;
use crate::winograd::Tiling;

/// A matrix and a bias.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) matrix: Matrix,
    bias: Vec<Lane>,
}

impl Layer {
    /// Packs `weight(in, out)` for as many outputs as there are biases.
    pub(crate) fn new(
        vectors: Vectors,
        inputs: usize,
        bias: &[f32],
        weight: impl Fn(usize, usize) -> f32,
    ) -> Self {
        let matrix = Matrix::new(vectors, inputs, bias.len(), weight);
        Self { matrix, bias: lanes_of(bias.iter().copied()) }
    }

    /// `out = rows x matrix + bias`, then relu if asked for.
    #[inline(always)]
    pub(crate) fn apply<S: Simd>(&self, s: S, rows: &[Lane], out: &mut [Lane], relu: bool) {
        s.run(Product { rows, matrix: &self.matrix, out: &mut *out });
        for row in out.chunks_exact_mut(self.matrix.lanes_out) {
            for (x, bias) in row.iter_mut().zip(&self.bias) {
                let sum = s.add(s.load(x), s.load(bias));
                s.store(if relu { s.relu(sum) } else { sum }, x);
            }
        }
    }
}

/// [`Layer::apply`] as a task.
pub(crate) struct Apply<'a> {
    pub(crate) layer: &'a Layer,
    pub(crate) rows: &'a [Lane],
    pub(crate) out: &'a mut [Lane],
    pub(crate) relu: bool,
}

impl Task for Apply<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        self.layer.apply(s, self.rows, self.out, self.relu);
    }
}

/// A layer as a 1x1 convolution, from one padded board to another; borders are left alone.
pub(crate) struct Pointwise<'a> {
    pub(crate) layer: &'a Layer,
    pub(crate) tiling: &'a Tiling,
    pub(crate) from: &'a [Lane],
    pub(crate) to: &'a mut [Lane],
    /// Room for a row of the board to work in.
    pub(crate) row: &'a mut [Lane],
    pub(crate) then: Then,
}

impl Task for Pointwise<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { layer, tiling, from, to, row, then } = self;
        let Matrix { lanes_in, lanes_out, .. } = layer.matrix;
        let (padded, width) = (tiling.width + 2, tiling.width);
        let row = &mut row[..width * lanes_out];
        for y in 1..=tiling.height {
            let from = &from[(y * padded + 1) * lanes_in..][..width * lanes_in];
            layer.apply(s, from, row, false);
            let to = &mut to[(y * padded + 1) * lanes_out..][..width * lanes_out];
            for (x, to) in row.iter().zip(to) {
                then.store(s, s.load(x), to);
            }
        }
    }
}
