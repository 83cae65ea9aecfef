//! Nodes and edges of the graph, as the arena holds them.

use dz_game::Key;
use serde::{Deserialize, Serialize};

use crate::{numbers::Real, value::ValueAbs};

/// Index of a node in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct NodeId(pub u32);

/// The root: the first node. It is a private copy that is not in the table and that no edge leads
/// to, so an edge to node 0 is one whose child is not evaluated yet.
pub(crate) const ROOT: NodeId = NodeId(0);

impl NodeId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A position that was evaluated or is over.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Node<R> {
    /// Q: the average over evaluation and children.
    pub average: ValueAbs<R>,
    /// U: the evaluation itself, or the outcome.
    pub own: ValueAbs<R>,
    /// N: own visits + edge visits.
    pub visits: u32,
    /// Visits that ended here: 1, or more where rollouts or outcomes are counted.
    pub own_visits: u32,
    /// First of the visited edges in the arena.
    pub edges: u32,
    /// First of the priors in the arena.
    pub priors: u32,
    /// Legal moves; 0 where the game is over or the node not expanded.
    pub moves: u16,
    /// Visited moves: edges in use.
    pub visited: u16,
    /// 1 if the first player moves, -1 if the second does.
    pub sign: i8,
    /// Edges that fit before they must move, as a power of two; 0 is none.
    pub capacity_log2: u8,
    /// What is known of the node.
    pub kind: Kind,
    /// The largest of the unvisited priors stands first among them.
    pub head_ready: bool,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// It has priors and may have children.
    Expanded,
    /// The game is over.
    Terminal,
    /// Rollouts only, so far.
    Unexpanded,
}

impl<R: Real> Node<R> {
    pub(crate) fn sign(&self) -> R {
        if self.sign < 0 { -R::ONE } else { R::ONE }
    }

    /// Edges that fit before they must move.
    pub(crate) fn capacity(&self) -> usize {
        if self.capacity_log2 == 0 { 0 } else { 1 << self.capacity_log2 }
    }

    /// True if the game is over here.
    pub(crate) fn is_terminal(&self) -> bool {
        self.kind == Kind::Terminal
    }
}

/// A visited move.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Edge {
    /// Where it leads; [`ROOT`] while nothing is evaluated there.
    pub child: NodeId,
    /// N(n,a).
    pub visits: u32,
}

/// What a new node is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewNode<R> {
    pub key: Key,
    pub own: ValueAbs<R>,
    pub sign: i8,
    pub kind: Kind,
}
