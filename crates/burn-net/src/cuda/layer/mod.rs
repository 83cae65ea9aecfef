//! A 3x3 or 1x1 convolution with batch norm and its epilogue, to learn, as one operation with a
//! gradient of its own.
//!
//! With Burn a layer is some thirty operations forward and backward. Each costs the host time, and
//! most read all activations from the card's memory and write them back. Here it is five kernels
//! forward and six or seven backward. Activations and their gradients are bf16 between them, as
//! with `PyTorch`'s automatic mixed precision, and all sums are 32 bits wide.

mod change;
mod launch;
mod layer_plan;
mod operation;
mod sums;
mod weights;

use burn::backend::Dispatch;
use burn::tensor::{DType, Tensor};

use crate::cuda::conv::plan::Plan;
use crate::cuda::conv::weights_plan::WeightsPlan;
use crate::cuda::layer::layer_plan::LayerPlan;
use crate::cuda::layer_weights::LayerWeights;
use crate::model::epilogue::{BatchNormOutput, Epilogue};
use operation::{Forth, LearningLayer};

/// Rows `[B * H * W, in]` of boards of a `size` to `[B * H * W, out]`, in bf16.
pub(crate) fn layer(
    size: [usize; 2],
    x: Tensor<2>,
    weights: &LayerWeights,
    then: Epilogue<'_>,
) -> BatchNormOutput {
    let ([_, inputs], [outputs]) = (x.dims(), weights.gamma.dims());
    let side = (weights.weight.dims()[0] / (inputs * outputs)).isqrt();
    let plans =
        Plan::new(size, side, inputs, outputs).zip(WeightsPlan::new(size, side, inputs, outputs));
    let (forth, of_weights) = plans.expect("learners ask whether a layer fits");
    let layer = LayerPlan {
        forth,
        back: Plan::new(size, side, outputs, inputs),
        weights: of_weights,
        adds: matches!(then, Epilogue::AddRelu(_)),
        rectifies: !matches!(then, Epilogue::Identity),
    };
    let x = x.cast(DType::BF16);
    let added = match then {
        Epilogue::AddRelu(added) => added.clone().cast(DType::BF16),
        // Never read, and nobody's gradient.
        Epilogue::Identity | Epilogue::Relu => x.clone().inner().autodiff(),
    };
    let LayerWeights { weight, gamma, beta } = weights.clone();
    let Forth { output, mean, variance, .. } = <Dispatch as LearningLayer>::layer(
        x.into_dispatch(),
        weight.into_dispatch(),
        gamma.into_dispatch(),
        beta.into_dispatch(),
        added.into_dispatch(),
        layer,
    );
    let [mean, variance] = [mean, variance].map(|row| Tensor::from_dispatch(row).inner());
    BatchNormOutput { output: Tensor::from_dispatch(output), mean, variance }
}
