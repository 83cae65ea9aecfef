//! Proven values: bounds on what a position is worth with best play, propagated from finished
//! games.
//!
//! A node's lower bound, the mover's, is the best lower bound of its children; its upper bound the
//! best upper bound, or 1 while a move was never tried. Where they meet the value is certain: it
//! replaces the average, and no playout goes below the node again. A cycle proves nothing, since
//! its node is not proven while it is walked.

use crate::{
    Numbers, Search,
    domain::Domain,
    node::{NodeId, ROOT},
    numbers::Real,
    value::ValueAbs,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Recomputes a node's bounds from its children, and its value if they meet.
    pub(crate) fn prove(&mut self, id: NodeId) {
        let node = *self.arena.node(id);
        if node.moves == 0 {
            return;
        }
        let sign = node.sign();
        let one = N::Real::ONE;
        let mut lower = -one;
        let mut upper = -one;
        let mut best: Option<ValueAbs<N::Real>> = None;
        if node.visited < node.moves {
            upper = one;
        }
        for edge in self.arena.edges(&node) {
            if edge.child == ROOT {
                upper = one;
                continue;
            }
            let side = &self.arena.side.nodes[edge.child.index()];
            let (low, high) =
                if node.sign > 0 { (side.lower, side.upper) } else { (-side.upper, -side.lower) };
            if low > lower || best.is_none() {
                lower = lower.max(low);
                best = Some(self.arena.node(edge.child).average);
            }
            upper = upper.max(high);
        }
        let side = &mut self.arena.side.nodes[id.index()];
        (side.lower, side.upper) = if node.sign > 0 { (lower, upper) } else { (-upper, -lower) };
        if let (true, Some(best)) = (lower >= upper, best) {
            let value = sign * lower;
            self.arena.node_mut(id).average = ValueAbs { value, draw: best.draw };
            self.arena.settle_halves(id);
            self.arena.side.buckets.leave(id);
        }
    }
}
