//! Leaves that wait: they are opened, answered, met by other walks and given up.

use dz_game::{Key, Move, Player, Wdl};

use crate::{
    Numbers, Search,
    domain::{Domain, Status},
    leaf::{Asks, LeafId, NetworkAnswer, SearchLeaf, Wants},
    numbers::{Prior, Real},
    path::{Awaited, End, PathStep, Played, Walk},
    sums::is_split,
    value::{ValueAbs, ValuePov},
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Returns a leaf that waits; none for other numbers.
    pub fn leaf(&self, id: LeafId) -> Option<SearchLeaf<'_, D>> {
        let walk = self.open.get(id.0)?.as_ref()?;
        let Walk { state, history, legal, random, wants, .. } = &**walk;
        let last = self.last_move(walk);
        Some(SearchLeaf { state, history, legal, last, random: *random, wants: *wants })
    }

    /// Returns the `eval_key` of a leaf that waits.
    pub fn leaf_eval_key(&self, id: LeafId) -> Option<Key> {
        let walk = self.open.get(id.0)?.as_ref()?;
        Some(self.domain.eval_key(&walk.state, &walk.history))
    }

    /// Takes the evaluation of a leaf: the chances of its mover and one prior for each legal move.
    /// Does nothing if the leaf does not wait.
    pub fn apply(&mut self, id: LeafId, wdl: Wdl, priors: &[N::Real]) {
        let estimate = wdl.into();
        let answer = NetworkAnswer::new(estimate, priors);
        self.apply_network(id, &answer);
    }

    /// Takes a network's answer. The leaf is counted once it has all its answers.
    pub fn apply_network(&mut self, id: LeafId, answer: &NetworkAnswer<'_, N::Real>) {
        let Some(mut walk) = self.open.get_mut(id.0).and_then(Option::take) else { return };
        debug_assert_eq!(walk.legal.len(), answer.priors.len(), "one prior a legal move");
        if is_split(&self.params) && walk.awaited != Awaited::Root {
            self.back_up_value(id, walk, answer);
            return;
        }
        self.rate.evaluate();
        let estimate = ValueAbs::from_pov(answer.estimate, walk.sign);
        walk.network = Some((estimate, answer.cached));
        walk.margin = answer.margin;
        walk.error = answer.error;
        if walk.wants.rollouts > 0 && walk.rollout.is_none() {
            walk.priors.clear();
            walk.priors.extend_from_slice(answer.priors);
            walk.heuristics.clear();
            walk.heuristics.extend_from_slice(answer.heuristics);
            self.open[id.0] = Some(walk);
            return;
        }
        self.unblock(Some(id));
        self.complete(walk, answer.priors, answer.heuristics);
    }

    /// Takes a rollout's outcome for the leaf's mover and the moves that led to it, for
    /// all-moves-as-first values and for [`crate::Grow::Episode`]. The leaf is counted once it has
    /// all its answers.
    pub fn apply_rollout(
        &mut self,
        id: LeafId,
        outcome: ValuePov<N::Real>,
        moves: &[(Player, Move)],
    ) {
        let Some(mut walk) = self.open.get_mut(id.0).and_then(Option::take) else { return };
        let outcome = ValueAbs::from_pov(outcome, walk.sign);
        walk.rollout_moves.extend_from_slice(moves);
        walk.rollouts.push(Played { outcome, moves_end: walk.rollout_moves.len() });
        if walk.rollouts.len() < walk.wants.rollouts as usize {
            self.open[id.0] = Some(walk);
            return;
        }
        let outcome = mean(&walk.rollouts);
        if is_split(&self.params) && walk.awaited != Awaited::Root {
            self.back_up_outcome(id, walk, outcome);
            return;
        }
        walk.rollout = Some(outcome);
        if walk.wants.network && walk.network.is_none() {
            self.open[id.0] = Some(walk);
            return;
        }
        let priors = std::mem::take(&mut walk.priors);
        let heuristics = std::mem::take(&mut walk.heuristics);
        self.unblock(Some(id));
        self.complete(walk, &priors, &heuristics);
    }

    /// The move that led to where a walk stands.
    pub(crate) fn last_move(&self, walk: &Walk<D, N>) -> Option<Move> {
        let Some(&PathStep { node, place }) = walk.path.last() else { return self.root_last };
        Some(Move(self.arena.priors(self.arena.node(node))[place].mv()))
    }

    /// Puts a walk aside until its position is evaluated.
    pub(crate) fn open_leaf(&mut self, mut walk: Box<Walk<D, N>>, awaited: Awaited) -> End {
        walk.awaited = awaited;
        walk.network = None;
        walk.margin = None;
        walk.error = None;
        walk.rollout = None;
        walk.rollouts.clear();
        walk.rollout_moves.clear();
        walk.is_counted = false;
        walk.wants = if is_split(&self.params) {
            self.wants_split(&mut walk)
        } else {
            let wants = self.wants(awaited);
            walk.asks = Asks { value: wants.network, priors: wants.network };
            wants
        };
        walk.sign = match self.domain.status(&walk.state, &walk.history) {
            Status::ToMove(Player::Second) => -1,
            _ => 1,
        };
        let mut legal = std::mem::take(&mut walk.legal);
        self.domain.legal_moves(&walk.state, &walk.history, &mut legal);
        walk.legal = legal;
        self.add_virtual_visits(&walk.path, 1);
        let asks_priors = walk.asks.priors;
        let free = self.open.iter().position(Option::is_none);
        let slot = free.unwrap_or_else(|| {
            self.open.push(None);
            self.open.len() - 1
        });
        self.open[slot] = Some(walk);
        self.open_count += 1;
        self.rate.open(asks_priors, self.open_count);
        End::Leaf(LeafId(slot))
    }

    /// Drops the leaves that wait, and the edges that their walks made but did not count.
    pub(crate) fn drop_leaves(&mut self) {
        self.unblock(None);
        for slot in 0..self.open.len() {
            if let Some(walk) = self.open[slot].take() {
                if !walk.is_counted {
                    self.add_virtual_visits(&walk.path, -1);
                }
                self.open[slot] = Some(walk);
            }
        }
        // Only now, for taking back an edge moves others to another place.
        for slot in 0..self.open.len() {
            let Some(walk) = self.open[slot].take() else { continue };
            for step in &walk.path {
                self.arena.unlink_uncounted(step.node);
            }
            if is_split(&self.params) {
                self.recompute_path(&walk.path);
            }
            self.spare.push(walk);
        }
        self.open_count = 0;
        self.rate.drop_leaves();
    }

    /// The leaf that waits for the same evaluation, if one does.
    pub(crate) fn waiting_for(&self, awaited: Awaited) -> Option<LeafId> {
        if self.open_count == 0 {
            return None;
        }
        let waits = |walk: &Option<Box<Walk<D, N>>>| {
            walk.as_ref().is_some_and(|walk| walk.awaited == awaited)
        };
        self.open.iter().position(waits).map(LeafId)
    }

    /// The leaf whose walk ended with this step, if it waits.
    pub(crate) fn waiting_at(&self, step: PathStep) -> Option<LeafId> {
        let ends = |walk: &Option<Box<Walk<D, N>>>| {
            walk.as_ref().is_some_and(|walk| walk.path.last() == Some(&step))
        };
        self.open.iter().position(ends).map(LeafId)
    }

    /// Takes back the virtual visits of walks that met a leaf which is answered now, or of all.
    pub(crate) fn unblock(&mut self, leaf: Option<LeafId>) {
        let mut at = 0;
        while at < self.blocked.len() {
            if leaf.is_some_and(|leaf| leaf != self.blocked[at].0) {
                at += 1;
                continue;
            }
            let (_, walk) = self.blocked.swap_remove(at);
            self.add_virtual_visits(&walk.path, -1);
            self.spare.push(walk);
        }
    }

    /// Returns a walk at the root, from the spare ones if there are any.
    pub(crate) fn take_walk(&mut self) -> Box<Walk<D, N>> {
        let Some(mut walk) = self.spare.pop() else {
            return Box::new(Walk {
                state: self.root_state.clone(),
                history: self.root_history.clone(),
                moves: 0,
                root: self.roots,
                path: Vec::new(),
                bucket: None,
                random: 0,
                awaited: Awaited::Root,
                sign: 1,
                wants: Wants { network: true, rollouts: 0 },
                asks: Asks::default(),
                is_counted: false,
                legal: Vec::new(),
                network: None,
                margin: None,
                error: None,
                rollout: None,
                priors: Vec::new(),
                heuristics: Vec::new(),
                rollouts: Vec::new(),
                rollout_moves: Vec::new(),
                trace: Vec::new(),
            });
        };
        walk.state.clone_from(&self.root_state);
        if walk.root == self.roots {
            self.domain.rewind(&mut walk.history, &self.root_history, walk.moves);
            debug_assert_eq!(
                self.domain.eval_key(&self.root_state, &walk.history),
                self.domain.eval_key(&self.root_state, &self.root_history),
                "the walk's past is the root's again"
            );
        } else {
            walk.history.clone_from(&self.root_history);
            walk.root = self.roots;
        }
        walk.moves = 0;
        walk.path.clear();
        walk.trace.clear();
        walk
    }

    /// Adds to the virtual visits of a path's edges, or takes them back if `by` is negative.
    pub(crate) fn add_virtual_visits(&mut self, path: &[PathStep], by: i32) {
        if self.params.leaves_max > 1 {
            for &PathStep { node, place } in path {
                let side = self.arena.edge_side_mut(node, place);
                side.in_flight = side.in_flight.saturating_add_signed(by);
            }
        }
    }
}

/// The mean of the outcomes of one rollout or more.
fn mean<R: Real>(rollouts: &[Played<R>]) -> ValueAbs<R> {
    let [only] = rollouts else {
        let mut sum = ValueAbs::default();
        for rollout in rollouts {
            sum.add(rollout.outcome, R::ONE);
        }
        let count = R::from_u32(rollouts.len() as u32);
        return ValueAbs { value: sum.value / count, draw: sum.draw / count };
    };
    only.outcome
}
