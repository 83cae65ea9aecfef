//! How results travel up the graph.

use dz_config_keys::{choice, choice_or_number, real, whole};
use serde::{Deserialize, Serialize};

use crate::choice::choice_with_data;

choice_with_data! {
    /// How a playout changes the nodes on its path.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Backup, BackupWord {
        /// `N = N_own + sum N(a)`, `Q = (N_own U + sum N(a) Q(child)) / N`: a function of the
        /// children, whatever happened before (D. J. Wu, "Monte-Carlo Graph Search from First
        /// Principles").
        Idempotent = "idempotent",
        /// Q += (v - Q) / N with the playout's own value v: the running average of tree search
        /// (Coulom 2006). O(1) a node. In a graph it uses what a child learnt on other paths only
        /// through v.
        Incremental = "incremental",
        /// Values cached on edges, with catching up in O(1) a node (Czech, Korus and Kersting 2021,
        /// "Improving AlphaZero Using Monte-Carlo Graph Search", section 4).
        ///
        /// An edge holds `Q_e`, the average of the samples that went up through it. A playout ends
        /// where the child has other parents too and its value V* is further than `tolerance` from
        /// `Q_e`. Every sample that comes up through an edge to such a child becomes
        /// `N_e (V* - Q_e) + V*`, which brings `Q_e` to V*.
        Delta {
            /// Distance at which a playout still goes on, at least 0 (0.01 there).
            tolerance: f64,
            /// Keeps each sample in [-1, 1], so that large corrections take several playouts (true
            /// there; false is lc0's immediate catch-up).
            clamp: bool,
        } = "delta",
    }
}

choice_with_data! {
    /// Which nodes beside those on its path a playout recomputes.
    #[derive(Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Staleness, StalenessWord {
        /// None: the others are recomputed when they are next walked through.
        Path = "path",
        /// The immediate parents of the nodes on the path.
        Parents = "parents",
        /// All ancestors of the leaf, children before parents: nothing is ever stale.
        Ancestors = "ancestors",
        /// A sweep over all nodes between playouts, latest nodes first.
        Refresher {
            /// Nodes a playout.
            nodes_per_playout: u32,
        } = "refresher",
    }
}

choice_or_number! {
    /// What a playout does at a child that has more visits than the edge that it came by.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum CatchUp {
        words {
            /// Continues into the child: one evaluation a playout.
            Continue = "continue",
            /// Counts the edge and ends: the child's value is known better than this edge has used
            /// it (KataGo's default).
            Stop = "stop",
        }
        numbers {
            /// Stops, but continues with this probability, in [0, 1] (KataGo,
            /// `graphSearchCatchUpLeakProb`).
            Leak(f64) = "leak" within real(0.0, 1.0),
            /// Stops if the child has more visits than the edge by more than this.
            Margin(u32) = "margin" within whole(0, 1_000_000_000),
        }
    }
}

choice! {
    /// What visits of a finished game count.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Terminals {
        /// N stays 1; the outcome is looked up once.
        Fixed = "fixed",
        /// N grows by 1 a visit, and the outcomes of all visits are averaged, for outcomes that are
        /// samples.
        Counted = "counted",
    }
}

choice! {
    /// The value of a playout that comes back to a position on its own path. It ends there either
    /// way, and its edge is counted, so that searches in a circle end.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Revisit {
        /// The node's value: the visit reinforces playing around the cycle (KataGo).
        Count = "count",
        /// A draw: the visit is averaged in as 0 at the node that closed the cycle (lc0's twofold
        /// repetition).
        Draw = "draw",
    }
}
