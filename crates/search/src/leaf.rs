//! Leaves as callers see them: positions that wait for their evaluations, and the answers.

use dz_game::Move;

use crate::{domain::Domain, value::ValuePov};

/// Names a leaf that waits; the number is used again once it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafId(pub(crate) usize);

impl LeafId {
    /// The leaf of a search that has one at a time.
    pub const FIRST: Self = Self(0);
}

/// What a leaf is to be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    /// Value and priors, by [`Search::apply`] or [`Search::apply_network`].
    pub network: bool,
    /// An outcome and the moves that led to it, by [`Search::apply_rollout`].
    pub rollout: bool,
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
    /// A random word of this leaf alone.
    pub random: u64,
    /// What it is to be given.
    pub wants: Wants,
}

/// A network's answer.
#[derive(Clone, Copy, Debug)]
pub struct NetworkAnswer<'a, R> {
    /// What the mover expects.
    pub estimate: ValuePov<R>,
    /// One prior a legal move, in the order of the moves.
    pub priors: &'a [R],
    /// One heuristic value a legal move, the mover's, for equivalent visits; may be empty.
    pub heuristics: &'a [R],
    /// It came from a cache, so that it counts as no evaluation.
    pub cached: bool,
}
