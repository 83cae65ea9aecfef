//! The root: a private copy outside the table, so that its noise never leaks through a transposition.

use dz_game::{Game, Move};

use crate::arena::{Absolute, NodeId};

/// The position that is searched. All its legal moves have an edge, in ascending order, since noise
/// gives each of them a prior of its own.
#[derive(Clone, Debug)]
pub(crate) struct Root<G: Game> {
    pub state: G::State,
    pub history: G::History,
    pub edges: Vec<RootEdge>,
    pub average: Absolute,
    pub own: Absolute,
    /// 0 until the root is evaluated.
    pub visits: u32,
    /// As [`crate::arena::Node::sign`].
    pub sign: i8,
}

/// A legal move at the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RootEdge {
    pub mv: Move,
    /// The evaluator's prior.
    pub prior: f32,
    /// The prior with noise: what selection uses.
    pub noisy_prior: f32,
    pub child: Option<NodeId>,
    pub visits: u32,
}

impl<G: Game> Root<G> {
    pub(crate) fn sign(&self) -> f32 {
        f32::from(self.sign)
    }

    pub(crate) fn is_evaluated(&self) -> bool {
        self.visits > 0
    }
}
