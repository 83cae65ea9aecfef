//! Leaves as callers see them: positions that wait for their evaluations, and the answers.

use dz_game::Move;

use crate::{domain::Domain, value::ValuePov};

/// The number of a leaf that waits; it is used again once the leaf is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafId(pub(crate) usize);

impl LeafId {
    /// The leaf of a search that has one at a time.
    pub const FIRST: Self = Self(0);
}

/// The answers that a leaf needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Value and priors, by [`Search::apply`] or [`Search::apply_network`].
    pub network: bool,
    /// So many outcomes, each with the moves that led to it, by [`Search::apply_rollout`].
    pub rollouts: u32,
}

/// The requested outputs of the network. Split search may request one without the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asks {
    /// The value, which counts.
    pub value: bool,
    /// The priors, which open the node.
    pub priors: bool,
}

/// The position that a search waits for.
#[derive(Debug)]
pub struct SearchLeaf<'a, D: Domain> {
    /// The position.
    pub state: &'a D::State,
    /// Its past.
    pub history: &'a D::History,
    /// Its legal moves, ascending.
    pub legal: &'a [Move],
    /// The move that led there, if the search knows it.
    pub last: Option<Move>,
    /// A random word for this leaf.
    pub random: u64,
    /// The answers that it needs.
    pub wants: Wants,
}

/// A network's answer.
#[derive(Clone, Copy, Debug)]
pub struct NetworkAnswer<'a, R> {
    /// The value for the player to move.
    pub estimate: ValuePov<R>,
    /// The margin at the end in points, without komi, for the player to move; none where the
    /// evaluator does not know, which score utility takes for an even game.
    pub margin: Option<R>,
    /// How far the value is expected to be from those of the next plies, 0 or more; none where the
    /// evaluator does not know, which uncertainty-weighted visits count once.
    pub error: Option<R>,
    /// One prior a legal move, in the order of the moves.
    pub priors: &'a [R],
    /// One heuristic value a legal move, the mover's, for equivalent visits; may be empty.
    pub heuristics: &'a [R],
    /// It came from a cache, so that it counts as no evaluation.
    pub cached: bool,
}

impl<'a, R> NetworkAnswer<'a, R> {
    /// The answer of a network that says nothing else, fresh.
    pub fn new(estimate: ValuePov<R>, priors: &'a [R]) -> Self {
        Self { estimate, margin: None, error: None, priors, heuristics: &[], cached: false }
    }
}
