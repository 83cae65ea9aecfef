//! Leaves: what they are worth, when they get children, and how many wait at once.

use serde::{Deserialize, Serialize};

/// What a leaf is worth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeafValue {
    /// The network's value.
    Network,
    /// The outcome of a rollout; the network gives only priors.
    Rollout,
    /// (1 - share) v + share z of the network's value v and the rollout's outcome z (AlphaGo:
    /// lambda = 0.5; Silver et al. 2016).
    Mix {
        /// The share, in [0, 1].
        rollout_share: f64,
    },
}

/// When a leaf gets children. Before that, each visit adds a rollout to its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expansion {
    /// At its first visit, which evaluates it.
    FirstVisit,
    /// At the visit after this many (AlphaGo: `n_thr` = 40).
    Threshold(u32),
    /// A threshold that follows the evaluator, as in AlphaGo: it rises by 1 whenever a leaf is
    /// expanded while `waiting_max` or more already wait for the network, and falls by 1 when fewer
    /// do.
    Dynamic {
        /// Where it starts, and the least that it falls to is 1.
        start: u32,
        /// Leaves that may wait.
        waiting_max: u32,
    },
}

/// How a leaf that waits keeps other playouts off its path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InFlight {
    /// It counts as a visit in exploration terms and leaves Q alone (lc0; Liu et al. 2020, WU-UCT).
    Visits,
    /// It counts as so many lost games until it is evaluated (AlphaGo: 3; Segal 2010).
    Losses(u32),
}
