//! Linear layers.

use burn::tensor::activation::relu;
use burn::tensor::{DType, Tensor};

use crate::cuda;
use crate::cuda::linear::plan::{LinearPlan, Output};
use crate::model::board_ops::BoardOps;
use crate::tensors::{Parameters, WeightFormat};

/// A linear layer.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    matrix: Matrix,
    /// `[1, out]`
    bias: Tensor<2>,
}

/// What a linear layer multiplies with.
#[derive(Clone, Debug)]
enum Matrix {
    /// `[in, out]`
    Plain(Tensor<2>),
    /// As [`LinearPlan::pack`] orders it, for the CUDA kernel that plays.
    Packed(LinearPlan, Tensor<1>),
    /// `[out * in]` as files have it, for the CUDA kernels that learn.
    InPlace(Tensor<1>),
}

impl Linear {
    /// Takes the layer `name` of `[out, in]` numbers from `parameters`.
    pub(crate) fn new(parameters: &Parameters, name: &str, [outputs, inputs]: [usize; 2]) -> Self {
        let weight = parameters.part(name, "weight");
        let matrix = match parameters.format(name) {
            WeightFormat::Packed => {
                let plan = LinearPlan::new([inputs, outputs]);
                Matrix::Packed(plan.expect("what is packed has a plan"), weight)
            }
            WeightFormat::InPlace => Matrix::InPlace(weight),
            WeightFormat::File => Matrix::Plain(weight.reshape([outputs, inputs]).transpose()),
        };
        Self { matrix, bias: parameters.part(name, "bias").reshape([1, outputs]) }
    }

    /// Returns the format of the layer's sums.
    pub(crate) fn sums(&self) -> DType {
        self.bias.dtype()
    }

    /// `[B, in]` to `[B, out]`, in the format of the bias.
    pub(crate) fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        match &self.matrix {
            Matrix::Plain(matrix) => matmul(x, matrix, self.bias.dtype()) + self.bias.clone(),
            Matrix::Packed(plan, factors) => {
                self.packed_product(*plan, factors, x, Output::AsInput)
            }
            Matrix::InPlace(weight) => self.learnt_product(x, weight),
        }
    }

    /// The same of positions, followed by a `ReLU`.
    pub(crate) fn rectified(&self, ops: &BoardOps, x: Tensor<2>) -> Tensor<2> {
        match &self.matrix {
            Matrix::Plain(matrix) => relu(self.sums_in_parts(ops, x, matrix)),
            Matrix::Packed(plan, factors) => {
                self.packed_product(*plan, factors, x, Output::Rectified)
            }
            Matrix::InPlace(weight) => relu(self.learnt_product(x, weight)),
        }
    }

    /// As [`Self::forward`], of positions or of all points of the boards, for what a network says:
    /// the CUDA kernel gives its sums, in 32 bits.
    pub(crate) fn logits(&self, ops: &BoardOps, x: Tensor<2>) -> Tensor<2> {
        match &self.matrix {
            Matrix::Plain(matrix) => self.sums_in_parts(ops, x, matrix),
            Matrix::Packed(plan, factors) => self.packed_product(*plan, factors, x, Output::Whole),
            Matrix::InPlace(weight) => self.learnt_product(x, weight),
        }
    }

    /// Product and bias, in the format of the bias.
    fn sums_in_parts(&self, ops: &BoardOps, x: Tensor<2>, matrix: &Tensor<2>) -> Tensor<2> {
        add_in_parts(ops, matmul_in_parts(ops, x, matrix, self.bias.dtype()), self.bias.clone())
    }

    fn learnt_product(&self, x: Tensor<2>, weight: &Tensor<1>) -> Tensor<2> {
        let [_, outputs] = self.bias.dims();
        cuda::learn_linear(x, weight.clone(), self.bias.clone().reshape([outputs]))
    }

    fn packed_product(
        &self,
        plan: LinearPlan,
        factors: &Tensor<1>,
        x: Tensor<2>,
        output: Output,
    ) -> Tensor<2> {
        let x = x.cast(factors.dtype());
        cuda::linear(plan, x, factors.clone(), self.bias.clone(), output)
    }
}

/// `x` times a matrix, in its format; the sums in another.
pub(crate) fn matmul(x: Tensor<2>, matrix: &Tensor<2>, sums: DType) -> Tensor<2> {
    x.cast(matrix.dtype()).matmul(matrix.clone()).cast(sums)
}

/// The same of positions, or of all points of the boards.
///
/// On a card, Burn gives a product with few outputs to two or three blocks of threads, and each of
/// them adds up all inputs or all rows. So the product is taken of parts there, of the rows or of
/// the inputs: on an H200, products of 1,024 positions took 0.8 ms of a training step.
pub(crate) fn matmul_in_parts(
    ops: &BoardOps,
    x: Tensor<2>,
    matrix: &Tensor<2>,
    sums: DType,
) -> Tensor<2> {
    let [rows, inputs] = x.dims();
    let [_, outputs] = matrix.dims();
    if let Some(parts) = ops.parts_of(rows) {
        let x: Tensor<3> = x.cast(matrix.dtype()).reshape([parts, rows / parts, inputs]);
        return x.matmul(matrix.clone().unsqueeze()).reshape([rows, outputs]).cast(sums);
    }
    let is_large = ops.batches().is_some() && rows >= ROWS_MIN;
    let Some(parts) = input_parts(inputs).filter(|_| is_large) else {
        return matmul(x, matrix, sums);
    };
    let x: Tensor<3> =
        x.cast(matrix.dtype()).reshape([rows, parts, inputs / parts]).swap_dims(0, 1);
    let matrix: Tensor<3> = matrix.clone().reshape([parts, inputs / parts, outputs]);
    x.matmul(matrix).cast(sums).sum_dim(0).reshape([rows, outputs])
}

