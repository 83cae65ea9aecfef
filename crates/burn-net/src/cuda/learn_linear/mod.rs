//! Linear layers to learn, as one operation with a gradient of its own.
//!
//! Layers of heads are small: 1,024 rows of 1,296 inputs and 82 outputs, say. Burn's matrix product
//! gives each output tile to one block of threads, which walks along all inputs, or along all rows
//! where the weight's gradient is wanted. Most multiprocessors have nothing to do then. On an H100
//! the products of policy and value took a tenth of a training step of 256 rows. Here all three
//! products, of the layer and of its two gradients, are cut into parts of what they add up.

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
