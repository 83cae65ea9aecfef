//! What a layer is made of.

use crate::cuda::conv::plan::Plan;
use crate::cuda::conv::weights_plan::WeightsPlan;

/// What a layer is made of. Known when its kernels are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LayerPlan {
    pub(super) forth: Plan,
    /// Where inputs fill tiles; others have no gradient.
    pub(super) back: Option<Plan>,
    pub(super) weights: WeightsPlan,
    /// Another tensor is added.
    pub(super) adds: bool,
    /// What is below 0 becomes 0.
    pub(super) rectifies: bool,
}
