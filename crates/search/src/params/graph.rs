//! How what is learnt travels up the graph.

use serde::{Deserialize, Serialize};

/// How a playout changes the nodes on its path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backup {
    /// `N = N_own + sum N(a)`, `Q = (N_own U + sum N(a) Q(child)) / N`: right as a function of the
    /// children, whatever happened before (D. J. Wu, "Monte-Carlo Graph Search from First
    /// Principles").
    Idempotent,
    /// Q += (v - Q) / N with the playout's own value v: the running average of tree search (Coulom
    /// 2006). O(1) a node; in a graph it never uses what a child learnt on other paths but in v.
    Incremental,
    /// Values cached on edges, with catching up in O(1) a node (Czech, Korus and Kersting 2021,
    /// "Improving AlphaZero Using Monte-Carlo Graph Search", section 4).
    ///
    /// An edge holds `Q_e`, the average of the samples that went up through it. Where its child has
    /// other parents too and its value V* is further than `tolerance` from `Q_e`, a playout ends.
    /// Every sample that comes up through an edge to such a child becomes `N_e (V* - Q_e) + V*`,
    /// which brings `Q_e` to V*.
    Delta {
        /// Distance at which a playout still goes on, at least 0 (0.01 there).
        tolerance: f64,
        /// Keeps each sample in [-1, 1], so that large corrections take several playouts (true
        /// there; false is lc0's immediate catch-up).
        clamp: bool,
    },
}

/// Which nodes beside those on its path a playout brings up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Staleness {
    /// None: the others are refreshed when they are next walked through.
    Path,
    /// The immediate parents of the nodes on the path.
    Parents,
    /// All ancestors of the leaf, children before parents: nothing is ever stale.
    Ancestors,
    /// A sweep over all nodes that goes on between playouts, latest nodes first.
    Refresher {
        /// Nodes a playout.
        nodes_per_playout: u32,
    },
}

/// What a playout does at a child that has more visits than the edge that it came by.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CatchUp {
    /// Goes on into the child: one evaluation a playout.
    Continue,
    /// Counts the edge and ends: the child's value is known better than this edge has used it
    /// (KataGo's default).
    Stop,
    /// Stops, but goes on with this probability, in [0, 1] (KataGo, `graphSearchCatchUpLeakProb`).
    Leak(f64),
    /// Stops if the child has more visits than the edge by more than this.
    Margin(u32),
}

/// What visits of a finished game count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Terminals {
    /// N stays 1; the outcome is looked up once.
    Fixed,
    /// N grows by 1 a visit, as for outcomes that are samples.
    Counted,
}

/// What a playout is worth that comes back to a position on its own path. It ends there either way,
/// and its edge is counted, so that searches in a circle end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Revisit {
    /// What the node is worth: the visit reinforces playing around the cycle (KataGo).
    Count,
    /// A draw: the visit is averaged in as 0 at the node that closed the cycle (lc0's twofold
    /// repetition).
    Draw,
}
