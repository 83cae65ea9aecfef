//! Networks of residual blocks on NVIDIA's Hopper cards (H100, H200), whole towers in one
//! kernel.
//!
//! A block of threads takes as many positions as fill 256 points. It keeps their activations in
//! shared memory from the first plane to the heads' 1x1 convolutions, and reads all weights from
//! the L2 cache once. A second kernel computes the linear layers, so a batch costs two launches.
//! Copies to and from pinned memory are queued with the batch, so answers are on the host when
//! they are waited for.
//!
//! [`TowerEvaluator::load`] returns `Ok(None)` for other cards, for networks with
//! squeeze-excitation or bottlenecks, and for boards of more than 256 points. `dz-burn-net` plays
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
