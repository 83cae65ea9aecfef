//! The tower in training, forward and back: stem and residual blocks with batch norm and global
//! pooling.
//!
//! The same transforms and products as in play, three times: a convolution's outputs, the gradient
//! of its inputs (a convolution with the filters turned and transposed) and that of its weights.
//! The last is a product for each frequency too: with outputs y = A' (U . V) A, where U are
//! transformed weights and V transformed inputs, the gradient of U is V times A dy A', summed over
//! tiles, and the filters' transform, transposed, brings it back to nine taps. So learning takes as
//! few multiplications as playing does, a third of a direct convolution's.
//!
//! Positions go through together as a *shard*, whose batch norm takes its statistics from all of
//! it, and through the convolutions a few at a time, so that the work on these stays in the
//! second-level cache. All sums have an order that depends on nothing but the shard.

mod adjoint;
mod backward;
mod batch_norm;
mod convolution;
mod elementwise;
mod filters;
mod forward;
mod grid;
mod outer;
mod pooling;
mod stem;
mod tape;
mod trunk;

pub use tape::Tape;
pub use trunk::{Packed, Parameters, Trunk};
