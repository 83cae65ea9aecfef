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
    value::ValueAbs,
};

/// The sums of a node. The count of outcomes is the node's `visits`, that of its own outcomes
/// `own_visits`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Halves<R> {
    /// The network's value of this position, once it has come.
    pub own_value: Option<ValueAbs<R>>,
    /// Sum of the outcomes of rollouts that began here.
    pub own_outcomes: ValueAbs<R>,
    /// All of them, the children's included.
    pub sums: Sums<R>,
}

/// The four numbers of an edge, or of a node over all its edges; sums are the first player's.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums<R> {
    /// `N_v`.
    pub values: R,
    /// `W_v`.
    pub value: ValueAbs<R>,
    /// `N_r`.
    pub outcomes: R,
    /// `W_r`.
    pub outcome: ValueAbs<R>,
}

impl<R: Real> Sums<R> {
    /// `Q = (1 - lambda) W_v / N_v + lambda W_r / N_r`. While one half has no sample, the other
    /// alone is the value; the source does not say what holds then. 0 without either.
    pub(crate) fn mixed(&self, lambda: R) -> ValueAbs<R> {
        let mean = |sum: ValueAbs<R>, count: R| {
            (count > R::ZERO).then(|| ValueAbs { value: sum.value / count, draw: sum.draw / count })
        };
        let value = mean(self.value, self.values);
        let outcome = mean(self.outcome, self.outcomes);
        match (value, outcome) {
            (Some(value), Some(outcome)) => {
                let mut mixed = ValueAbs::default();
                mixed.add(value, R::ONE - lambda);
                mixed.add(outcome, lambda);
                mixed
            }
            (one, other) => one.or(other).unwrap_or_default(),
        }
    }

    /// The same after `lost` more rollouts that the player with this sign lost.
    pub(crate) fn mixed_with_losses(&self, lambda: R, sign: R, lost: R) -> ValueAbs<R> {
        let mut sums = *self;
        sums.outcomes += lost;
        sums.outcome.value += -(sign * lost);
        sums.mixed(lambda)
    }
}

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
            self.recompute_square(id, sums.outcomes.max(one));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: f64) -> ValueAbs<f64> {
        ValueAbs { value, draw: 0.0 }
    }

    #[test]
    fn both_halves_mix_and_one_alone_stands() {
        let sums = Sums { values: 10.0, value: value(4.0), outcomes: 25.0, outcome: value(-5.0) };
        assert!((sums.mixed(0.5).value - 0.1).abs() < 1e-15);
        assert_eq!(Sums { values: 0.0, ..sums }.mixed(0.5).value, -0.2);
        assert_eq!(Sums { outcomes: 0.0, ..sums }.mixed(0.5).value, 0.4);
        assert_eq!(Sums::<f64>::default().mixed(0.5).value, 0.0);
    }

    /// A loss of the second player is a win of the first; the network's half stays.
    #[test]
    fn losses_act_on_outcomes_alone() {
        let sums = Sums { values: 2.0, value: value(1.0), outcomes: 4.0, outcome: value(2.0) };
        let first = sums.mixed_with_losses(0.5, 1.0, 3.0).value;
        assert!((first - (0.25 + 0.5 * (2.0 - 3.0) / 7.0)).abs() < 1e-15);
        let second = sums.mixed_with_losses(0.5, -1.0, 3.0).value;
        assert!((second - (0.25 + 0.5 * (2.0 + 3.0) / 7.0)).abs() < 1e-15);
    }
}
