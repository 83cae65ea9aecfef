//! The cross-entropy of rows with its gradient, to learn, as one operation.
//!
//! With Burn it is some fifteen operations forward and backward. Each costs the host time, and the
//! card waits, because each is little work. Here two kernels compute the loss and the gradient of
//! the logits together.

mod kernel;
mod operation;

use burn::backend::Dispatch;
use burn::tensor::Tensor;

use operation::{CrossEntropy, Entropies};

/// The sum over rows of the cross-entropy of `logits [R, A]` against `targets [R, A]`, times each
/// row's share, `[1, 1]`, in 32 bits with a gradient for the logits. `shares [R / per]` are divided
/// by `per`, the rows that follow each other and share one.
pub(crate) fn cross_entropy(
    logits: Tensor<2>,
    targets: Tensor<2>,
    shares: Tensor<1>,
    per: usize,
) -> Tensor<2> {
    let Entropies { loss, .. } = <Dispatch as CrossEntropy>::cross_entropy(
        logits.into_dispatch(),
        targets.into_dispatch(),
        shares.into_dispatch(),
        per,
    );
    Tensor::from_dispatch(loss)
}
