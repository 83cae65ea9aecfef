//! Leads in points and what they are worth, for score utility.

use serde::{Deserialize, Serialize};

use crate::{ScoreUtility, formula, memory::bytes_of, node::NodeId, numbers::Real};

/// Beside a node. All numbers are the first player's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Lead<R> {
    /// Points, komi counted.
    pub points: R,
    /// What they are worth beside winning.
    pub utility: R,
}

/// A node's own lead, and the average over it and the children.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct NodeLead<R> {
    /// By the evaluation, or by the rules where the game is over.
    pub own: Lead<R>,
    pub average: Lead<R>,
}

/// The leads of all nodes. It is empty where points are worth nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound = "R: Real")]
pub(crate) struct Leads<R> {
    /// One a node.
    pub nodes: Vec<NodeLead<R>>,
    /// x0: the lead that the root expected when its search started, moved towards 0.
    center: f64,
    /// sqrt(H W).
    side: f64,
}

impl<R: Real> Leads<R> {
    /// No nodes, on a board of `side` times `side` points.
    pub(crate) fn new(side: f64) -> Self {
        Self { nodes: Vec::new(), center: 0.0, side }
    }

    /// Forgets all nodes.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.center = 0.0;
    }

    /// True if nothing is kept, so that saved searches can leave it out.
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The average of a node.
    pub(crate) fn average(&self, id: NodeId) -> Lead<R> {
        self.nodes[id.index()].average
    }

    /// A lead in points with what it is worth.
    pub(crate) fn valued(&self, utility: &ScoreUtility, points: f64) -> Lead<R> {
        let points = R::from_f64(points);
        let worth = formula::score_utility(utility, points.to_f64(), self.center, self.side);
        Lead { points, utility: R::from_f64(worth) }
    }

    /// Notes the lead of a node that was just added.
    pub(crate) fn set_own(&mut self, id: NodeId, utility: &ScoreUtility, points: f64) {
        let own = self.valued(utility, points);
        self.nodes[id.index()] = NodeLead { own, average: own };
    }

    /// Expects a lead of so many points at the root from now on. True if that changes what leads
    /// are worth; nodes have their own leads' new worth then, and averages are to be recomputed.
    pub(crate) fn expect(&mut self, utility: &ScoreUtility, points: f64) -> bool {
        let center = formula::score_center(utility, points, self.side);
        if utility.dynamic_weight == 0.0 || center == self.center {
            return false;
        }
        self.center = center;
        for index in 0..self.nodes.len() {
            let points = self.nodes[index].own.points.to_f64();
            let own = self.valued(utility, points);
            // A node without children has no other average.
            self.nodes[index] = NodeLead { own, average: own };
        }
        true
    }

    /// Moves a node to another place, over one that is gone.
    pub(crate) fn move_node(&mut self, old: usize, new: usize) {
        self.nodes[new] = self.nodes[old];
    }

    /// Bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        bytes_of(&self.nodes)
    }
}
