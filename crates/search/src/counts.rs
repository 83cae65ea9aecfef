//! What a search did.

use serde::{Deserialize, Serialize};

/// Counts of one search: playouts = evaluations + cache hits + terminals + cut + cycle ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchCounts {
    /// Walks down and back.
    pub playouts: u64,
    /// Positions evaluated, those from a cache not counted.
    pub evaluations: u64,
    /// Positions whose evaluation came from a cache, as the caller reports.
    pub cache_hits: u64,
    /// Rollouts among the evaluations.
    pub rollouts: u64,
    /// Playouts that ended where the game is over or the value proven.
    pub terminals: u64,
    /// Playouts that ended at a child with more visits than the edge.
    pub cut: u64,
    /// Playouts that ended because the path came back to itself.
    pub cycle_ends: u64,
    /// Edges that were linked to a node that another path had made.
    pub transpositions: u64,
    /// Walks that ended at a position which waited for its evaluation; not playouts.
    pub collisions: u64,
    /// Nodes off the path that were recomputed.
    pub refreshes: u64,
}

impl SearchCounts {
    /// Adds another search's counts.
    pub fn add(&mut self, other: &Self) {
        self.playouts += other.playouts;
        self.evaluations += other.evaluations;
        self.cache_hits += other.cache_hits;
        self.rollouts += other.rollouts;
        self.terminals += other.terminals;
        self.cut += other.cut;
        self.cycle_ends += other.cycle_ends;
        self.transpositions += other.transpositions;
        self.collisions += other.collisions;
        self.refreshes += other.refreshes;
    }

    /// The ways in which playouts ended; their sum is the playouts.
    pub fn ends(&self) -> u64 {
        self.evaluations + self.cache_hits + self.terminals + self.cut + self.cycle_ends
    }
}
