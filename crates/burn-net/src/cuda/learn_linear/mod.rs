//! Linear layers in training, as one operation with its own gradient.
//!
//! The heads' layers are small: 1,024 rows of 1,296 inputs and 82 outputs, for example. Burn's
//! matrix product has one thread block for each output tile. That block sums up all inputs, or all
//! rows for the weight's gradient, so most multiprocessors are idle. Here the layer and its two
//! gradients are split-k products: several blocks share the sum of an output tile. Figures are in
//! `benchmarks/gpu/README.md`.

mod kernel;
mod operation;
mod plan;

use burn::backend::Dispatch;
use burn::tensor::{DType, Tensor};

use operation::{LearningLinear, Sizes};

/// `x [rows, in]` times a weight `[out * in]` as network files have it, plus `bias [out]`:
/// `[rows, out]` in 32 bits. Factors are rounded to bf16, sums have 32 bits.
pub(crate) fn learn_linear(x: Tensor<2>, weight: Tensor<1>, bias: Tensor<1>) -> Tensor<2> {
    let [rows, inputs] = x.dims();
    let [outputs] = bias.dims();
    let sizes = Sizes { rows, inputs, outputs };
    let x = x.cast(DType::BF16).into_dispatch();
    let weight = weight.into_dispatch();
    let bias = bias.into_dispatch();
    Tensor::from_dispatch(<Dispatch as LearningLinear>::learn_linear(x, weight, bias, sizes))
}
