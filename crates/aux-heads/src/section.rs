//! `[heads]`: what the network learns beside policy and value.

use std::collections::BTreeSet;

use dz_config_keys::{real, section};

use crate::{Head, PerHead};

section! {
    /// `[heads]`: what the network learns beside policy and value. A head exists where its weight
    /// is above 0; the weight multiplies its mean loss, as `training.value_weight` does the
    /// value's, beside the policy's of 1 (KataGo: policy 0.93, value 0.72). KataGo's weights are
    /// those of its `metrics_pytorch.py`.
    pub struct HeadsSection = "heads" {
        /// The opponent's reply: cross-entropy of the next ply's policy target, where that ply was
        /// a full search (Wu 2019, section 3.4: 0.15).
        [Fixed, real(0.0, 1000.0)] reply_weight: f64 = 0.0;
        /// The policy target to the power 1/4, scaled to sum to 1 again: cross-entropy of a second
        /// policy that tells weak moves apart (KataGo: 8).
        [Fixed, real(0.0, 1000.0)] soft_policy_weight: f64 = 0.0;
        /// Values soon after: cross-entropy of root values from here on, averaged over three
        /// horizons, the mean of the three (KataGo: 0.72 each, which is 2.16 here).
        [Fixed, real(0.0, 1000.0)] short_term_weight: f64 = 0.0;
        /// Plies left until the rules end the game, in units of H * W plies: Huber loss that is
        /// linear from 0.5 on (lc0's moves-left head: 20 plies, linear from 10 on, weight 1).
        [Fixed, real(0.0, 1000.0)] plies_left_weight: f64 = 0.0;
        /// The final margin in points, in units of the square root of H * W, where the game counts
        /// points: Huber loss that is linear from 0.5 on (KataGo's lead: 0.006 a squared point,
        /// linear from 8 points on, which is 2.2 in these units on 19x19).
        [Fixed, real(0.0, 1000.0)] margin_weight: f64 = 0.0;
        /// Whose each point is in the end, where the game says: cross-entropy of mine, nobody's,
        /// theirs, the mean over points (KataGo: 1.5).
        [Fixed, real(0.0, 1000.0)] ownership_weight: f64 = 0.0;
        /// How far the short-term value of the shortest horizon will be off: Huber loss of its
        /// squared error, linear from 0.4 on (KataGo: 2). It needs `short_term_weight` above 0.
        /// Searches with `search.uncertainty_coeff` weigh positions by it.
        [Fixed, real(0.0, 1000.0)] short_term_error_weight: f64 = 0.0;
        /// A second policy, of positions that turned out well: cross-entropy of the policy target,
        /// where a row counts w = 1 / (1 + e^(-3 (z - 1.5))), and z says by how many standard
        /// deviations the short-term value of the shortest horizon was above the expected one
        /// (KataGo's short-term optimistic policy: 1). It needs `short_term_error_weight` above 0.
        /// Searches with `search.policy_optimism` read it.
        [Fixed, real(0.0, 1000.0)] optimistic_policy_weight: f64 = 0.0;
    }
}

impl HeadsSection {
    /// What each head's loss counts.
    pub fn weights(&self) -> PerHead<f64> {
        PerHead::from_fn(|head| head.weight(self))
    }

    /// The heads that the network has: those that count.
    pub fn heads(&self) -> BTreeSet<Head> {
        Head::ALL.into_iter().filter(|head| head.weight(self) > 0.0).collect()
    }
}
