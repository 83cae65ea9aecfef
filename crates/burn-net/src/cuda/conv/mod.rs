//! 3x3 and 1x1 convolutions.

#[cfg(feature = "cuda")]
pub(in crate::cuda) mod finish;
pub(crate) mod fits;
#[cfg(feature = "cuda")]
pub(in crate::cuda) mod kernel;
#[cfg(feature = "cuda")]
pub(in crate::cuda) mod launch;
pub(crate) mod plan;
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
pub(in crate::cuda) mod rows_plan;
#[cfg(feature = "cuda")]
mod weights;
#[cfg_attr(not(feature = "cuda"), allow(dead_code))]
pub(in crate::cuda) mod weights_plan;
mod window;
