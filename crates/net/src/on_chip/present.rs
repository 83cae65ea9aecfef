//! What a build for cards can do on one.

use burn::tensor::Tensor;

use super::flats::{AdamFlats, AdamStep};
use super::{Finish, LayerWeights, Plan};
use crate::convolve::Then;
use crate::norm::Normalised;

/// Convolution of rows `[B * H * W, in]` on a card, `[B * H * W, out]`, with a kernel from [`super::pack`], `shift [1, out]` and what
/// comes then. All are of one format of 16 bits.
pub(crate) fn convolve(
    plan: Plan,
    x: Tensor<2>,
    kernel: Tensor<2>,
    shift: Tensor<2>,
    then: Then<'_>,
) -> Tensor<2> {
    let added = if let Then::AddAndRectify(added) = then { Some(added.clone()) } else { None };
    let rectifies = !matches!(then, Then::Nothing);
    let finish = Finish { shifts: true, adds: added.is_some(), rectifies };
    // Never read where nothing is added.
    let added = added.unwrap_or_else(|| x.clone());
    super::launch::convolve(plan, x, kernel, shift, added, finish)
}

/// Convolution of rows `[B * H * W, in]` of boards of a `size` on a card, batch norm and what comes then, `[B * H * W, out]` in
/// bf16, with gradients.
pub(crate) fn layer(
    size: [usize; 2],
    x: Tensor<2>,
    weights: &LayerWeights,
    then: Then<'_>,
) -> Normalised {
    super::layer::layer(size, x, weights, then)
}

/// The cross-entropy of rows on a card, with its gradient: the sum over rows of that of `logits [R, A]` against `targets [R, A]`, times
/// each row's share of `shares [R / per]`, one for `per` rows that follow each other, `[1, 1]`. All are in 32 bits.
pub(crate) fn cross_entropy(
    logits: Tensor<2>,
    targets: Tensor<2>,
    shares: Tensor<1>,
    per: usize,
) -> Tensor<2> {
    super::entropy::cross_entropy(logits, targets, shares, per)
}

/// Numbers `from..to` of a flat tensor on a card, for [`layer`].
pub(crate) fn view(flat: &Tensor<1>, from: usize, to: usize) -> Tensor<1> {
    super::launch::view(flat.clone(), from, to)
}

/// A step of `AdamW` and of the moving average on a card, with `gradient` and `decay [N]`.
pub(crate) fn adam(
    flats: AdamFlats,
    gradient: Tensor<1>,
    decay: Tensor<1>,
    step: AdamStep,
) -> AdamFlats {
    super::flat::adam(flats, gradient, decay, step)
}

/// `share` of the old value and the rest of the new one on a card, `[N]` each.
pub(crate) fn blend(old: Tensor<1>, new: Tensor<1>, share: f64) -> Tensor<1> {
    super::flat::blend(old, new, share as f32)
}

/// Flat tensors on a card one after another, in 32 bits.
pub(crate) fn join(pieces: &[Tensor<1>]) -> Tensor<1> {
    super::flat::join(pieces)
}
