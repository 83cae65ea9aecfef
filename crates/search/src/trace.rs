//! Records of playouts, step by step, for studies of the algorithm.

use dz_game::Move;

use crate::counts::SearchCounts;

/// A playout and why it went where it went.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedPlayout {
    /// Its number among the counted playouts of this search, from 1.
    pub number: u64,
    /// From the root down; empty for the playout that evaluated the root.
    pub steps: Vec<TracedStep>,
    /// Why it went no further.
    pub end: PlayoutEnd,
    /// What the root is worth afterwards, the view of its mover.
    pub root_value: f64,
}

/// Why a playout went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayoutEnd {
    /// A position was evaluated.
    Evaluation,
    /// A position's evaluation came from a cache.
    CacheHit,
    /// The game is over there, or the value proven.
    Terminal,
    /// The child has more visits than the edge, or another value.
    Cut,
    /// The path came back to itself.
    Cycle,
}

/// A choice on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedStep {
    /// The node's number; 0 is the root.
    pub node: u32,
    /// Its visits before this playout.
    pub visits: u32,
    /// Its value before this playout, its mover's view.
    pub value: f64,
    /// The move taken.
    pub mv: Move,
    /// The choice was made on an earlier visit and still held (epsilon trick).
    pub held: bool,
    /// What every legal move counted, in ascending order.
    pub moves: Vec<TracedMove>,
}

/// What a legal move counted in a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracedMove {
    /// The move.
    pub mv: Move,
    /// Edge visits.
    pub visits: u32,
    /// Prior as searched with: at the root, with noise.
    pub prior: f64,
    /// The mover's value; `None` without visits.
    pub q: Option<f64>,
    /// The formula's score: the largest is taken, or, where moves are sampled, their share.
    pub score: f64,
}

/// Playouts that nobody has read yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracer {
    pub playouts: Vec<TracedPlayout>,
    /// Counts after the last playout. Counts that grow from there show why the next one ended.
    pub counts: SearchCounts,
}

impl Tracer {
    /// Counts begin from zero.
    pub(crate) fn start(&mut self) {
        self.counts = SearchCounts::default();
    }
}
