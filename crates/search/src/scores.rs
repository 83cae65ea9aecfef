//! Scores of all moves of a node, for selections that look at each.

use crate::formula::Child;

/// A node's moves and their scores. The vectors keep their room between selections.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoveScores {
    pub children: Vec<Child>,
    pub scores: Vec<f64>,
    pub noise: Vec<f64>,
    /// Gumbel noise of the root's moves, by their order.
    pub gumbel: Vec<f64>,
    /// Visit counts that sequential halving asks for, one a simulation.
    pub considered: Vec<u32>,
}

impl MoveScores {
    /// The Gumbel noise of a root move, by its order; 0 in other searches.
    pub(crate) fn gumbel_of(&self, index: usize) -> f64 {
        self.gumbel.get(index).copied().unwrap_or(0.0)
    }

    /// A copy with the same noise and plan, so that tracing leaves the scores alone.
    pub(crate) fn for_tracing(&self) -> Self {
        Self { gumbel: self.gumbel.clone(), considered: self.considered.clone(), ..Self::default() }
    }
}
