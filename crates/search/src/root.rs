//! The root: a private copy outside the table, so that its noise never leaks through a
//! transposition.

use dz_game::{Move, mix64};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    Numbers, Search, TieBreak,
    domain::Domain,
    formula,
    node::{Kind, ROOT},
    noise,
    numbers::{Prior, Real},
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Gives the root's node its moves.
    pub(crate) fn expand_root(&mut self) {
        let priors = self.root_legal.iter().zip(&self.root_priors);
        self.arena.expand(ROOT, priors.map(|(mv, &prior)| N::Prior::new(mv.0, prior)));
        self.reserve_nodes();
    }

    /// Sets the priors that the root is searched with: the evaluator's, at a temperature, with
    /// noise; all sampled from this search's seed.
    pub(crate) fn set_up_root(&mut self) {
        let mut priors: Vec<f64> = self.root_priors.iter().map(|prior| prior.to_f64()).collect();
        if self.setup.prior_temperature != 1.0 {
            formula::soften_priors(&mut priors, self.setup.prior_temperature);
        }
        if self.params.tie_break == TieBreak::Random {
            for (i, prior) in priors.iter_mut().enumerate() {
                // Small enough to order equal priors at random and to change no other order.
                *prior += 1e-6 * random_share(self.seed, i as u64);
            }
        }
        if let Some(noise) = self.setup.noise {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(mix64(self.seed ^ 0xd1a1));
            noise::mix(&mut priors, noise, &mut random);
        }
        self.start_halving();
        let node = *self.arena.node(ROOT);
        let first = node.priors as usize;
        for prior in &mut self.arena.priors[first..first + usize::from(node.moves)] {
            let mv = prior.mv();
            let index = self.root_legal.binary_search(&Move(mv)).unwrap_or_default();
            *prior = N::Prior::new(mv, N::Real::from_f64(priors[index]));
        }
        self.arena.node_mut(ROOT).head_ready = false;
    }

    /// Restricts the root to these moves until it advances; if none of them is legal, to none. The
    /// search begins empty, since its graph was built with other root moves. Nothing changes below
    /// the root.
    pub fn restrict(&mut self, moves: impl IntoIterator<Item = Move>) {
        self.drop_leaves();
        self.clear_root();
        self.allowed = moves.into_iter().collect();
        self.allowed.sort_unstable();
    }

    /// Sets the root's moves and the evaluator's priors, and returns their heuristics. Where the
    /// root is restricted, the priors of its moves are scaled to sum 1.
    pub(crate) fn set_root_moves(
        &mut self,
        legal: &[Move],
        priors: &[N::Real],
        heuristics: &[N::Real],
    ) -> Vec<N::Real> {
        self.root_legal.clear();
        self.root_priors.clear();
        let among = std::mem::take(&mut self.allowed);
        let is_among = |mv: &Move| among.binary_search(mv).is_ok();
        let kept = if legal.iter().any(is_among) {
            let places = || (0..legal.len()).filter(|&place| is_among(&legal[place]));
            self.root_legal.extend(places().map(|place| legal[place]));
            self.root_priors.extend(places().map(|place| priors[place]));
            self.scale_root_priors();
            places().filter_map(|place| heuristics.get(place).copied()).collect()
        } else {
            self.root_legal.extend_from_slice(legal);
            self.root_priors.extend_from_slice(priors);
            // Empty but for the selection that looks at them.
            heuristics.to_vec()
        };
        self.allowed = among;
        kept
    }

    /// Priors that sum to 1; equal ones where all are 0.
    fn scale_root_priors(&mut self) {
        let sum: f64 = self.root_priors.iter().map(|prior| prior.to_f64()).sum();
        let equal = 1.0 / self.root_priors.len() as f64;
        for prior in &mut self.root_priors {
            *prior = N::Real::from_f64(if sum > 0.0 { prior.to_f64() / sum } else { equal });
        }
    }

    /// Empties the search.
    pub(crate) fn clear_root(&mut self) {
        self.arena.clear();
        self.table.clear();
        self.states.clear();
        self.root_legal.clear();
        self.root_priors.clear();
        self.halving.clear();
        self.sweep = 0;
    }

    /// Returns true if a node can become the root of the next search with its statistics.
    pub(crate) fn can_be_root(&self, id: crate::node::NodeId) -> bool {
        self.arena.node(id).kind == Kind::Expanded
    }
}

/// A number in [0, 1); the complement keeps these words apart from those of leaves.
fn random_share(seed: u64, index: u64) -> f64 {
    (mix64(seed ^ mix64(!index)) >> 40) as f64 / (1u64 << 24) as f64
}
