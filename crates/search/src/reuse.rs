//! Reuse between moves: what is reachable from the move played stays, all else goes.

use dz_game::{Game, Move};

use crate::{
    Search,
    arena::{Arena, NodeId},
    root::RootEdge,
    walk::sign_of,
};

impl<G: Game> Search<G> {
    /// Plays a legal move at the root. With `keep`, the part of the graph that is reachable from the
    /// child stays, and the child is copied into the root; else the search starts empty.
    pub fn advance(&mut self, mv: Move, keep: bool) {
        self.give_up_leaf();
        let child = self.root.edges.iter().find(|e| e.mv == mv).and_then(|edge| edge.child);
        let game = self.game().clone();
        game.advance(&mut self.root.state, &mut self.root.history, mv);
        self.root.sign = sign_of(&game, &self.root.state, &self.root.history);
        self.root.edges.clear();
        self.root.visits = 0;
        match child.filter(|&id| keep && !self.arena.node(id).is_terminal()) {
            Some(id) => self.keep_from(id),
            None => self.arena.clear(),
        }
        self.table.clear();
        for index in 0..self.arena.nodes.len() {
            self.name(self.arena.keys[index], NodeId(index as u32));
        }
    }

    /// Copies child `id` into the root and everything below it into a new arena, breadth first, so
    /// that nodes lie in the order in which they are met.
    fn keep_from(&mut self, id: NodeId) {
        let old = std::mem::take(&mut self.arena);
        let mut places: Vec<Option<NodeId>> = vec![None; old.nodes.len()];
        let mut queue: Vec<NodeId> = Vec::new();
        let mut fresh = Arena::default();
        let mut place_of = |child: NodeId, fresh: &mut Arena, queue: &mut Vec<NodeId>| {
            *places[child.index()].get_or_insert_with(|| {
                queue.push(child);
                fresh.copy_from(&old, child)
            })
        };
        let node = old.node(id);
        let edges = old.edges(node);
        for (place, prior) in old.priors(node).iter().enumerate() {
            let edge = edges.get(place);
            self.root.edges.push(RootEdge {
                mv: Move(prior.mv),
                prior: prior.probability(),
                noisy_prior: prior.probability(),
                child: edge.map(|edge| place_of(edge.child, &mut fresh, &mut queue)),
                visits: edge.map_or(0, |edge| edge.visits),
            });
        }
        self.root.edges.sort_by_key(|edge| edge.mv);
        let root = &mut self.root;
        (root.own, root.average, root.visits) = (node.own, node.average, node.visits);
        let mut next = 0;
        while next < queue.len() {
            // Nodes are copied in the order of the queue, so the copy of entry `next` is node `next`.
            let copy = NodeId(next as u32);
            for place in 0..usize::from(fresh.node(copy).visited) {
                let child = fresh.edge_mut(copy, place).child;
                let moved = place_of(child, &mut fresh, &mut queue);
                fresh.edge_mut(copy, place).child = moved;
            }
            next += 1;
        }
        self.arena = fresh;
    }
}
