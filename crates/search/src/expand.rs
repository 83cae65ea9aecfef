//! From an evaluation to a node: how a playout adds to the graph, and how it is counted.

use dz_game::{Key, Move};

use crate::{
    Grow, LeafValue, Numbers, Search, Selection,
    domain::Domain,
    formula,
    node::{Kind, NewNode, NodeId, ROOT},
    numbers::{Prior, Real},
    path::PathStep,
    path::{Awaited, Walk},
    sums::is_split,
    value::ValueAbs,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Counts a walk that has all its answers; without a network's answer there are no priors.
    pub(crate) fn complete(
        &mut self,
        mut walk: Box<Walk<D, N>>,
        priors: &[N::Real],
        heuristics: &[N::Real],
    ) {
        let wants = walk.wants;
        self.add_virtual_visits(&walk.path, -1);
        self.count_end(&walk);
        let softened;
        let priors = if self.params.prior_exponent == 1.0 {
            priors
        } else {
            softened = soften(priors, self.params.prior_exponent);
            &softened
        };
        let sample = self.sample(&walk);
        if self.params.grow == Grow::Episode {
            self.grow_episodes(&mut walk, priors, heuristics);
            self.finish_trace(&mut walk, self.counts.playouts);
            self.spare.push(walk);
            return;
        }
        let weight = self.params.leaf_rollouts;
        let child = match walk.awaited {
            Awaited::Root => {
                self.evaluate_root(&walk, sample, priors, heuristics);
                None
            }
            Awaited::New(key) => {
                let kind = if wants.network { Kind::Expanded } else { Kind::Unexpanded };
                let new = NewNode { key, own: sample, sign: walk.sign, kind };
                let child = self.add_node(new, &walk.state);
                if weight > 1 {
                    self.arena.set_visits(child, weight);
                }
                self.join_bucket(child, &walk);
                self.note_answer(child, &walk);
                if let Some(&PathStep { node, place }) = walk.path.last() {
                    self.attach(node, place, child);
                }
                Some(child)
            }
            Awaited::Known(child) => {
                self.visit_again(child, &walk);
                Some(child)
            }
        };
        if let Some(child) = child {
            if wants.network {
                self.expand(child, &walk.legal, priors, heuristics);
            }
            // A new node has no parent but the last one of the path.
            let changed = (walk.awaited == Awaited::Known(child)).then_some(child);
            self.back_up(&walk.path, changed, sample, weight);
            self.update_amaf_by_rollouts(&walk, walk.network.map(|(estimate, _)| estimate));
        }
        self.finish_trace(&mut walk, self.counts.playouts);
        self.spare.push(walk);
    }

    /// Keeps what the evaluator said of a new node beside its value, if anything uses that.
    fn note_answer(&mut self, id: NodeId, walk: &Walk<D, N>) {
        if self.has_more_to_average {
            self.note_margin(id, &walk.state, walk.margin, walk.sign);
            self.note_weight(id, walk.error, false);
        }
    }

    /// Counts a playout that has all its answers.
    pub(crate) fn count_end(&mut self, walk: &Walk<D, N>) {
        self.open_count -= 1;
        self.counts.playouts += 1;
        match walk.network {
            Some((_, true)) => self.counts.cache_hits += 1,
            _ => self.counts.evaluations += 1,
        }
        self.counts.rollouts += walk.rollouts.len() as u64;
        self.rate.finish();
    }

    /// The value of a leaf's evaluation.
    fn sample(&self, walk: &Walk<D, N>) -> ValueAbs<N::Real> {
        self.sample_of(walk.network.map(|(estimate, _)| estimate), walk.rollout)
    }

    fn sample_of(
        &self,
        network: Option<ValueAbs<N::Real>>,
        rollout: Option<ValueAbs<N::Real>>,
    ) -> ValueAbs<N::Real> {
        match (self.params.leaf_value, network, rollout) {
            (LeafValue::Mix { rollout_share }, Some(network), Some(rollout)) => {
                mix(network, rollout, N::Real::from_f64(rollout_share))
            }
            (LeafValue::Network, Some(value), _) | (_, _, Some(value)) | (_, Some(value), None) => {
                value
            }
            (_, None, None) => ValueAbs::default(),
        }
    }

    /// Averages each of a leaf's rollouts into the moves that it made, mixed with the network's
    /// value as `leaf_value` says.
    pub(crate) fn update_amaf_by_rollouts(
        &mut self,
        walk: &Walk<D, N>,
        network: Option<ValueAbs<N::Real>>,
    ) {
        if !matches!(self.params.selection, Selection::Rave(_)) {
            return;
        }
        let Some(last) = walk.rollouts.last() else {
            let sample = network.unwrap_or_default();
            self.update_amaf(&walk.path, &[], sample, self.params.leaf_rollouts);
            return;
        };
        debug_assert_eq!(last.moves_end, walk.rollout_moves.len());
        let mut begin = 0;
        for rollout in &walk.rollouts {
            let moves = &walk.rollout_moves[begin..rollout.moves_end];
            let sample = self.sample_of(network, Some(rollout.outcome));
            self.update_amaf(&walk.path, moves, sample, 1);
            begin = rollout.moves_end;
        }
    }

    /// One more rollout at a node without children, which may give it some.
    fn visit_again(&mut self, id: NodeId, walk: &Walk<D, N>) {
        let weight = self.params.leaf_rollouts;
        let node = self.arena.node_mut(id);
        node.visits += weight;
        node.own_visits += weight;
        let count = N::Real::from_u32(node.own_visits);
        let rollout = walk.rollout.unwrap_or(node.own);
        node.own.average_in(rollout, N::Real::from_u32(weight), count);
        if let (Some((network, _)), LeafValue::Mix { rollout_share }) =
            (walk.network, self.params.leaf_value)
        {
            let node = self.arena.node_mut(id);
            node.own = mix(network, node.own, N::Real::from_f64(rollout_share));
        }
        let node = self.arena.node_mut(id);
        node.average = node.own;
        let square = node.own.value * node.own.value;
        if self.arena.side.uses_nodes {
            self.arena.side.nodes[id.index()].square = square;
        }
    }

    /// Gives a node its legal moves, with the evaluator's priors as `prior_exponent` softens them.
    pub(crate) fn open_node(
        &mut self,
        id: NodeId,
        legal: &[Move],
        priors: &[N::Real],
        heuristics: &[N::Real],
    ) {
        if self.params.prior_exponent == 1.0 {
            self.expand(id, legal, priors, heuristics);
        } else {
            let softened = soften(priors, self.params.prior_exponent);
            self.expand(id, legal, &softened, heuristics);
        }
    }

    /// Gives a node its legal moves.
    pub(crate) fn expand(
        &mut self,
        id: NodeId,
        legal: &[Move],
        priors: &[N::Real],
        heuristics: &[N::Real],
    ) {
        let moves = legal.iter().zip(priors);
        self.arena.expand(id, moves.map(|(mv, &prior)| N::Prior::new(mv.0, prior)));
        self.set_heuristics(id, heuristics);
    }

    pub(crate) fn set_heuristics(&mut self, id: NodeId, heuristics: &[N::Real]) {
        if self.arena.side.uses_moves {
            let node = *self.arena.node(id);
            let first = node.priors as usize;
            for (place, side) in
                self.arena.side.moves[first..first + usize::from(node.moves)].iter_mut().enumerate()
            {
                side.heuristic =
                    heuristics.get(place).copied().unwrap_or(N::Real::from_f64(f64::NAN));
            }
        }
    }

    /// Makes the root's node from its evaluation.
    pub(crate) fn evaluate_root(
        &mut self,
        walk: &Walk<D, N>,
        own: ValueAbs<N::Real>,
        priors: &[N::Real],
        heuristics: &[N::Real],
    ) {
        let heuristics = self.set_root_moves(&walk.legal, priors, heuristics);
        let key = Key::default();
        let kind = Kind::Expanded;
        let new = NewNode { key, own, sign: walk.sign, kind };
        let id = self.add_node(new, &walk.state);
        debug_assert_eq!(id, ROOT);
        self.arena.set_visits(id, self.params.leaf_rollouts);
        self.note_answer(id, walk);
        self.expand_root();
        self.set_heuristics(ROOT, &heuristics);
        self.set_up_root();
        if is_split(&self.params) {
            self.split_root(walk);
        }
    }
}

/// (1 - share) v + share z.
fn mix<R: Real>(network: ValueAbs<R>, rollout: ValueAbs<R>, share: R) -> ValueAbs<R> {
    let mut mixed = ValueAbs::default();
    mixed.add(network, R::ONE - share);
    mixed.add(rollout, share);
    mixed
}

/// Priors raised to a power and scaled to sum 1.
fn soften<R: Real>(priors: &[R], exponent: f64) -> Vec<R> {
    let mut wide: Vec<f64> = priors.iter().map(|prior| prior.to_f64()).collect();
    formula::raise_priors(&mut wide, exponent);
    wide.into_iter().map(R::from_f64).collect()
}
