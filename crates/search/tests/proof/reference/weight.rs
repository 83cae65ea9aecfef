//! Uncertainty-weighted visits, from KataGo's `Search::computeWeightFromNNOutput` and
//! `recomputeNodeStats`: nothing here calls the crate's formulas.

use dz_search::{Domain, Real};

use super::{
    Reference,
    node::{Edge, Kind, Name, Node, Rounds},
};

impl<D: Domain, N: Rounds> Reference<'_, D, N> {
    /// A node's weights that a search knows: of a visit that ended there, and of one on average.
    pub fn weight_of_node(&self, name: Name) -> Option<(f64, f64)> {
        self.params.uncertainty?;
        let node = &self.nodes[&name];
        Some((node.own_weight.to_f64(), node.mean_weight.to_f64()))
    }

    /// A game that is over: its points, and how much it counts.
    pub(super) fn note_end(&mut self, name: Name, state: &D::State, history: &D::History) {
        self.score_new(name, state, history, None);
        self.weigh_new(name, None);
    }

    /// A node that was evaluated, or is over.
    pub(super) fn weigh_new(&mut self, name: Name, error: Option<f64>) {
        let Some(rule) = self.params.uncertainty else { return };
        let weight = match (self.nodes[&name].kind, error) {
            (Kind::Terminal, _) => rule.weight_max,
            (_, None) => 1.0,
            (_, Some(error)) => {
                let error = N::Real::from_f64(error).to_f64();
                let powered = if rule.exponent == 0.5 {
                    error.sqrt()
                } else if rule.exponent == 1.0 {
                    error
                } else {
                    error.powf(rule.exponent)
                };
                rule.coeff / (powered + rule.coeff / rule.weight_max)
            }
        };
        let weight = N::Real::from_f64(weight);
        let node = self.node_mut(name);
        (node.own_weight, node.mean_weight) = (weight, weight);
    }

    /// The visits of an edge, each as heavy as a visit of its child.
    pub(super) fn edge_weight(&self, edge: &Edge<N::Real>) -> N::Real {
        let visits = N::Real::from_u32(edge.visits);
        if self.params.uncertainty.is_none() || edge.visits == 0 {
            return visits;
        }
        visits * self.child(edge).mean_weight
    }

    /// The part of that which closed a cycle.
    pub(super) fn drawn_weight(&self, edge: &Edge<N::Real>) -> N::Real {
        let drawn = N::Real::from_u32(edge.cycle_draws);
        if self.params.uncertainty.is_none() {
            return drawn;
        }
        self.edge_weight(edge) * drawn / N::Real::from_u32(edge.visits)
    }

    /// Visits that ended at a node.
    pub(super) fn own_weight(&self, node: &Node<N::Real>) -> N::Real {
        let visits = N::Real::from_u32(node.own_visits);
        if self.params.uncertainty.is_none() { visits } else { visits * node.own_weight }
    }

    /// s of PUCT, in the order of first visits.
    pub(super) fn edge_weights(&self, node: &Node<N::Real>) -> N::Real {
        let visited = node.row[..node.visited].iter();
        visited.fold(N::Real::ZERO, |sum, &i| sum + self.edge_weight(&node.edges[i]))
    }
}
