//! The network as functions of tensors.

pub(crate) mod batch_norm;
pub(crate) mod batches;
pub(crate) mod block;
pub(crate) mod board_ops;
pub(crate) mod conv_layer;
pub(crate) mod convolution;
pub(crate) mod epilogue;
pub(crate) mod heads;
pub(crate) mod linear;
pub(crate) mod outputs;
pub(crate) mod planes;
pub(crate) mod tower;
