//! Scores of all moves of a node, for selections that look at each.

use crate::formula::Child;

/// A node's moves and their scores. The vectors keep their room between selections.
#[derive(Clone, Debug, Default)]
pub(crate) struct MoveScores {
    pub children: Vec<Child>,
    pub scores: Vec<f64>,
    pub noise: Vec<f64>,
    /// Playouts that sequential halving counts.
    pub granted: Vec<u32>,
    /// Moves that have had fewer.
    pub owed: Vec<bool>,
}