/// Positions of a batch from which on parts of their inputs pay on a card.
const ROWS_MIN: usize = 64;

/// Parts of the inputs of a position, of one size.
fn input_parts(inputs: usize) -> Option<usize> {
    /// What a matrix unit takes at a time, several times.
    const INPUTS_MIN: usize = 64;
    const PARTS_MAX: usize = 16;
    (2..=PARTS_MAX)
        .rev()
        .find(|parts| inputs.is_multiple_of(8 * parts) && inputs / parts >= INPUTS_MIN)
}

/// Adds `bias [1, N]` to each row `[rows, N]`. On a card its gradient is a sum of sums, because
/// Burn gives a sum of all rows to 32 threads.
fn add_in_parts(ops: &BoardOps, x: Tensor<2>, bias: Tensor<2>) -> Tensor<2> {
    const PARTS: usize = 32;
    let [rows, outputs] = x.dims();
    if ops.batches().is_none() || !rows.is_multiple_of(PARTS) || rows < ROWS_MIN {
        return x + bias;
    }
    let each: Tensor<3> = bias.reshape([1, 1, outputs]).expand([PARTS, 1, outputs]);
    (x.reshape([PARTS, rows / PARTS, outputs]) + each).reshape([rows, outputs])
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use dz_network_file::NetworkSpec;

    use super::*;
    use crate::model::board_ops::ComputeOptions;
    use crate::model::convolution::ConvMethod;
    use crate::precision::Precision;
    use crate::tensors::{download, upload};

    /// Of all points in parts and at once, and of positions, with the gradients of rows and matrix.
    #[test]
    fn products_in_parts_are_those_of_the_whole() {
        let spec = NetworkSpec::plain([3, 4, 5], 2, 0, 6);
        let device = Device::flex().autodiff();
        let wave = |rows: usize, columns: usize, pace: f32| -> Tensor<2> {
            let numbers = (0..rows * columns).map(|i| (i as f32 * pace).sin()).collect();
            upload(numbers, &device).reshape([rows, columns])
        };
        let with = |rows: usize, in_parts: bool| {
            let compute = ComputeOptions {
                convolve: ConvMethod::Gather,
                sum_boards_first: in_parts,
                by_point: false,
            };
            let on = BoardOps::new(&spec, 3, compute, Precision::F32, &device);
            assert_eq!(on.parts_of(rows), (in_parts && rows == 60).then_some(3));
            let [x, matrix] = [wave(rows, 6, 0.7), wave(6, 2, 0.3)].map(Tensor::require_grad);
            let y = matmul_in_parts(&on, x.clone(), &matrix, DType::F32);
            let gradients = (y.clone() * y.clone()).sum().backward();
            let gradient = |of: &Tensor<2>| download(of.grad(&gradients).expect("a gradient"));
            [download(y.inner()), gradient(&x), gradient(&matrix)].concat()
        };
        for rows in [60, 3] {
            let parts = with(rows, true);
            let whole = with(rows, false);
            assert_eq!(parts.len(), whole.len());
            for (a, b) in parts.iter().zip(&whole) {
                assert!((a - b).abs() < 1e-4 * b.abs().max(1.0), "{rows}: {a} {b}");
            }
        }
    }

    /// Of positions whose inputs or rows are parted, with all gradients.
    #[test]
    fn parts_of_inputs_and_sums_of_sums_are_those_of_the_whole() {
        let spec = NetworkSpec::plain([3, 9, 9], 2, 0, 6);
        let device = Device::flex().autodiff();
        let wave = |rows: usize, columns: usize, pace: f32| -> Tensor<2> {
            let numbers = (0..rows * columns).map(|i| 0.1 * (i as f32 * pace).sin()).collect();
            upload(numbers, &device).reshape([rows, columns])
        };
        let [rows, inputs, outputs] = [1024, 144, 3];
        assert_eq!(input_parts(1296), Some(9));
        assert_eq!(input_parts(648), Some(9));
        assert_eq!([input_parts(inputs), input_parts(64)], [Some(2), None]);
        let with = |in_parts: bool| {
            let compute = ComputeOptions {
                convolve: ConvMethod::Gather,
                sum_boards_first: in_parts,
                by_point: false,
            };
            let on = BoardOps::new(&spec, rows, compute, Precision::F32, &device);
            let x = wave(rows, inputs, 0.7).require_grad();
            let matrix = wave(inputs, outputs, 0.3).require_grad();
            let bias = wave(1, outputs, 1.3).require_grad();
            let layer = Linear { matrix: Matrix::Plain(matrix.clone()), bias: bias.clone() };
            let y = layer.logits(&on, x.clone());
            let gradients = (y.clone() * y.clone()).sum().backward();
            let gradient = |of: &Tensor<2>| download(of.grad(&gradients).expect("a gradient"));
            [download(y.inner()), gradient(&x), gradient(&matrix), gradient(&bias)].concat()
        };
        let [parts, whole] = [with(true), with(false)];
        assert_eq!(parts.len(), whole.len());
        for (a, b) in parts.iter().zip(&whole) {
            assert!((a - b).abs() < 1e-3 * b.abs().max(1.0), "{a} {b}");
        }
    }
}
