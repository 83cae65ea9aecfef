//! What the games of a cycle share whose moves are sampled from policies.

use dz_config::ReinforcePhase;

/// How games of policies are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyPlan {
    /// What they are for.
    pub phase: ReinforcePhase,
    /// Earlier networks, sources 1 to this many.
    pub opponents: usize,
}
