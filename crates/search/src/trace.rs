//! Playouts written down step by step, for people who study the algorithm.

use dz_game::Move;

use crate::{
    Numbers, Search, SearchCounts,
    arena::NodeId,
    domain::Domain,
    leaf::Walk,
    numbers::{Prior, Real},
    select::Choice,
};

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
    /// The formula's score: the largest is taken, or, where moves are drawn, their share.
    pub score: f64,
}

/// Playouts that nobody has read yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tracer {
    playouts: Vec<TracedPlayout>,
    /// Counts after the last playout: what has grown since tells why the next one ended.
    counts: SearchCounts,
}

impl Tracer {
    /// Counts begin from zero.
    pub(crate) fn start(&mut self) {
        self.counts = SearchCounts::default();
    }
}

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Begins or ends to write playouts down. It costs time and memory with each.
    pub fn set_trace(&mut self, on: bool) {
        self.tracer = on.then(|| Tracer { playouts: Vec::new(), counts: self.counts });
    }

    /// The playouts written down since the last call.
    pub fn take_trace(&mut self) -> Vec<TracedPlayout> {
        self.tracer.as_mut().map(|tracer| std::mem::take(&mut tracer.playouts)).unwrap_or_default()
    }

    /// Notes the choice of a place at a node.
    pub(crate) fn trace_step(&self, id: NodeId, place: usize, walk: &mut Walk<D, N>, held: bool) {
        if self.tracer.is_none() {
            return;
        }
        let node = self.arena.node(id);
        let step = TracedStep {
            node: id.0,
            visits: node.visits,
            value: (node.sign() * node.average.value).wide(),
            mv: Move(self.arena.priors(node)[place].mv()),
            held,
            moves: self.traced_moves(id),
        };
        walk.trace.push(step);
    }

    /// Notes the end of a playout, which is counted by now.
    pub(crate) fn finish_trace(&mut self, walk: &mut Walk<D, N>, number: u64) {
        let Some(tracer) = &mut self.tracer else { return };
        let root = &self.arena.nodes[0];
        let (before, now) = (tracer.counts, self.counts);
        tracer.playouts.push(TracedPlayout {
            number,
            steps: std::mem::take(&mut walk.trace),
            end: if now.cache_hits > before.cache_hits {
                PlayoutEnd::CacheHit
            } else if now.terminals > before.terminals {
                PlayoutEnd::Terminal
            } else if now.cut > before.cut {
                PlayoutEnd::Cut
            } else if now.cycle_ends > before.cycle_ends {
                PlayoutEnd::Cycle
            } else {
                PlayoutEnd::Evaluation
            },
            root_value: (root.sign() * root.average.value).wide(),
        });
        tracer.counts = now;
    }

    fn traced_moves(&self, id: NodeId) -> Vec<TracedMove> {
        let choice = Choice::new(&self.arena, id, &self.params, &self.setup);
        let mut dense = self.dense.for_tracing();
        let is_dense = self.is_dense_at(id);
        if is_dense {
            self.score_all(&choice, &mut dense);
        }
        let mut moves: Vec<TracedMove> = (0..choice.priors.len())
            .map(|place| {
                let edge = choice.edges.get(place).filter(|edge| edge.visits > 0);
                let score = if is_dense {
                    dense.scores[place]
                } else if place < choice.edges.len() {
                    choice.score_visited(place).wide()
                } else {
                    choice.score_unvisited(place).wide()
                };
                TracedMove {
                    mv: Move(choice.priors[place].mv()),
                    visits: edge.map_or(0, |edge| edge.visits),
                    prior: choice.priors[place].probability().wide(),
                    q: edge.map(|_| choice.standing(place).value.wide()),
                    score,
                }
            })
            .collect();
        moves.sort_by_key(|m| m.mv);
        moves
    }
}
