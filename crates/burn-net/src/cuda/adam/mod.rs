//! What is done to all parameters at once, as one operation each.
//!
//! Each of Burn's kernels reads every number from a card's memory and writes it back. A step of the
//! optimizer would take twenty of them, or one for each of a network's tensors.

mod kernel;
mod operation;

use burn::backend::Dispatch;
use burn::tensor::Tensor;

use crate::cuda::adam::operation::PIECES;
use crate::cuda::adam_step::{AdamFlats, StepTensors};
use operation::Flat;

/// A step of `AdamW` and of the moving average, in place. `gradient` and `decay` are `[N]`. No
/// other tensor may share memory with `flats`.
pub(crate) fn adam(
    flats: &AdamFlats<'_>,
    gradient: Tensor<1>,
    decay: &Tensor<1>,
    step: &StepTensors,
) {
    let AdamFlats { parameters, first, second, average } = flats;
    let shared = |tensor: &Tensor<1>| tensor.clone().into_dispatch();
    let _ = <Dispatch as Flat>::adam(
        shared(parameters),
        shared(first),
        shared(second),
        shared(average),
        gradient.into_dispatch(),
        shared(decay),
        shared(&step.settings),
        shared(&step.numbers),
    );
}

/// `old = share * old + (1 - share) * new`, in place, `[N]` each. `place` is the index of the share
/// in the settings.
pub(crate) fn blend(old: &Tensor<1>, new: Tensor<1>, place: usize, step: &StepTensors) {
    let shared = |tensor: &Tensor<1>| tensor.clone().into_dispatch();
    let settings = shared(&step.settings);
    let numbers = shared(&step.numbers);
    let new = new.into_dispatch();
    let _ = <Dispatch as Flat>::blend(shared(old), new, settings, numbers, place);
}

/// The Euclidean norm of `x [N]`, `[1]`.
pub(crate) fn norm(x: Tensor<1>) -> Tensor<1> {
    Tensor::from_dispatch(<Dispatch as Flat>::norm(x.into_dispatch()))
}

/// Flat tensors one after another, in 32 bits.
pub(crate) fn join(pieces: &[Tensor<1>]) -> Tensor<1> {
    let length = |piece: &Tensor<1>| piece.dims()[0];
    let device = pieces.first().expect("something is joined").device();
    let numbers: usize = pieces.iter().map(length).sum();
    let whole: Tensor<1> = Tensor::empty([numbers], &device);
    join_into(&whole, pieces);
    whole
}

/// Writes flat tensors one after another into `whole`, in place.
pub(crate) fn join_into(whole: &Tensor<1>, pieces: &[Tensor<1>]) {
    let length = |piece: &Tensor<1>| piece.dims()[0];
    let mut from = 0;
    for some in pieces.chunks(PIECES) {
        // Of missing ones nothing is taken.
        let piece = |i: usize| some[i.min(some.len() - 1)].clone().into_dispatch();
        let [a, b, c, d, e, f, g, h] = std::array::from_fn(piece);
        let there = whole.clone().into_dispatch();
        let _ = <Dispatch as Flat>::join(there, a, b, c, d, e, f, g, h, from, some.len());
        from += some.iter().map(length).sum::<usize>();
    }
}
