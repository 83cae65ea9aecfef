//! Backup: how a playout changes the nodes on its path.

use crate::{
    Backup, Numbers, Revisit, Search, Staleness,
    arena::Arena,
    domain::Domain,
    node::NodeId,
    numbers::Real,
    path::PathStep,
    sums::{is_split, rollout_share},
    value::ValueAbs,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Counts `weight` visits on each edge of the path and updates its nodes, the last one first.
    /// `sample` is the value at the path's end. `changed` is the node there, if it is known to
    /// other parents and has a new value.
    pub(crate) fn back_up(
        &mut self,
        path: &[PathStep],
        changed: Option<NodeId>,
        sample: ValueAbs<N::Real>,
        weight: u32,
    ) {
        let mut sample = sample;
        for &PathStep { node, place } in path.iter().rev() {
            self.arena.edge_mut(node, place).visits += weight;
            match self.params.backup {
                Backup::Idempotent => self.recompute_node(node),
                Backup::Incremental => self.arena.average_in(node, sample, weight),
                Backup::Delta { clamp, .. } => {
                    let step = PathStep { node, place };
                    sample = self.arena.correct_edge(step, sample, weight, clamp);
                    self.arena.average_in(node, sample, weight);
                    if self.arena.side.uses_squares {
                        // Squares of corrections say nothing of how much values vary.
                        let count = N::Real::from_u32(self.arena.node(node).visits);
                        let own = self.arena.node(node).own;
                        self.arena.recompute_square(node, own, count);
                    }
                }
            }
            if self.params.prove && self.params.backup != Backup::Idempotent {
                self.prove(node);
            }
        }
        if self.params.staleness != Staleness::Path {
            self.recompute_stale(path, changed);
        }
    }

    /// Recomputes a node from its children: N, Q and, where it is kept, the second moment.
    #[allow(clippy::inline_always, reason = "a call on each step takes 2 % more instructions")]
    #[inline(always)]
    pub(crate) fn recompute_node(&mut self, id: NodeId) {
        if is_split(&self.params) {
            self.arena.recompute_halves(id, rollout_share(&self.params));
            if self.params.prove {
                self.prove(id);
            }
            return;
        }
        if matches!(self.params.backup, Backup::Delta { .. }) {
            self.arena.copy_child_averages(id);
        }
        let draws = self.counts_cycles_as_draws();
        if self.has_more_to_average {
            self.recompute_more(id, draws);
            return;
        }
        self.arena.recompute_average(id, draws);
        if self.params.prove {
            self.prove(id);
        }
    }
}

impl<D: Domain, N: Numbers> Search<D, N> {
    /// True if visits that close a cycle count as draws.
    pub(crate) fn counts_cycles_as_draws(&self) -> bool {
        self.params.revisit == Revisit::Draw && self.arena.side.uses_edges
    }

    /// Recomputes a node with a corrected value, by weights, with its lead, or all of these.
    // Not inlined, so that searches without are as fast as before.
    #[inline(never)]
    fn recompute_more(&mut self, id: NodeId, draws: bool) {
        let own = match &self.params.value_bias {
            Some(bias) => self.arena.observe_error(id, bias, draws),
            None => self.arena.node(id).own,
        };
        if self.arena.side.uses_weights {
            self.arena.average_by_weights(id, own, draws);
        } else {
            self.arena.average_with(id, own, draws);
        }
        self.average_leads(id, draws);
        if self.params.prove {
            self.prove(id);
        }
    }
}

impl<N: Numbers> Arena<N> {
    /// Recomputes a node's visits and its average from its own value and its children.
    pub(crate) fn recompute_average(&mut self, id: NodeId, draws: bool) {
        self.average_with(id, self.node(id).own, draws);
    }

    /// `N = N_own + sum N(a)`, `Q = (N_own U + sum N(a) Q(a)) / N`, summed in the order of the
    /// edges; `own` is U. With `draws`, visits that closed a cycle count as draws.
    #[allow(clippy::inline_always, reason = "its first line then costs nothing")]
    #[inline(always)]
    pub(crate) fn average_with(&mut self, id: NodeId, own: ValueAbs<N::Real>, draws: bool) {
        let node = self.node(id);
        let mut visits = node.own_visits;
        let mut sum = own.times(N::Real::from_u32(node.own_visits));
        let edges = self.edges(node);
        for edge in edges {
            visits += edge.visits;
            sum.add(self.node(edge.child).average, N::Real::from_u32(edge.visits));
        }
        if draws {
            for (place, edge) in edges.iter().enumerate() {
                let closed = N::Real::from_u32(self.edge_side(node, place).cycle_draws);
                sum.add(self.node(edge.child).average, -closed);
                sum.draw += closed;
            }
        }
        let count = N::Real::from_u32(visits);
        let average = ValueAbs { value: sum.value / count, draw: sum.draw / count };
        if self.side.uses_nodes {
            self.recompute_square(id, own, count);
        }
        let node = self.node_mut(id);
        node.visits = visits;
        node.average = average;
    }

