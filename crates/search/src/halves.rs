//! Split values: network values and rollout outcomes, kept apart (Silver et al. 2016, Methods,
//! "Search algorithm").
//!
//! AlphaGo adds every v and every z to the edges on its path. Here an edge's four numbers are a
//! function of its visits and of the node it leads to, so that they hold in a graph as well:
//!
//! ```text
//! N_r(n) = own rollouts + sum_a N_r(n,a)      N_r(n,a): visits of the edge
//! W_r(n) = own outcomes + sum_a W_r(n,a)      W_r(n,a) = f W_r(child)
//! N_v(n) = own values + sum_a N_v(n,a)        N_v(n,a) = f N_v(child)
//! W_v(n) = own value + sum_a W_v(n,a)         W_v(n,a) = f W_v(child)
//!                                             f = N_r(n,a) / N_r(child)
//! ```
//!
//! In a tree f is 1, and these are AlphaGo's sums. In a graph an edge takes the same share of both
//! halves of its child. No source has split values in a graph: this form is ours.

use crate::{
    arena::Arena,
    node::{Edge, NodeId, ROOT},
    numbers::{Numbers, Real},
    sums::Sums,
};

impl<N: Numbers> Arena<N> {
    /// The four numbers of an edge.
    pub(crate) fn edge_sums(&self, edge: &Edge) -> Sums<N::Real> {
        if edge.child == ROOT {
            return Sums::default();
        }
        let child = self.node(edge.child);
        let outcomes = N::Real::from_u32(edge.visits);
        if child.is_terminal() {
            // A finished game is certain: each visit adds the outcome to both halves.
            let sum = child.own.times(outcomes);
            return Sums { values: outcomes, value: sum, outcomes, outcome: sum };
        }
        // A value that came before the first outcome belongs to the edge that led there.
        let share = if child.visits == 0 {
            N::Real::ONE
        } else {
            outcomes / N::Real::from_u32(child.visits)
        };
        let sums = &self.side.halves[edge.child.index()].sums;
        Sums {
            values: share * sums.values,
            value: sums.value.times(share),
            outcomes,
            outcome: sums.outcome.times(share),
        }
    }

    /// Recomputes a node in split search from its own value and outcomes and its edges, summed in
    /// their order.
    pub(crate) fn recompute_halves(&mut self, id: NodeId, lambda: N::Real) {
        let node = self.node(id);
        let halves = &self.side.halves[id.index()];
        let one = N::Real::ONE;
        let own = Sums {
            values: if halves.own_value.is_some() { one } else { N::Real::ZERO },
            value: halves.own_value.unwrap_or_default(),
            outcomes: N::Real::from_u32(node.own_visits),
            outcome: halves.own_outcomes,
        };
        let mut sums = own;
        let mut visits = node.own_visits;
        for edge in self.edges(node) {
            let of_edge = self.edge_sums(edge);
            visits += edge.visits;
            sums.values += of_edge.values;
            sums.value.add(of_edge.value, one);
            sums.outcome.add(of_edge.outcome, one);
        }
        sums.outcomes = N::Real::from_u32(visits);
        self.side.halves[id.index()].sums = sums;
        let node = self.node_mut(id);
        node.visits = visits;
        node.own = own.mixed(lambda);
        node.average = sums.mixed(lambda);
        if self.side.uses_nodes {
            let own = self.node(id).own;
            self.recompute_square(id, own, sums.outcomes.max(one));
        }
    }

    /// Makes both halves of a proven node say what its average says.
    pub(crate) fn settle_halves(&mut self, id: NodeId) {
        let proven = self.node(id).average;
        if let Some(halves) = self.side.halves.get_mut(id.index()) {
            let sums = &mut halves.sums;
            sums.value = proven.times(sums.values);
            sums.outcome = proven.times(sums.outcomes);
        }
    }
}
