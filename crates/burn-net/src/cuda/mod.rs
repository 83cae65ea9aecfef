//! 3x3 convolutions on a card by kernels of our own: neighbours are found in a multiprocessor's own
//! memory.
//!
//! A convolution by [`crate::model::convolution::ConvMethod::Gather`] writes every activation nine
//! times and reads it nine times from the card's memory. Here a group of threads reads the points
//! that it works on and their neighbours once, finds each point's nine among them, and writes the
//! outputs once, added to what stands beside them and rectified if asked for.

#[cfg(not(feature = "cuda"))]
mod absent;
#[cfg(feature = "cuda")]
mod adam;
pub(crate) mod adam_step;
pub(crate) mod conv;
#[cfg(feature = "cuda")]
mod entropy;
#[cfg(feature = "cuda")]
mod layer;
pub(crate) mod layer_weights;
pub(crate) mod linear;
#[cfg(feature = "cuda")]
mod planes;
pub(crate) mod tiles;

#[cfg(not(feature = "cuda"))]
pub(crate) use absent::{adam, blend, convolve, cross_entropy, join, layer, linear, unpack, view};
#[cfg(feature = "cuda")]
pub(crate) use {
    adam::{adam, blend, join},
    conv::launch::{convolve, view},
    entropy::cross_entropy,
    layer::layer,
    linear::linear,
    planes::unpack,
};
