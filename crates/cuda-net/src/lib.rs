//! Networks of residual blocks on NVIDIA's Hopper cards (H100, H200), whole towers in one
//! kernel.
//!
//! A block of threads takes as many positions as fill 256 points, keeps their activations in
//! shared memory from the first plane to the heads' 1x1 convolutions, and reads all weights from
//! the L2 cache once. So a batch costs two launches, and no activation ever goes to the card's
//! memory. A second kernel works out the linear layers. Copies to and from pinned memory are
//! queued with the batch, so that its answers are there when they are asked for.
//!
//! [`TowerEvaluator::load`] refuses what does not fit (`Ok(None)`): other cards, networks with
//! squeeze-excitation or bottlenecks, boards of more than 256 points. `dz-burn-net` plays
//! those.

mod error;
mod evaluator;
mod kernels;
mod plan;
mod slot;
mod source;
mod weights;

pub use error::CudaNetError;
pub use evaluator::TowerEvaluator;
pub use kernels::compiler_version;
pub use plan::TowerPlan;
