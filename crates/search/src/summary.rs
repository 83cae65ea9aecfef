//! What a search found, for callers.

use dz_game::{Game, Move, Wdl};

use crate::Search;

/// A search's root, every legal move included.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Chances of the player to move at the root: its Q.
    pub wdl: Wdl,
    /// N of the root.
    pub visits: u32,
    /// Legal moves, ascending.
    pub moves: Vec<RootMove>,
    /// What the search did since it was started.
    pub counts: SearchCounts,
}

/// A legal move at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// Edge visits.
    pub visits: u32,
    /// The evaluator's prior, without noise.
    pub prior: f32,
    /// Chances of the player to move at the root after this move; `None` without visits.
    pub wdl: Option<Wdl>,
}

/// Counts of one search. Playouts = evaluations + terminals + cut + cycle ends; whether an evaluation
/// came from a cache is the caller's to count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SearchCounts {
    /// Walks down and back.
    pub playouts: u64,
    /// Positions evaluated (by the evaluator or a cache).
    pub evaluations: u64,
    /// Playouts that ended where the game is over.
    pub terminals: u64,
    /// Playouts that ended at a child with more visits than the edge.
    pub cut: u64,
    /// Playouts that ended because the path came back to itself.
    pub cycle_ends: u64,
    /// Edges that were linked to a node that another path had made.
    pub transpositions: u64,
}

impl SearchCounts {
    /// Adds another search's counts.
    pub fn add(&mut self, other: &Self) {
        self.playouts += other.playouts;
        self.evaluations += other.evaluations;
        self.terminals += other.terminals;
        self.cut += other.cut;
        self.cycle_ends += other.cycle_ends;
        self.transpositions += other.transpositions;
    }
}

impl<G: Game> Search<G> {
    /// The root as it stands.
    pub fn summary(&self) -> Summary {
        let root = self.root();
        let sign = root.sign();
        let moves = root.edges.iter().map(|edge| RootMove {
            mv: edge.mv,
            visits: edge.visits,
            prior: edge.prior,
            wdl: edge
                .child
                .filter(|_| edge.visits > 0)
                .map(|child| self.arena().node(child).average.wdl_for(sign)),
        });
        Summary {
            wdl: root.average.wdl_for(sign),
            visits: root.visits,
            moves: moves.collect(),
            counts: self.counts(),
        }
    }
}
