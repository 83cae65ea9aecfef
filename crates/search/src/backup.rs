//! Backup: what a playout changes on its path.

use crate::{
    Backup, Numbers, Revisit, Search,
    arena::{Absolute, Arena, NodeId},
    domain::Domain,
    numbers::Real,
    walk::PathStep,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Counts the path's edges and brings its nodes up to date from the last one up; `sample` is what
    /// the playout found at its end. `changed` is the node where it ended, if that was known to others
    /// and has a new value.
    pub(crate) fn back_up(
        &mut self,
        path: &[PathStep],
        changed: Option<NodeId>,
        sample: Absolute<N::Real>,
    ) {
        let mut sample = sample;
        for &PathStep { node, place } in path.iter().rev() {
            self.arena.edge_mut(node, place).visits += 1;
            match self.params.backup {
                Backup::Idempotent => self.refresh(node),
                Backup::Incremental => self.arena.average_in(node, sample),
                Backup::Delta { clamp, .. } => {
                    sample = self.arena.catch_up(node, place, sample, clamp);
                    self.arena.average_in(node, sample);
                    if self.params.keeps_moments() {
                        // Squares of corrections say nothing of how much values vary.
                        let count = N::Real::count(self.arena.node(node).visits);
                        self.arena.refresh_square(node, count);
                    }
                }
            }
            if self.params.prove && self.params.backup != Backup::Idempotent {
                self.prove(node);
            }
        }
        self.freshen(path, changed);
    }

    /// Recomputes a node from its children: N, Q and, where it is kept, the second moment.
    pub(crate) fn refresh(&mut self, id: NodeId) {
        if matches!(self.params.backup, Backup::Delta { .. }) {
            self.arena.synchronise(id);
        }
        let draws = self.params.revisit == Revisit::Draw && self.arena.side.uses_edges;
        self.arena.refresh(id, draws);
        if self.params.prove {
            self.prove(id);
        }
    }
}

impl<N: Numbers> Arena<N> {
    /// `N = N_own + sum N(a)`, `Q = (N_own U + sum N(a) Q(a)) / N`, summed in the order of the edges. With
    /// `draws`, visits that closed a cycle count as draws.
    pub(crate) fn refresh(&mut self, id: NodeId, draws: bool) {
        let node = self.node(id);
        let mut visits = node.own_visits;
        let own = N::Real::count(node.own_visits);
        let mut sum = Absolute { value: own * node.own.value, draw: own * node.own.draw };
        let edges = self.edges(node);
        for edge in edges {
            visits += edge.visits;
            sum.add(self.node(edge.child).average, N::Real::count(edge.visits));
        }
        if draws {
            for (place, edge) in edges.iter().enumerate() {
                let closed = N::Real::count(self.edge_side(node, place).cycle_draws);
                sum.add(self.node(edge.child).average, -closed);
                sum.draw += closed;
            }
        }
        let count = N::Real::count(visits);
        let average = Absolute { value: sum.value / count, draw: sum.draw / count };
        if self.side.uses_nodes {
            self.refresh_square(id, count);
        }
        let node = self.node_mut(id);
        (node.visits, node.average) = (visits, average);
    }

    /// Sets what a node's edges cache to what their children are worth.
    fn synchronise(&mut self, id: NodeId) {
        let node = *self.node(id);
        for place in 0..usize::from(node.visited) {
            let child = self.edges(&node)[place].child;
            self.edge_side_mut(id, place).average = self.node(child).average;
        }
    }

    /// `E(n) = (N_own U^2 + sum N(a) E(a)) / N`.
    fn refresh_square(&mut self, id: NodeId, count: N::Real) {
        let node = self.node(id);
        let own = node.own.value * node.own.value * N::Real::count(node.own_visits);
        let edges = self.edges(node).iter();
        let square = |edge: &crate::arena::Edge| {
            N::Real::count(edge.visits) * self.side.nodes[edge.child.index()].square
        };
        let sum = edges.fold(own, |sum, edge| sum + square(edge));
        self.side.nodes[id.index()].square = sum / count;
    }

    /// Counts a visit and moves the node's average towards its sample.
    fn average_in(&mut self, id: NodeId, sample: Absolute<N::Real>) {
        let node = self.node_mut(id);
        node.visits += 1;
        let count = N::Real::count(node.visits);
        node.average.average_in(sample, count);
        if self.side.uses_nodes {
            let side = &mut self.side.nodes[id.index()];
            side.square += (sample.value * sample.value - side.square) / count;
        }
    }

    /// Moves an edge's average towards a sample, which is first made to bring it to the child's value if
    /// others share the child; answers the sample that goes on up.
    fn catch_up(
        &mut self,
        id: NodeId,
        place: usize,
        sample: Absolute<N::Real>,
        clamp: bool,
    ) -> Absolute<N::Real> {
        let node = self.node(id);
        let edge = self.edges(node)[place];
        let child = self.node(edge.child);
        // The visit is counted already; before it the average had one sample less.
        let before = N::Real::count(edge.visits - 1);
        let known = self.edge_side(node, place).average;
        let shared = child.visits != edge.visits;
        let mut sample = sample;
        if shared {
            let target = child.average;
            sample.value = before * (target.value - known.value) + target.value;
            sample.draw = before * (target.draw - known.draw) + target.draw;
            if clamp {
                let one = N::Real::ONE;
                sample.value = sample.value.at_least(-one).at_most(one);
                sample.draw = sample.draw.at_least(N::Real::ZERO).at_most(one);
            }
        }
        let count = N::Real::count(edge.visits);
        let side = self.edge_side_mut(id, place);
        if edge.visits == 1 {
            side.average = sample;
        } else {
            side.average.average_in(sample, count);
        }
        sample
    }
}
