//! Staleness: which nodes off the path a playout recomputes.

use crate::{
    Numbers, Search, Staleness,
    domain::Domain,
    leads::Lead,
    node::{Kind, NodeId, ROOT},
    numbers::Real,
    path::PathStep,
    value::ValueAbs,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Recomputes the nodes that the settings ask for after a playout along `path`. Node `changed`
    /// at its end may have a new value.
    pub(crate) fn recompute_stale(&mut self, path: &[PathStep], changed: Option<NodeId>) {
        match self.params.staleness {
            Staleness::Path => {}
            Staleness::Parents => self.recompute_parents(path, changed),
            Staleness::Ancestors => {
                if let Some(last) = changed.or(path.last().map(|step| step.node)) {
                    self.recompute_ancestors(last);
                }
            }
            Staleness::Refresher { nodes_per_playout } => self.sweep(nodes_per_playout),
        }
    }

    /// Recomputes every node, children first, until nothing changes, for at most as many rounds as
    /// there are nodes. Returns the number of rounds. The result depends on the counts and not on
    /// the order of playouts, unless values are corrected by errors elsewhere.
    pub fn recompute_all(&mut self) -> usize {
        for round in 1..=self.arena.nodes.len() {
            let mut changed = false;
            for index in (0..self.arena.nodes.len()).rev() {
                let before = self.numbers_of(index);
                self.recompute_expanded(NodeId(index as u32));
                changed |= self.numbers_of(index) != before;
            }
            if !changed {
                return round;
            }
        }
        self.arena.nodes.len()
    }

    /// The numbers of a node that recomputing it changes.
    fn numbers_of(&self, index: usize) -> (u32, [N::Real; 8]) {
        let node = &self.arena.nodes[index];
        let ValueAbs { value, draw } = node.average;
        let side = &self.arena.side;
        let zeros = || [N::Real::ZERO; 3];
        let bounds = side.nodes.get(index);
        let [lower, upper, square] =
            bounds.map_or_else(zeros, |side| [side.lower, side.upper, side.square]);
        let weight = side.weights.get(index).map_or(N::Real::ZERO, |weight| weight.mean);
        let Lead { points, utility } =
            side.leads.nodes.get(index).map(|lead| lead.average).unwrap_or_default();
        (node.visits, [value, draw, lower, upper, square, weight, points, utility])
    }

    /// Recomputes each node of the path once more, since a recomputed sibling may be its child, and
    /// the node's parents.
    fn recompute_parents(&mut self, path: &[PathStep], changed: Option<NodeId>) {
        for node in changed.into_iter().chain(path.iter().rev().map(|step| step.node)) {
            self.recompute_expanded(node);
            let mut parents = std::mem::take(&mut self.queue);
            parents.clear();
            parents.extend(self.arena.side.parents(node).map(|parent| parent.0));
            for &parent in &parents {
                if !path.iter().any(|step| step.node.0 == parent) {
                    self.recompute_expanded(NodeId(parent));
                    self.counts.refreshes += 1;
                }
            }
            self.queue = parents;
        }
    }

    /// Recomputes a node and all its ancestors, children before parents: in reverse of the order in
    /// which a depth-first search along parents leaves them. On a cycle the node met first stays
    /// first.
    fn recompute_ancestors(&mut self, id: NodeId) {
        const MET: u32 = 1;
        let mut marks = std::mem::take(&mut self.marks);
        let mut order = std::mem::take(&mut self.queue);
        marks.clear();
        marks.resize(self.arena.nodes.len(), 0);
        order.clear();
        let mut stack = std::mem::take(&mut self.stack);
        stack.push((id, false));
        while let Some((node, is_left)) = stack.pop() {
            if is_left {
                order.push(node.0);
            } else if marks[node.index()] != MET {
                marks[node.index()] = MET;
                stack.push((node, true));
                for parent in self.arena.side.parents(node) {
                    if marks[parent.index()] != MET {
                        stack.push((parent, false));
                    }
                }
            }
        }
        for &node in order.iter().rev() {
            self.recompute_expanded(NodeId(node));
        }
        self.counts.refreshes += order.len() as u64;
        self.marks = marks;
        self.queue = order;
        self.stack = stack;
    }

    /// Recomputes the next nodes of the background sweep, whose rounds end with the root.
    fn sweep(&mut self, nodes: u32) {
        for _ in 0..nodes {
            if self.sweep == 0 {
                self.sweep = self.arena.nodes.len();
            }
            self.sweep -= 1;
            self.recompute_expanded(NodeId(self.sweep as u32));
            self.counts.refreshes += 1;
        }
        // The root is always up to date.
        self.recompute_expanded(ROOT);
    }

    /// Recomputes a node if it has children.
    fn recompute_expanded(&mut self, id: NodeId) {
        if self.arena.node(id).kind == Kind::Expanded {
            self.recompute_node(id);
        }
    }
}
