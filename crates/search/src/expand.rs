//! From an evaluation to a node: what a playout adds to the graph, and how it is counted.

use dz_game::{Game, Key, Move, Player, Status, Wdl, mix64};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    Search, TieBreak,
    arena::{Absolute, NodeId, Prior},
    backup, noise,
    root::RootEdge,
    walk::{PathStep, sign_of},
};

impl<G: Game> Search<G> {
    /// Takes the evaluation of the leaf: the chances of its mover and one prior a legal move. Does
    /// nothing if no leaf is open.
    pub fn apply(&mut self, wdl: Wdl, priors: &[f32]) {
        let Some(leaf) = self.leaf.take() else { return };
        debug_assert_eq!(leaf.legal.len(), priors.len(), "one prior a legal move");
        self.counts.playouts += 1;
        self.counts.evaluations += 1;
        let sign = sign_of(&self.game, &leaf.state, &leaf.history);
        let own = Absolute::of(wdl, f32::from(sign));
        match leaf.key {
            None => self.evaluate_root(own, &leaf.legal, priors),
            Some(key) => {
                self.sort_priors(&leaf.legal, priors, key);
                let id = self.arena.add(key, own, sign, &self.sorted);
                self.name(key, id);
                self.attach(leaf.root_edge, id);
                self.back_up(leaf.root_edge);
            }
        }
        self.legal = leaf.legal;
    }

    /// Forgets the leaf that waits, and the edges that its playout made but did not count.
    pub(crate) fn give_up_leaf(&mut self) {
        let Some(leaf) = self.leaf.take() else { return };
        for step in &self.path {
            self.arena.unlink_uncounted(step.node);
        }
        if let Some(edge) = self.root.edges.get_mut(leaf.root_edge).filter(|e| e.visits == 0) {
            edge.child = None;
        }
        self.legal = leaf.legal;
    }

    /// The node of a position: found by its key, or made if the game is over there.
    pub(crate) fn find_or_finish(
        &mut self,
        state: &G::State,
        history: &G::History,
        key: Key,
    ) -> Option<NodeId> {
        if self.params.graph
            && let Some(id) = self.table.get(key, &self.arena.keys)
        {
            self.counts.transpositions += 1;
            return Some(id);
        }
        let Status::Over(outcome) = self.game.status(state, history) else { return None };
        let own = Absolute::of(outcome.wdl_for(Player::First), 1.0);
        let id = self.arena.add(key, own, 1, &[]);
        self.name(key, id);
        Some(id)
    }

    /// The key of a node: the position's, or in a tree one of this path alone.
    pub(crate) fn key_of(&mut self, state: &G::State, history: &G::History) -> Key {
        if self.params.graph {
            return self.game.node_key(state, history);
        }
        self.private_keys += 1;
        Key { high: 0, low: self.private_keys }
    }

    /// Makes a node findable by its key; in a tree none ever is.
    pub(crate) fn name(&mut self, key: Key, id: NodeId) {
        if self.params.graph {
            self.table.insert(key, id, &self.arena.keys);
        }
    }

    /// Gives the last edge of the path its child.
    pub(crate) fn attach(&mut self, root_edge: usize, id: NodeId) {
        match self.path.last() {
            None => self.root.edges[root_edge].child = Some(id),
            Some(step) => self.arena.link(step.node, id),
        }
    }

    /// Counts the path's edges and recomputes its nodes from the last one up.
    pub(crate) fn back_up(&mut self, root_edge: usize) {
        for &PathStep { node, place } in self.path.iter().rev() {
            self.arena.edge_mut(node, place).visits += 1;
            backup::refresh(&mut self.arena, node);
        }
        self.root.edges[root_edge].visits += 1;
        let root = &mut self.root;
        (root.visits, root.average) = backup::refresh_root(&self.arena, root.own, &root.edges);
    }

    /// Sets the root's noisy priors from the evaluator's, this search's seed and its noise.
    pub(crate) fn mix_noise(&mut self) {
        let seed = self.seed;
        for (i, edge) in self.root.edges.iter_mut().enumerate() {
            edge.noisy_prior = match self.params.tie_break {
                TieBreak::LowestMove => edge.prior,
                // A crumb that orders equal priors at random and changes no others.
                TieBreak::Random => edge.prior + 1e-6 * random_share(seed, i as u64),
            };
        }
        if let Some(noise) = self.noise {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(mix64(self.seed ^ 0xd1a1));
            noise::mix(&mut self.root.edges, noise, &mut random);
        }
    }

    fn evaluate_root(&mut self, own: Absolute, legal: &[Move], priors: &[f32]) {
        let edge = |(&mv, &prior): (&Move, &f32)| RootEdge {
            mv,
            prior,
            noisy_prior: prior,
            child: None,
            visits: 0,
        };
        self.root.edges.extend(legal.iter().zip(priors).map(edge));
        (self.root.own, self.root.average, self.root.visits) = (own, own, 1);
        self.mix_noise();
    }

    /// Sorts a new node's moves by falling prior, ties as the parameters say.
    fn sort_priors(&mut self, legal: &[Move], priors: &[f32], key: Key) {
        let salt = self.seed ^ mix64(key.low);
        let tie_break = self.params.tie_break;
        let tie = |mv: u16| match tie_break {
            TieBreak::LowestMove => u64::from(mv),
            TieBreak::Random => mix64(salt ^ mix64(u64::from(mv))) >> 16,
        };
        let in_order = &mut self.in_order;
        in_order.clear();
        in_order.extend(legal.iter().zip(priors).map(|(mv, &prior)| {
            let prior = Prior::new(mv.0, prior);
            (prior.rank() << 48 | tie(mv.0), prior)
        }));
        // Where all priors are equal the moves are in order already.
        if !in_order.is_sorted_by_key(|(rank, _)| *rank) {
            in_order.sort_unstable_by_key(|(rank, _)| *rank);
        }
        self.sorted.clear();
        self.sorted.extend(in_order.iter().map(|(_, prior)| *prior));
    }
}

/// A number in [0, 1); the complement keeps these words apart from those of leaves.
fn random_share(seed: u64, index: u64) -> f32 {
    (mix64(seed ^ mix64(!index)) >> 40) as f32 / (1u64 << 24) as f32
}
