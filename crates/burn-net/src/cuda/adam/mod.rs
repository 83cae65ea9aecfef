//! What is done to all parameters at once, as one operation each.
//!
//! Each of Burn's takes every number from a card's memory and puts it there again, and there would
//! be twenty for a step of the optimizer, or one for each of a network's tensors.

mod kernel;
mod operation;

use burn::backend::Dispatch;
use burn::tensor::Tensor;

use crate::cuda::adam::operation::PIECES;
use crate::cuda::adam_step::{AdamFlats, AdamStep};
use operation::{Flat, Stepped};

/// A step of `AdamW` and of the moving average, with `gradient` and `decay [N]`.
pub(crate) fn adam(
    flats: AdamFlats,
    gradient: Tensor<1>,
    decay: Tensor<1>,
    step: AdamStep,
) -> AdamFlats {
    let AdamFlats { parameters, first, second, average } = flats;
    let Stepped { parameters, first, second, average } = <Dispatch as Flat>::adam(
        parameters.into_dispatch(),
        gradient.into_dispatch(),
        decay.into_dispatch(),
        first.into_dispatch(),
        second.into_dispatch(),
        average.into_dispatch(),
        step,
    );
    let [parameters, first, second, average] =
        [parameters, first, second, average].map(Tensor::from_dispatch);
    AdamFlats { parameters, first, second, average }
}

/// `share` of the old value and the rest of the new one, `[N]` each.
pub(crate) fn blend(old: Tensor<1>, new: Tensor<1>, share: f64) -> Tensor<1> {
    let [old, new] = [old, new].map(Tensor::into_dispatch);
    Tensor::from_dispatch(<Dispatch as Flat>::blend(old, new, share as f32))
}

/// Flat tensors one after another, in 32 bits.
pub(crate) fn join(pieces: &[Tensor<1>]) -> Tensor<1> {
    let length = |piece: &Tensor<1>| piece.dims()[0];
    let device = pieces.first().expect("something is joined").device();
    let numbers: usize = pieces.iter().map(length).sum();
    let whole: Tensor<1> = Tensor::empty([numbers], &device);
    let mut whole = whole.into_dispatch();
    let mut from = 0;
    for some in pieces.chunks(PIECES) {
        // Of missing ones nothing is taken.
        let piece = |i: usize| some[i.min(some.len() - 1)].clone().into_dispatch();
        let [a, b, c, d, e, f, g, h] = std::array::from_fn(piece);
        whole = <Dispatch as Flat>::join(whole, a, b, c, d, e, f, g, h, from, some.len());
        from += some.iter().map(length).sum::<usize>();
    }
    Tensor::from_dispatch(whole)
}
