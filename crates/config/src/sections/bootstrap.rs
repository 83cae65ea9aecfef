//! `[bootstrap]`: generation 0, before there is a network.

use dz_config_keys::{Limits, choice, section, whole};
section! {
    /// `[bootstrap]`: self-play of generation 0, before there is a network. Everything else is as
    /// in `[selfplay]`.
    pub struct BootstrapSection = "bootstrap" {
        /// What stands in for the network: `uniform` (an even game, equal priors) or `rollout`
        /// (one game of random moves a leaf, equal priors).
        [Results, Limits::Any] evaluator: BootstrapEvaluator = BootstrapEvaluator::Rollout;
        /// Games of a cycle without a network.
        [Results, whole(1, 100_000_000)] games: u32 = 2_000;
        /// Playouts of a full search without a network.
        [Results, whole(2, 1_000_000)] playouts: u32 = 200;
    }
}

choice! {
    /// What stands in for the network in generation 0.
    pub enum BootstrapEvaluator {
        /// Value 0 and equal priors.
        Uniform = "uniform",
        /// The outcome of one game of random moves, and equal priors.
        Rollout = "rollout",
    }
}
