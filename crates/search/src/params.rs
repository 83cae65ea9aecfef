//! Everything that varies between searches, as values.

use serde::{Deserialize, Serialize};

/// The settings of a search. They hold for a search's lifetime; the budget and the noise of the root
/// are given anew for each move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchParams {
    /// One node a position; `false` gives every path a node of its own (tree search).
    pub graph: bool,
    /// The formula that picks moves inside the graph.
    pub selection: Selection,
    /// What an unvisited move counts as in PUCT.
    pub fpu: Fpu,
    /// What happens at a child with more visits than the edge to it.
    pub catch_up: CatchUp,
    /// Which of several moves with equal scores comes first.
    pub tie_break: TieBreak,
    /// The most nodes that a search may hold beside its root; it is decided when they are used up.
    pub nodes_max: u32,
}

/// Selection formulas. N are edge visits, Q the mover's view, s the node's sum of edge visits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Selection {
    /// Q + c P sqrt(s + 0.01) / (1 + N): AlphaGo Zero's (Silver et al. 2017, Methods) with the 0.01 of
    /// KataGo, which makes the first choice follow the prior.
    Puct {
        /// Weight of the prior term, above 0; KataGo uses 1.0 to 1.1, AlphaZero 1.25.
        c_puct: f32,
    },
    /// Q + c sqrt(ln s / N), unvisited moves first (Kocsis and Szepesvari 2006).
    Uct {
        /// Weight of the exploration term, above 0; sqrt 2 for values in [-1, 1] here.
        c: f32,
    },
}

/// First-play urgency: the mover's value of a move without visits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "value", rename_all = "lowercase")]
pub enum Fpu {
    /// This value, in [-1, 1].
    Absolute(f32),
    /// The node's own value less this times the root of the priors already visited (KataGo,
    /// `fpuReductionMax`; 0.2 there).
    Reduction(f32),
}

/// What a playout does at a child that has more visits than the edge that it came by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatchUp {
    /// Goes on into the child: one evaluation a playout.
    Continue,
    /// Counts the edge and ends: the child's value is known better than this edge has used it.
    Stop,
}

/// Order of moves with equal priors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// The lowest move first.
    LowestMove,
    /// A random order a node, drawn from the search's seed: for searches without priors, which would
    /// else lean to the first columns.
    Random,
}

/// How long a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Playouts of this search; visits kept from an earlier one come on top.
    Playouts(u32),
    /// Visits of the root, those kept from an earlier search included.
    Visits(u32),
}

/// Dirichlet noise on the root's priors: P' = (1 - share) P + share D, D ~ Dir(alpha) (AlphaGo Zero,
/// Methods, "Self-play": share 0.25; alpha 0.03 in Go, about 10 / legal moves elsewhere).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootNoise {
    /// Concentration, above 0.
    pub alpha: f64,
    /// Share of the noise, in [0, 1].
    pub share: f32,
}