    /// Sets the average that each edge caches to its child's average.
    fn copy_child_averages(&mut self, id: NodeId) {
        let node = *self.node(id);
        for place in 0..usize::from(node.visited) {
            let child = self.edges(&node)[place].child;
            self.edge_side_mut(id, place).average = self.node(child).average;
        }
    }

    /// `E(n) = (N_own U^2 + sum N(a) E(a)) / N`, or by weights; `own` is U, `count` N or W.
    pub(crate) fn recompute_square(&mut self, id: NodeId, own: ValueAbs<N::Real>, count: N::Real) {
        let node = self.node(id);
        let own = own.value * own.value * self.own_weight(id);
        let edges = self.edges(node).iter();
        let square = |edge: &crate::node::Edge| {
            self.weight_of(edge) * self.side.nodes[edge.child.index()].square
        };
        let sum = edges.fold(own, |sum, edge| sum + square(edge));
        self.side.nodes[id.index()].square = sum / count;
    }

    /// Counts `weight` visits and moves the node's average towards their sample.
    pub(crate) fn average_in(&mut self, id: NodeId, sample: ValueAbs<N::Real>, weight: u32) {
        let node = self.node_mut(id);
        node.visits += weight;
        let count = N::Real::from_u32(node.visits);
        let weight = N::Real::from_u32(weight);
        node.average.average_in(sample, weight, count);
        if self.side.uses_nodes {
            let side = &mut self.side.nodes[id.index()];
            side.square += weight * (sample.value * sample.value - side.square) / count;
        }
    }

