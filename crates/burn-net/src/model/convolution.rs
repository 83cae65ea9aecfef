//! Methods of computing a 3x3 convolution of boards.

use burn::tensor::module::conv2d;
use burn::tensor::ops::ConvOptions;
use burn::tensor::{Device, Int, Tensor, TensorData};

use crate::cuda;
use crate::cuda::conv::plan::Plan;
use crate::cuda::layer_weights::LayerWeights;
use crate::cuda::tiles::TILE;
use crate::model::epilogue::{BatchNormOutput, Epilogue};
use crate::precision::Precision;

/// How a 3x3 convolution is worked out. All agree but for rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConvMethod {
    /// One matrix product of `[B * H * W, 9 * C]`, whose rows are picked by index. On the processor
    /// half the time of [`ConvMethod::Conv2d`]. Its gradient adds up by index, which a card does
    /// with as many threads as there are channels.
    Gather,
    /// The same product; its rows are picked by a matrix of zeros and ones, and so is the gradient:
    /// two products of a card's matrix units where shifted copies of boards would be some forty
    /// operations.
    OneHot,
    /// Burn's convolution of `[B, C, H, W]`, the same memory seen with other strides. A card
    /// computes it without its matrix units, unless kernels are chosen by measuring.
    Conv2d,
    /// Our CUDA kernels, [`cuda`]. To play they take kernels from
    /// [`cuda::conv::fits::pack`], to learn weights as files have them.
    CudaKernel,
}

/// Convolves the boards of one batch.
#[derive(Clone, Debug)]
pub(crate) struct Convolver {
    /// B
    batch: usize,
    /// H, W
    size: [usize; 2],
    tables: ConvTables,
}

/// What a way to convolve needs beside the kernel.
#[derive(Clone, Debug)]
enum ConvTables {
    /// For each point the rows of the nine points around it, `[B * H * W * 9]`; points off the
    /// board have row `B * H * W`, which is blank.
    Gather(Tensor<1, Int>),
    /// For each point the nine around it, as ones in rows of a board, `[1, 9 * H * W, H * W]`, in
    /// the format of factors.
    OneHot(Tensor<3>),
    Conv2d,
    CudaKernel,
}

impl Convolver {
    /// Of `batch` boards; factors of products are in `precision`.
    pub(crate) fn new(
        batch: usize,
        size: [usize; 2],
        convolve: ConvMethod,
        precision: Precision,
        device: &Device,
    ) -> Self {
        let tables = match convolve {
            ConvMethod::Gather => {
                let rows = neighbours(batch, size);
                let length = rows.len();
                ConvTables::Gather(Tensor::from_data(TensorData::new(rows, [length]), device))
            }
            ConvMethod::OneHot => {
                let area = size[0] * size[1];
                let ones = TensorData::new(ones_at_neighbours(size), [1, 9 * area, area]);
                let ones: Tensor<3> = Tensor::from_data(ones, device);
                ConvTables::OneHot(ones.cast(precision.dtype()))
            }
            ConvMethod::Conv2d => ConvTables::Conv2d,
            ConvMethod::CudaKernel => ConvTables::CudaKernel,
        };
        Self { batch, size, tables }
    }

    /// Whether our CUDA kernels convolve.
    pub(crate) const fn has_kernels(&self) -> bool {
        matches!(self.tables, ConvTables::CudaKernel)
    }

    /// Rows `[B * H * W, in]` to `[B * H * W, out]`, with a kernel from [`kernel3x3`], and with
    /// gradients if these have some.
    pub(crate) fn convolve(&self, x: Tensor<2>, kernel: &Tensor<2>) -> Tensor<2> {
        let around = match &self.tables {
            ConvTables::Gather(neighbours) => gathered(x, neighbours),
            ConvTables::OneHot(ones) => self.spread(x, ones),
            ConvTables::Conv2d => return self.whole(x, kernel),
            ConvTables::CudaKernel => unreachable!("the CUDA kernels learn by `learn`"),
        };
        around.matmul(kernel.clone())
    }

    /// To play: the same with `shift [1, out]` added, in its format, and the epilogue; the CUDA
    /// kernels take a kernel from [`cuda::conv::fits::pack`].
    pub(crate) fn convolve_then(
        &self,
        x: Tensor<2>,
        kernel: &Tensor<2>,
        shift: &Tensor<2>,
        epilogue: Epilogue<'_>,
    ) -> Tensor<2> {
        if !self.has_kernels() {
            return epilogue.apply(self.convolve(x, kernel).cast(shift.dtype()) + shift.clone());
        }
        let [[_, inputs], [_, outputs]] = [x.dims(), shift.dims()];
        let tiles = inputs.div_ceil(TILE) * outputs.div_ceil(TILE);
        let side = (kernel.dims()[0] / tiles).isqrt();
        let plan = Plan::new(self.size, side, inputs, outputs);
        let plan = plan.expect("evaluators ask whether a layer fits");
        cuda::convolve(plan, x, kernel.clone(), shift.clone(), epilogue)
    }

    /// To learn by the CUDA kernels: the convolution, batch norm and the epilogue.
    pub(crate) fn learn(
        &self,
        x: Tensor<2>,
        weights: &LayerWeights,
        epilogue: Epilogue<'_>,
    ) -> BatchNormOutput {
        cuda::layer(self.size, x, weights, epilogue)
    }

