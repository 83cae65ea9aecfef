//! Linear layers to play by, as one kernel each: the product, what is added, and rectification or
//! logits in 32 bits.
//!
//! A network's last layers are small. Burn takes four launches for each, and its product shares
//! 4,096 rows out among eight groups of threads, where a card has room for hundreds.

#[cfg(feature = "cuda")]
mod kernel;
#[cfg(feature = "cuda")]
mod operation;
pub(crate) mod plan;

#[cfg(feature = "cuda")]
use burn::{backend::Dispatch, tensor::Tensor};

#[cfg(feature = "cuda")]
use plan::{LinearPlan, Output};

/// A linear layer of `x [B, in]` on a card, `[B, out]`, with a matrix from [`LinearPlan::pack`] and
/// `shift [1, out]`, all of one format of 16 bits.
#[cfg(feature = "cuda")]
pub(crate) fn linear(
    plan: LinearPlan,
    x: Tensor<2>,
    factors: Tensor<1>,
    shift: Tensor<2>,
    output: Output,
) -> Tensor<2> {
    let x = x.into_dispatch();
    let factors = factors.into_dispatch();
    let shift = shift.into_dispatch();
    Tensor::from_dispatch(<Dispatch as operation::OnCard>::linear(x, factors, shift, plan, output))
}
