//! A matrix with a bias: every linear layer and every 1x1 convolution.

use dz_network_file::NetworkFile;

use crate::matrix::{Matrix, Product};
use crate::simd::{Lane, Simd, Task, Vectors, lanes_of};
use crate::transform::Epilogue;
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

    /// Packs the layer of that name as the file has it, `[out, in]` and as many biases.
    pub(crate) fn of_file(vectors: Vectors, file: &NetworkFile, name: &str) -> Self {
        Self::of_layers(vectors, file, &[name])
    }

    /// The same of several layers with the same inputs: their outputs one behind another.
    pub(crate) fn of_layers(vectors: Vectors, file: &NetworkFile, names: &[&str]) -> Self {
        let tensor = |name: &str, part: &str| &file.tensors[&format!("{name}.{part}")].data;
        let all = |part: &str| -> Vec<f32> {
            names.iter().flat_map(|name| tensor(name, part)).copied().collect()
        };
        let weight = all("weight");
        let bias = all("bias");
        let inputs = weight.len() / bias.len();
        Self::new(vectors, inputs, &bias, |input, output| weight[output * inputs + input])
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
    pub(crate) epilogue: Epilogue,
}

impl Task for Pointwise<'_> {
    #[inline(always)]
    fn go<S: Simd>(self, s: S) {
        let Self { layer, tiling, from, to, row, epilogue } = self;
        let Matrix { lanes_in, lanes_out, .. } = layer.matrix;
        let row = &mut row[..tiling.width * lanes_out];
        let inputs = tiling.interior(lanes_in);
        let outputs = tiling.interior(lanes_out);
        let to = to[outputs.rows].chunks_exact_mut(outputs.stride);
        for (from, to) in from[inputs.rows].chunks_exact(inputs.stride).zip(to) {
            layer.apply(s, &from[inputs.columns.clone()], row, false);
            let to = &mut to[outputs.columns.clone()];
            for (x, to) in row.iter().zip(to) {
                epilogue.store(s, s.load(x), to);
            }
        }
    }
}