    /// Averages `weight` samples of one value into an edge and returns the sample for the node
    /// above. If other parents share the child, the sample is replaced by the one that brings the
    /// edge to the child's value.
    fn correct_edge(
        &mut self,
        step: PathStep,
        sample: ValueAbs<N::Real>,
        weight: u32,
        clamp: bool,
    ) -> ValueAbs<N::Real> {
        let PathStep { node: id, place } = step;
        let node = self.node(id);
        let edge = self.edges(node)[place];
        let child = self.node(edge.child);
        // The visits are counted already; before them the average had as many samples less.
        let before = N::Real::from_u32(edge.visits - weight);
        let times = N::Real::from_u32(weight);
        let known = self.edge_side(node, place).average;
        let shared = child.visits != edge.visits;
        let mut sample = sample;
        if shared {
            let target = child.average;
            sample.value = before * (target.value - known.value) / times + target.value;
            sample.draw = before * (target.draw - known.draw) / times + target.draw;
            if clamp {
                let one = N::Real::ONE;
                sample.value = sample.value.max(-one).min(one);
                sample.draw = sample.draw.max(N::Real::ZERO).min(one);
            }
        }
        let count = N::Real::from_u32(edge.visits);
        let side = self.edge_side_mut(id, place);
        if edge.visits == weight {
            side.average = sample;
        } else {
            side.average.average_in(sample, times, count);
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use dz_game::Key;

    use super::*;
    use crate::{
        Exact, SearchParams,
        node::{Kind, NewNode},
        numbers::Prior,
        side::Side,
    };

    /// A node of an example: U, and edges' visits with the children's values.
    struct Example {
        arena: Arena<Exact>,
        id: NodeId,
        children: Vec<NodeId>,
    }

    impl Example {
        fn new(own: f64, children: &[(u32, f64)]) -> Self {
            let mut arena = Arena::new(Side::new(&SearchParams::default(), true, None));
            // Node 0 is the root, to which no edge leads.
            add(&mut arena, 0.0);
            let id = add(&mut arena, own);
            arena.expand(id, (0..8).map(|mv| Prior::new(mv, 0.1)));
            let mut this = Self { arena, id, children: Vec::new() };
            for &(visits, q) in children {
                this.link(visits, q);
            }
            this
        }

        fn link(&mut self, visits: u32, q: f64) {
            let child = add(&mut self.arena, q);
            let place = self.arena.link(self.id, self.children.len());
            let edge = self.arena.edge_mut(self.id, place);
            edge.child = child;
            edge.visits = visits;
            self.children.push(child);
        }

        fn set(&mut self, child: usize, visits: u32, q: f64) {
            self.arena.edge_mut(self.id, child).visits = visits;
            self.arena.node_mut(self.children[child]).average.value = q;
        }

        #[track_caller]
        fn assert(&mut self, visits: u32, q: f64) {
            self.arena.recompute_average(self.id, false);
            let node = self.arena.node(self.id);
            assert_eq!(node.visits, visits);
            assert!((node.average.value - q).abs() < 1e-12, "{} is not {q}", node.average.value);
        }
    }

    fn add(arena: &mut Arena<Exact>, value: f64) -> NodeId {
        let own = ValueAbs { value, draw: 0.0 };
        arena.add(NewNode { key: Key::default(), own, sign: 1, kind: Kind::Expanded })
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 5e-7, "{a} is not {b}");
    }

    /// Node A of D. J. Wu's document: its child C learns from another parent, and A catches up in
    /// one update, where a running average stays near 0.38.
    #[test]
    fn a_node_uses_all_that_its_children_learnt() {
        let mut a = Example::new(0.40, &[(1, 0.38), (28, 0.39)]);
        a.assert(30, 0.39);
        a.set(1, 28, 0.51);
        a.assert(30, 0.5020);
        a.set(0, 2, 0.31);
        a.link(1, 0.25);
        a.assert(32, 0.485_937_5);
        // The second visit of B brought 2 * 0.31 - 0.38.
        near((30.0 * 0.39 + (2.0 * 0.31 - 0.38) + 0.25) / 32.0, 0.380_937_5);
    }

    /// Node D there: 110 visits of its child F, of which D made one, count as one.
    #[test]
    fn visits_of_other_parents_do_not_count() {
        let mut d = Example::new(0.52, &[(30, 0.56), (1, 0.28)]);
        d.assert(32, 0.55);
        let f = d.children[1];
        d.arena.node_mut(f).visits = 110;
        d.set(1, 1, 0.26);
        d.assert(32, 0.549_375);
        // What the two unsound rules make of it: all playouts of F counted for D, or F's visits as
        // weights.
        near((32.0 * 0.55 + (110.0 * 0.26 - 10.0 * 0.28)) / 132.0, 0.328_788);
        near((0.52 + 30.0 * 0.56 + 110.0 * 0.26) / 141.0, 0.325_674);
    }

    /// The tree of the document's first figures: wins by visits on the way up from a won leaf.
    #[test]
    fn a_playout_in_a_tree_is_a_running_average() {
        let mut low = Example::new(0.0, &[(1, 1.0)]);
        low.assert(2, 1.0 / 2.0);
        low.link(1, 1.0);
        low.assert(3, 2.0 / 3.0);
        let mut middle = Example::new(1.0, &[(2, 1.0 / 2.0)]);
        middle.assert(3, 2.0 / 3.0);
        middle.set(0, 3, 2.0 / 3.0);
        middle.assert(4, 3.0 / 4.0);
        let mut top = Example::new(0.0, &[(3, 2.0 / 3.0), (2, 1.0 / 2.0)]);
        top.assert(6, 3.0 / 6.0);
        top.set(0, 4, 3.0 / 4.0);
        top.assert(7, 4.0 / 7.0);
    }

    /// Czech, Korus and Kersting 2021: the sample that goes up brings the edge to the child's
    /// value.
    #[test]
    fn a_corrected_sample_brings_the_edge_to_its_child() {
        let delta = Backup::Delta { tolerance: 0.01, clamp: false };
        for (clamp, sample, edge) in
            [(false, 10.0 * (0.5 - 0.2) + 0.5, 0.5), (true, 1.0, 3.0 / 11.0)]
        {
            let mut node = Example::new(0.0, &[(11, 0.5)]);
            let params = SearchParams { backup: delta, ..SearchParams::default() };
            node.arena.side = Side::new(&params, true, None);
            let known = ValueAbs { value: 0.2, draw: 0.0 };
            node.arena.side.edges.resize(8, crate::side::EdgeSide::default());
            node.arena.edge_side_mut(node.id, 0).average = known;
            let step = PathStep { node: node.id, place: 0 };
            let up = node.arena.correct_edge(step, known, 1, clamp);
            near(up.value, sample);
            near(node.arena.edge_side_mut(node.id, 0).average.value, edge);
        }
    }
}
