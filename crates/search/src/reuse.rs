//! Reuse between moves: the part of the graph that the played move leads to stays.

use dz_game::Move;

use crate::{
    Numbers, Search,
    arena::Arena,
    domain::Domain,
    node::{NodeId, ROOT},
    numbers::{Prior, Real},
    side::EdgeSide,
};

/// A node that is not kept.
const GONE: u32 = u32::MAX;

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Plays a legal move at the root. With `keep`, the part of the graph that is reachable from
    /// the child stays, and the child is copied into the root; else the search starts empty.
    pub fn advance(&mut self, mv: Move, keep: bool) {
        self.drop_leaves();
        let child = self.child_of(mv);
        self.domain.advance(&mut self.root_state, &mut self.root_history, mv);
        self.note_new_root();
        self.root_last = Some(mv);
        self.allowed.clear();
        match child.filter(|&id| keep && self.can_be_root(id)) {
            Some(id) => self.keep_subgraph(id),
            None => self.clear_root(),
        }
    }

    /// The node that a move at the root leads to, once it was visited.
    pub(crate) fn child_of(&self, mv: Move) -> Option<NodeId> {
        let root = self.arena.nodes.first()?;
        let place = self.arena.priors(root).iter().position(|prior| prior.mv() == mv.0)?;
        let edge = self.arena.edges(root).get(place)?;
        (edge.child != ROOT).then_some(edge.child)
    }

    /// Copies child `id` into the root and moves everything below it together, all in place: nodes
    /// keep their order, so nothing that stays is overwritten before it has moved.
    fn keep_subgraph(&mut self, id: NodeId) {
        let copy = self.arena.duplicate(id);
        if self.params.check_states {
            self.states.push(self.states[id.index()].clone());
        }
        let mut places = std::mem::take(&mut self.marks);
        let mut order = std::mem::take(&mut self.queue);
        self.mark(copy, &mut places, &mut order);
        self.arena.compact_moves(&order);
        self.arena.compact_edges(&mut order);
        self.arena.relink_children(&order, &places);
        self.free_buckets(&places);
        self.move_nodes(copy, &places);
        self.arena.side.buckets.settle();
        self.marks = places;
        self.queue = order;
        self.rebuild_parents();
        self.table.clear();
        if self.params.graph {
            for index in 1..self.arena.nodes.len() {
                let key = self.arena.keys[index];
                self.table.insert(key, NodeId(index as u32), &self.arena.keys);
            }
        }
        self.copy_root_moves();
        self.sweep = 0;
    }

    /// Fills `order` with all nodes reachable from `root`, itself included, ascending by where
    /// their moves stand, and `places` with every node's future place.
    fn mark(&self, root: NodeId, places: &mut Vec<u32>, order: &mut Vec<u32>) {
        places.clear();
        places.resize(self.arena.nodes.len(), GONE);
        order.clear();
        order.push(root.0);
        places[root.index()] = 0;
        let mut next = 0;
        while next < order.len() {
            let node = self.arena.node(NodeId(order[next]));
            for edge in self.arena.edges(node) {
                let place = &mut places[edge.child.index()];
                if *place == GONE {
                    *place = 0;
                    order.push(edge.child.0);
                }
            }
            next += 1;
        }
        // The root comes first; the others keep their order.
        order.sort_unstable();
        for (place, &node) in (1..).zip(order.iter().filter(|&&node| node != root.0)) {
            places[node as usize] = place;
        }
        places[root.index()] = 0;
        sort_by_key(order, &mut |node| self.arena.node(NodeId(node)).priors);
    }

    /// Notes which nodes are gone, for the buckets that they were in. The new root is in none.
    fn free_buckets(&mut self, places: &[u32]) {
        let Some(bias) = self.params.value_bias else { return };
        for (index, _) in places.iter().enumerate().filter(|(_, place)| **place == GONE) {
            self.arena.side.buckets.free(index, bias.freed);
        }
    }

    /// Moves the nodes that stay to their places.
    fn move_nodes(&mut self, root: NodeId, places: &[u32]) {
        let root_node = self.arena.nodes[root.index()];
        let mut kept = 1;
        for (old, &place) in places.iter().enumerate().skip(1) {
            if place == GONE || old == root.index() {
                continue;
            }
            let new = place as usize;
            self.arena.move_node(old, new);
            if self.params.check_states {
                self.states.swap(old, new);
            }
            kept = new + 1;
        }
        self.arena.move_node(root.index(), 0);
        self.arena.nodes[0] = root_node;
        self.arena.truncate(kept);
        if self.params.check_states {
            self.states.swap(root.index(), 0);
            self.states.truncate(kept);
        }
    }

    fn rebuild_parents(&mut self) {
        if !self.arena.side.uses_parents {
            return;
        }
        self.arena.side.forget_parents();
        for index in 0..self.arena.nodes.len() {
            let node = self.arena.nodes[index];
            for place in 0..usize::from(node.visited) {
                let child = self.arena.edges(&node)[place].child;
                self.arena.side.add_parent(child, NodeId(index as u32));
            }
        }
    }

    /// The root's legal moves and priors, from its node.
    fn copy_root_moves(&mut self) {
        let node = self.arena.node(ROOT);
        // Targets may take logarithms.
        let prior = |stored: &N::Prior| stored.probability().max(N::Real::from_f64(N::PRIOR_MIN));
        let priors = self.arena.priors(node);
        let mut moves: Vec<(Move, usize)> = priors.iter().map(|p| Move(p.mv())).zip(0..).collect();
        moves.sort_unstable();
        self.root_legal.clear();
        self.root_legal.extend(moves.iter().map(|(mv, _)| *mv));
        self.root_priors.clear();
        self.root_priors.extend(moves.iter().map(|&(_, place)| prior(&priors[place])));
    }
}

