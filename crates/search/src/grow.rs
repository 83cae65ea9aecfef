//! Episodes: all positions of a rollout enter the graph, as texts have it that update n(s, a) and
//! Q(s, a) for each step of the game that was played.
//!
//! Such a node has no evaluation of its own, so its visits are those of its edges alone, and
//! Q(s, a) is the mean outcome of the episodes through it. In a graph the positions are shared with
//! other paths as all nodes are.

use dz_game::{Move, Player};

use crate::{
    Backup, Numbers, Search, Terminals,
    domain::{Domain, Status},
    node::{Kind, NewNode, NodeId, ROOT},
    numbers::{Prior, Real},
    path::{Awaited, PathStep, Played, Walk},
    value::ValueAbs,
};

/// Where an episode stands.
struct Reached<D: Domain> {
    node: NodeId,
    state: D::State,
    history: D::History,
}

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Adds a leaf that has all its answers, and every position of its rollouts.
    pub(crate) fn grow_episodes(
        &mut self,
        walk: &mut Walk<D, N>,
        priors: &[N::Real],
        heuristics: &[N::Real],
    ) {
        let leaf = self.episode_leaf(walk, priors, heuristics);
        self.arena.set_visits(leaf, 0);
        let rollouts = std::mem::take(&mut walk.rollouts);
        let depth = walk.path.len();
        let mut begin = 0;
        for rollout in &rollouts {
            self.count_episode(leaf, walk, begin, rollout);
            walk.path.truncate(depth);
            begin = rollout.moves_end;
        }
        walk.rollouts = rollouts;
    }

    /// The leaf's node with its legal moves, and an edge that leads to it.
    fn episode_leaf(
        &mut self,
        walk: &Walk<D, N>,
        priors: &[N::Real],
        heuristics: &[N::Real],
    ) -> NodeId {
        let own = ValueAbs::default();
        match walk.awaited {
            Awaited::Root => {
                self.evaluate_root(walk, own, priors, heuristics);
                ROOT
            }
            Awaited::Known(id) => id,
            Awaited::New(key) => {
                let new = NewNode { key, own, sign: walk.sign, kind: Kind::Expanded };
                let id = self.add_node(new, &walk.state);
                if let Some(&PathStep { node, place }) = walk.path.last() {
                    self.attach(node, place, id);
                }
                self.expand(id, &walk.legal, priors, heuristics);
                id
            }
        }
    }

    /// Enters an episode's moves from `leaf` on and counts its outcome. The walk's path is the
    /// whole episode afterwards, as far as it was entered.
    fn count_episode(
        &mut self,
        leaf: NodeId,
        walk: &mut Walk<D, N>,
        begin: usize,
        rollout: &Played<N::Real>,
    ) {
        let state = walk.state.clone();
        let history = walk.history.clone();
        let mut reached = Reached { node: leaf, state, history };
        let mut entered = begin;
        while entered < rollout.moves_end {
            let (_, mv) = walk.rollout_moves[entered];
            if !self.has_room_for_episodes() || !self.enter(&mut reached, mv, walk) {
                break;
            }
            entered += 1;
        }
        self.end_episode(&reached, rollout.outcome, walk.random);
        self.back_up(&walk.path, Some(reached.node), rollout.outcome, 1);
        let rest: &[(Player, Move)] = &walk.rollout_moves[entered..rollout.moves_end];
        self.update_amaf(&walk.path, rest, rollout.outcome, 1);
    }

    /// True if a node can be added without taking the room of playouts to come, or half of all.
    fn has_room_for_episodes(&self) -> bool {
        let taken = self.node_count() + self.open_count as usize;
        let room = (self.params.nodes_max as usize).saturating_sub(taken);
        let reserved = self.playouts_left().min(self.params.nodes_max / 2) as usize;
        room > reserved && !self.arena.is_full()
    }

    /// Makes a move of an episode and adds its position. Returns false where it cannot continue: at
    /// a move that is not searched, before a leaf that waits, and at a position that the path has
    /// had. The node that was reached stays then.
    fn enter(&mut self, reached: &mut Reached<D>, mv: Move, walk: &mut Walk<D, N>) -> bool {
        let id = reached.node;
        let node = *self.arena.node(id);
        let found = self.arena.priors(&node).iter().position(|prior| prior.mv() == mv.0);
        let Some(place) = found else { return false };
        let known = self.arena.edges(&node).get(place).map(|edge| edge.child);
        if known == Some(ROOT) {
            return false;
        }
        let Reached { state, history, .. } = reached;
        self.domain.advance(state, history, mv);
        let Some(child) = known.or_else(|| self.episode_node(state, history)) else {
            return false;
        };
        if !self.domain.acyclic() && (child == id || walk.path.iter().any(|s| s.node == child)) {
            return false;
        }
        let place = if known.is_some() {
            place
        } else {
            let place = self.arena.link(id, place);
            self.attach(id, place, child);
            place
        };
        walk.path.push(PathStep { node: id, place });
        reached.node = child;
        true
    }

    /// The node of an episode's position, found or made. `None` where a leaf waits for it.
    fn episode_node(&mut self, state: &D::State, history: &D::History) -> Option<NodeId> {
        let key = self.key_of(state, history);
        if self.waiting_for(Awaited::New(key)).is_some() {
            return None;
        }
        if let Some(id) = self.find_or_finish(state, history, key) {
            return Some(id);
        }
        let sign = match self.domain.status(state, history) {
            Status::ToMove(Player::Second) => -1,
            _ => 1,
        };
        let own = ValueAbs::default();
        let id = self.add_node(NewNode { key, own, sign, kind: Kind::Expanded }, state);
        self.arena.set_visits(id, 0);
        let mut legal = Vec::new();
        self.domain.legal_moves(state, history, &mut legal);
        let prior = N::Real::ONE / N::Real::from_u32(legal.len() as u32);
        let heuristics = self.known_heuristics(state, history, &legal);
        self.expand(id, &legal, &vec![prior; legal.len()], &heuristics);
        Some(id)
    }

    /// Counts the outcome at the last position that was entered. Where the game is over its node
    /// knows; where the episode was cut, the node has one more sample of its own.
    fn end_episode(&mut self, reached: &Reached<D>, outcome: ValueAbs<N::Real>, random: u64) {
        let id = reached.node;
        if self.arena.node(id).is_terminal() {
            if self.params.terminals == Terminals::Counted {
                self.sample_outcome(id, &reached.state, &reached.history, random);
            }
            return;
        }
        let node = self.arena.node_mut(id);
        node.own_visits += 1;
        let count = N::Real::from_u32(node.own_visits);
        node.own.average_in(outcome, N::Real::ONE, count);
        if self.params.backup == Backup::Incremental {
            self.arena.average_in(id, outcome, 1);
        } else {
            self.recompute_node(id);
        }
    }
}
