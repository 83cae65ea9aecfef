//! Uncertainty-weighted visits (see [`crate::UncertaintyWeights`]).
//!
//! A visit of an edge has the average weight of its child's visits, W / N. Counts of visits are not
//! weighted: budgets, graphs and tables use them.

use crate::{
    Numbers, Search,
    arena::Arena,
    domain::Domain,
    formula,
    node::{Edge, Node, NodeId},
    node_weight::NodeWeight,
    numbers::Real,
    value::ValueAbs,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Notes how much a node counts that was just added: by the error that the evaluator expects,
    /// or as a finished game. An evaluator that does not know gives the weight 1.
    #[inline(never)]
    pub(crate) fn note_weight(&mut self, id: NodeId, error: Option<N::Real>, is_over: bool) {
        let Some(weights) = &self.params.uncertainty else { return };
        let own = match error {
            _ if is_over => weights.weight_max,
            Some(error) => formula::uncertainty_weight(weights, error.to_f64()),
            None => 1.0,
        };
        self.arena.side.weights[id.index()] = NodeWeight::of(N::Real::from_f64(own));
    }
}

impl<N: Numbers> Arena<N> {
    /// What the visits of an edge weigh: their number where all visits count the same.
    pub(crate) fn weight_of(&self, edge: &Edge) -> N::Real {
        let visits = N::Real::from_u32(edge.visits);
        match self.side.weights.get(edge.child.index()) {
            Some(child) => visits * child.mean,
            None => visits,
        }
    }

    /// What those visits of an edge weigh that closed a cycle.
    pub(crate) fn closed_weight(&self, edge: &Edge, closed: u32) -> N::Real {
        let closed = N::Real::from_u32(closed);
        if self.side.uses_weights && edge.visits > 0 {
            return self.weight_of(edge) * closed / N::Real::from_u32(edge.visits);
        }
        closed
    }

    /// What the visits weigh that ended at a node.
    pub(crate) fn own_weight(&self, id: NodeId) -> N::Real {
        let visits = N::Real::from_u32(self.node(id).own_visits);
        match self.side.weights.get(id.index()) {
            Some(weight) => visits * weight.own,
            None => visits,
        }
    }

    /// What the visits of a node's edges weigh in all.
    pub(crate) fn edge_weights(&self, node: &Node<N::Real>) -> N::Real {
        self.edges(node).iter().fold(N::Real::ZERO, |sum, edge| sum + self.weight_of(edge))
    }

    /// As [`Arena::average_with`], by weights.
    pub(crate) fn average_by_weights(&mut self, id: NodeId, own: ValueAbs<N::Real>, draws: bool) {
        let node = self.node(id);
        let mut visits = node.own_visits;
        let mut weight = self.own_weight(id);
        let mut sum = own.times(weight);
        for (place, edge) in self.edges(node).iter().enumerate() {
            visits += edge.visits;
            let edge_weight = self.weight_of(edge);
            weight += edge_weight;
            let mut counted = edge_weight;
            if draws {
                let drawn = self.closed_weight(edge, self.edge_side(node, place).cycle_draws);
                counted = counted - drawn;
                sum.draw += drawn;
            }
            sum.add(self.node(edge.child).average, counted);
        }
        if self.side.uses_nodes {
            self.recompute_square(id, own, weight);
        }
        let average = ValueAbs { value: sum.value / weight, draw: sum.draw / weight };
        let node = self.node_mut(id);
        node.visits = visits;
        node.average = average;
        self.side.weights[id.index()].mean = weight / N::Real::from_u32(visits);
    }
}