/// Not generic, so that it is compiled once and not for every game.
fn sort_by_key(order: &mut [u32], key: &mut dyn FnMut(u32) -> u32) {
    order.sort_by_key(|&id| key(id));
}

impl<N: Numbers> Arena<N> {
    /// Adds a copy of a node, its edges and its moves.
    fn duplicate(&mut self, id: NodeId) -> NodeId {
        let copy = NodeId(self.nodes.len() as u32);
        let mut node = *self.node(id);
        let edges = node.edges as usize;
        let moves = node.priors as usize;
        self.nodes.push(node);
        self.keys.push(self.keys[id.index()]);
        if self.side.uses_nodes {
            self.side.nodes.push(self.side.nodes[id.index()]);
        }
        if self.side.uses_halves {
            self.side.halves.push(self.side.halves[id.index()]);
        }
        if self.side.uses_buckets {
            self.side.buckets.add_node();
        }
        if self.side.uses_leads {
            self.side.leads.nodes.push(self.side.leads.nodes[id.index()]);
        }
        if self.side.uses_weights {
            self.side.weights.push(self.side.weights[id.index()]);
        }
        node.edges = self.edges.len() as u32;
        node.priors = self.priors.len() as u32;
        self.edges.extend_from_within(edges..edges + node.capacity());
        self.priors.extend_from_within(moves..moves + usize::from(node.moves));
        if self.side.uses_edges {
            self.side.edges.extend_from_within(edges..edges + node.capacity());
        }
        if self.side.uses_moves {
            self.side.moves.extend_from_within(moves..moves + usize::from(node.moves));
        }
        self.nodes[copy.index()] = node;
        copy
    }

    /// Moves the legal moves of the nodes in `order`, ascending by where they stand, to the front.
    fn compact_moves(&mut self, order: &[u32]) {
        let mut free = 0;
        for &id in order {
            let node = &mut self.nodes[id as usize];
            let first = node.priors as usize;
            let moves = usize::from(node.moves);
            node.priors = free as u32;
            self.priors.copy_within(first..first + moves, free);
            if self.side.uses_moves {
                self.side.moves.copy_within(first..first + moves, free);
            }
            free += moves;
        }
        self.priors.truncate(free);
        if self.side.uses_moves {
            self.side.moves.truncate(free);
        }
    }

    /// The same for edges; sorts `order` by where they stand.
    fn compact_edges(&mut self, order: &mut [u32]) {
        sort_by_key(order, &mut |id| self.nodes[id as usize].edges);
        let mut free = 0;
        for &id in order.iter() {
            let node = &mut self.nodes[id as usize];
            let first = node.edges as usize;
            let room = node.capacity();
            node.edges = free as u32;
            self.edges.copy_within(first..first + room, free);
            if self.side.uses_edges {
                self.side.edges.copy_within(first..first + room, free);
            }
            free += room;
        }
        self.edges.truncate(free);
        if self.side.uses_edges {
            self.side.edges.resize(free, EdgeSide::default());
        }
    }

    /// Sends the edges of the nodes in `order` to their children's new places.
    fn relink_children(&mut self, order: &[u32], places: &[u32]) {
        for &id in order {
            let node = self.nodes[id as usize];
            let first = node.edges as usize;
            for edge in &mut self.edges[first..first + usize::from(node.visited)] {
                edge.child = NodeId(places[edge.child.index()]);
            }
        }
    }

    fn move_node(&mut self, old: usize, new: usize) {
        self.nodes[new] = self.nodes[old];
        self.keys[new] = self.keys[old];
        if self.side.uses_nodes {
            self.side.nodes[new] = self.side.nodes[old];
        }
        if self.side.uses_halves {
            self.side.halves[new] = self.side.halves[old];
        }
        if self.side.uses_buckets {
            self.side.buckets.move_node(old, new);
        }
        if self.side.uses_leads {
            self.side.leads.move_node(old, new);
        }
        if self.side.uses_weights {
            self.side.weights[new] = self.side.weights[old];
        }
    }

    fn truncate(&mut self, nodes: usize) {
        self.nodes.truncate(nodes);
        self.keys.truncate(nodes);
        if self.side.uses_nodes {
            self.side.nodes.truncate(nodes);
        }
        if self.side.uses_halves {
            self.side.halves.truncate(nodes);
        }
        if self.side.uses_buckets {
            self.side.buckets.truncate(nodes);
        }
        self.side.leads.nodes.truncate(nodes);
        self.side.weights.truncate(nodes);
    }
}
