//! Evaluations: U, expansion, the root's priors.

use dz_game::{Key, Player, mix64};
use dz_search::{Domain, Expansion, LeafValue, Real, Selection, Status, TieBreak, formula};

use super::{
    Evaluated, Reference,
    node::{Kind, Name, Pair, Rounds, blank, edge, expand, mix, zero},
};
use crate::proof::rollout;

impl<D: Domain, N: Rounds> Reference<'_, D, N> {
    /// Asks for a leaf's value, and for its moves if `network` is to be asked.
    fn evaluate(
        &mut self,
        state: &D::State,
        history: &D::History,
        network: bool,
    ) -> Evaluated<N::Real> {
        let sign = self.sign(state, history);
        let mut answer = Evaluated {
            judged: None,
            margin: None,
            error: None,
            played: None,
            edges: Vec::new(),
            priors: Vec::new(),
        };
        let mut cached = false;
        if network {
            let mut legal = Vec::new();
            self.domain.legal_moves(state, history, &mut legal);
            let opinion = (self.judge.opinion)(self.domain, state, history, &legal);
            cached = self.judge.caches && !self.seen.insert(self.domain.eval_key(state, history));
            let value = sign * N::Real::from_f64(opinion.value);
            answer.margin = opinion.margin;
            answer.error = opinion.error;
            answer.judged = Some(Pair { value, draw: N::Real::from_f64(opinion.draw) });
            answer.priors = opinion.priors.iter().map(|&prior| N::Real::from_f64(prior)).collect();
            if self.params.prior_exponent != 1.0 {
                let mut wide: Vec<f64> = answer.priors.iter().map(|prior| prior.to_f64()).collect();
                formula::raise_priors(&mut wide, self.params.prior_exponent);
                answer.priors = wide.into_iter().map(N::Real::from_f64).collect();
            }
            for (i, (mv, &prior)) in legal.iter().zip(&answer.priors).enumerate() {
                let known = opinion.heuristics.get(i).copied().unwrap_or(f64::NAN);
                answer.edges.push(edge(mv.0, N::stored(prior), N::Real::from_f64(known)));
            }
        }
        if cached {
            self.counts.cache_hits += 1;
        } else {
            self.counts.evaluations += 1;
        }
        if self.params.leaf_value != LeafValue::Network {
            self.counts.rollouts += u64::from(self.params.leaf_rollouts);
            let mut word = self.random;
            let mut sum = zero();
            for _ in 0..self.params.leaf_rollouts {
                let (value, draw, moves) = rollout(self.domain, state, history, word);
                word = mix64(word);
                let value = sign * N::Real::from_f64(value);
                let outcome = Pair { value, draw: N::Real::from_f64(draw) };
                sum = sum.plus(N::Real::ONE, outcome);
                answer.played = Some(outcome);
                let counts_as = self.leaf_value(&answer);
                self.rollouts.push((counts_as, moves));
            }
            let count = N::Real::from_u32(self.params.leaf_rollouts);
            answer.played = Some(Pair { value: sum.value / count, draw: sum.draw / count });
        }
        answer
    }

    /// (1 - share) v + share z, or the one of the two that there is.
    fn leaf_value(&self, answer: &Evaluated<N::Real>) -> Pair<N::Real> {
        match (self.params.leaf_value, answer.judged, answer.played) {
            (LeafValue::Mix { rollout_share }, Some(v), Some(z)) => mix(v, z, rollout_share),
            (LeafValue::Network, Some(v), _) => v,
            (_, _, Some(z)) => z,
            (_, v, None) => v.unwrap(),
        }
    }

    pub(super) fn evaluate_new(
        &mut self,
        key: Key,
        state: &D::State,
        history: &D::History,
    ) -> Pair<N::Real> {
        let network = self.params.expansion == Expansion::FirstVisit || self.threshold == 0;
        let answer = self.evaluate(state, history, network);
        let own = self.leaf_value(&answer);
        let mut node = blank(key, Kind::Unexpanded, self.sign(state, history), own);
        (node.visits, node.own_visits) = (self.params.leaf_rollouts, self.params.leaf_rollouts);
        if network {
            expand(&mut node, answer.edges);
        }
        self.add(Some(key), node);
        self.score_new(Some(key), state, history, answer.margin);
        self.weigh_new(Some(key), answer.error);
        own
    }

    pub(super) fn evaluate_again(
        &mut self,
        name: Name,
        state: &D::State,
        history: &D::History,
    ) -> Pair<N::Real> {
        let network = self.nodes[&name].own_visits >= self.threshold;
        let answer = self.evaluate(state, history, network);
        let sample = self.leaf_value(&answer);
        let leaf_value = self.params.leaf_value;
        let weight = self.params.leaf_rollouts;
        let node = self.node_mut(name);
        node.visits += weight;
        node.own_visits += weight;
        let count = N::Real::from_u32(node.own_visits);
        node.own = node.own.towards(answer.played.unwrap(), N::Real::from_u32(weight), count);
        if let (LeafValue::Mix { rollout_share }, Some(v)) = (leaf_value, answer.judged) {
            node.own = mix(v, node.own, rollout_share);
        }
        node.average = node.own;
        node.square = node.own.value * node.own.value;
        if network {
            expand(node, answer.edges);
        }
        sample
    }

    pub(super) fn evaluate_root(&mut self, state: &D::State, history: &D::History) {
        let answer = self.evaluate(state, history, true);
        let own = self.leaf_value(&answer);
        let mut node = blank(Key::default(), Kind::Unexpanded, self.sign(state, history), own);
        (node.visits, node.own_visits) = (self.params.leaf_rollouts, self.params.leaf_rollouts);
        expand(&mut node, answer.edges);
        self.add(None, node);
        self.score_new(None, state, history, answer.margin);
        self.weigh_new(None, answer.error);
        self.root_priors = answer.priors;
        self.set_up_root();
    }

    pub(super) fn set_up_root(&mut self) {
        let mut priors: Vec<f64> = self.root_priors.iter().map(|prior| prior.to_f64()).collect();
        if self.setup.prior_temperature != 1.0 {
            formula::soften_priors(&mut priors, self.setup.prior_temperature);
        }
        if self.params.tie_break == TieBreak::Random {
            for (i, prior) in (0_u64..).zip(&mut priors) {
                let word = mix64(self.seed ^ mix64(!i));
                *prior += 1e-6 * ((word >> 40) as f64 / (1_u64 << 24) as f64);
            }
        }
        if self.setup.noise.is_some() {
            priors.clone_from(&self.drawn.noisy_priors);
        }
        let left = self.playouts - self.counts.playouts as u32;
        let root = self.node_mut(None);
        for (edge, prior) in root.edges.iter_mut().zip(priors) {
            edge.prior = N::stored(N::Real::from_f64(prior));
        }
        root.head_ready = false;
        let moves = root.edges.len() as u32;
        let visits_before = root.edges.iter().map(|edge| edge.visits).collect();
        if let Selection::Gumbel(gumbel) = self.params.selection {
            self.visits_before = visits_before;
            let considered = gumbel.considered.min(moves).min(left.max(1));
            formula::considered_visits(considered, left, &mut self.considered);
        }
    }

    pub(super) fn sign(&self, state: &D::State, history: &D::History) -> N::Real {
        match self.domain.status(state, history) {
            Status::ToMove(Player::Second) => -N::Real::ONE,
            _ => N::Real::ONE,
        }
    }
}
