//! Our CUDA kernels. A convolution finds neighbours in the shared memory of a multiprocessor.
//!
//! A convolution by [`crate::model::convolution::ConvMethod::Gather`] writes every activation nine
//! times and reads it nine times. Our kernel reads each point and its neighbours once from the
//! GPU's memory, and writes each output once, with the residual and rectification.

#[cfg(not(feature = "cuda"))]
mod absent;
#[cfg(feature = "cuda")]
mod adam;
pub(crate) mod adam_step;
#[cfg(feature = "cuda")]
mod boards;
pub(crate) mod conv;
#[cfg(feature = "cuda")]
mod entropy;
#[cfg(feature = "cuda")]
mod layer;
pub(crate) mod layer_weights;
#[cfg(feature = "cuda")]
mod learn_linear;
pub(crate) mod linear;
#[cfg(feature = "cuda")]
mod planes;
#[cfg(feature = "cuda")]
mod recording;
#[cfg(feature = "cuda")]
mod sums;
pub(crate) mod tiles;
#[cfg(feature = "cuda")]
mod tower;

#[cfg(not(feature = "cuda"))]
pub(crate) use absent::{
    Reading, Recording, adam, blend, board_means, convolve, cross_entropy, join, join_into, layer,
    learn_linear, linear, norm, read_later, record, records, rectified_means_and_maxima,
    shift_and_rectify, tower, unpack, unpack_words, view, words, write, write_words,
};
#[cfg(feature = "cuda")]
pub(crate) use {
    adam::{adam, blend, join, join_into, norm},
    boards::{board_means, rectified_means_and_maxima, shift_and_rectify},
    conv::launch::{convolve, view},
    entropy::cross_entropy,
    layer::layer,
    learn_linear::learn_linear,
    linear::linear,
    planes::{unpack, unpack_words, words},
    recording::{Reading, Recording, read_later, record, records, write, write_words},
    tower::tower,
};