    /// The nine points around each, as [`gathered`] gives them.
    fn spread(&self, x: Tensor<2>, ones: &Tensor<3>) -> Tensor<2> {
        let ([points, inputs], [height, width]) = (x.dims(), self.size);
        let boards = x.reshape([self.batch, height * width, inputs]);
        // [1, 9 * H * W, H * W] times [B, H * W, in]. Every sum has one summand, so nothing is
        // rounded that the product with the kernel would not round.
        ones.clone().matmul(boards).reshape([points, 9 * inputs])
    }

    fn whole(&self, x: Tensor<2>, kernel: &Tensor<2>) -> Tensor<2> {
        let ([points, inputs], [height, width]) = (x.dims(), self.size);
        let [_, outputs] = kernel.dims();
        let options = ConvOptions::new([1, 1], [1, 1], [1, 1], 1);
        // [3 * 3 * in, out] -> [out, in, 3, 3]
        let kernel = kernel.clone().reshape([3, 3, inputs, outputs]).permute([3, 2, 0, 1]);
        // [B * H * W, in] -> [B, in, H, W]
        let x = x.reshape([self.batch, height, width, inputs]).permute([0, 3, 1, 2]);
        conv2d(x, kernel, None, options).permute([0, 2, 3, 1]).reshape([points, outputs])
    }
}

/// A 3x3 kernel from the file's order, `[out, in, 3, 3]`, to `[3 * 3 * in, out]`.
pub(crate) fn kernel3x3(weight: Tensor<4>) -> Tensor<2> {
    let [outputs, inputs, ..] = weight.dims();
    weight.permute([2, 3, 1, 0]).reshape([9 * inputs, outputs])
}

/// The nine points around each, `[B * H * W, C]` to `[B * H * W, 9 * C]`, from their rows.
fn gathered(x: Tensor<2>, neighbours: &Tensor<1, Int>) -> Tensor<2> {
    let [points, inputs] = x.dims();
    let blank = Tensor::zeros([1, inputs], (&x.device(), x.dtype()));
    let around = Tensor::cat(vec![x, blank], 0).select(0, neighbours.clone());
    // [B * H * W * 9, in] -> [B * H * W, 9 * in]
    around.reshape([points, 9 * inputs])
}

fn neighbours(batch: usize, [height, width]: [usize; 2]) -> Vec<i64> {
    let points = batch * height * width;
    let mut rows = Vec::with_capacity(points * 9);
    for board in 0..batch {
        for point in 0..height * width {
            for (dy, dx) in (0..3).flat_map(|dy| (0..3).map(move |dx| (dy, dx))) {
                // Shifted by one, so that nothing is negative.
                let y = point / width + dy;
                let x = point % width + dx;
                let inside = (1..=height).contains(&y) && (1..=width).contains(&x);
                let row = if inside { (board * height + y - 1) * width + x - 1 } else { points };
                rows.push(row as i64);
            }
        }
    }
    rows
}

/// [`neighbours`] of one board, as a row of zeros and a one for each; of zeros alone for points off
/// the board.
fn ones_at_neighbours([height, width]: [usize; 2]) -> Vec<f32> {
    let area = height * width;
    let mut ones = vec![0.0; 9 * area * area];
    for (i, row) in neighbours(1, [height, width]).into_iter().enumerate() {
        if (row as usize) < area {
            ones[i * area + row as usize] = 1.0;
        }
    }
    ones
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensors::{download, upload};

    /// All ways to convolve, on a batch of boards that are wider than high, with the gradients of
    /// rows and kernel.
    #[test]
    fn all_ways_convolve_alike() {
        let device = Device::flex().autodiff();
        let wave = |length: usize| (0..length).map(|i| (i as f32 * 0.7).sin()).collect();
        let with = |convolve| {
            let convolver = Convolver::new(2, [4, 5], convolve, Precision::F32, &device);
            let step = || {
                let x: Tensor<2> =
                    upload(wave(2 * 20 * 3), &device).reshape([40, 3]).require_grad();
                let weight: Tensor<4> = upload(wave(6 * 3 * 9), &device).reshape([6, 3, 3, 3]);
                let kernel = kernel3x3(weight).detach().require_grad();
                let y = convolver.convolve(x.clone(), &kernel);
                let gradients = (y.clone() * y.clone()).sum().backward();
                let gradient = |of: &Tensor<2>| download(of.grad(&gradients).expect("a gradient"));
                [download(y.inner()), gradient(&x), gradient(&kernel)]
            };
            // One serves many steps.
            let first = step();
            assert_eq!(step(), first);
            first
        };
        let wanted = with(ConvMethod::Conv2d);
        assert_eq!(wanted.each_ref().map(Vec::len), [40 * 6, 40 * 3, 27 * 6]);
        for convolve in [ConvMethod::Gather, ConvMethod::OneHot] {
            for (a, b) in with(convolve).iter().flatten().zip(wanted.iter().flatten()) {
                assert!((a - b).abs() < 1e-4 * b.abs().max(1.0), "{convolve:?}: {a} {b}");
            }
        }
    }
}
