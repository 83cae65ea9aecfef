//! The root: a private copy outside the table, so that its noise never leaks through a transposition.

use dz_game::{Move, mix64};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    Numbers, Search, TieBreak,
    arena::{Kind, ROOT},
    domain::Domain,
    formula, noise,
    numbers::{Prior, Real},
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Gives the root's node its moves.
    pub(crate) fn expand_root(&mut self) {
        let priors = self.root_legal.iter().zip(&self.root_priors);
        self.arena.expand(ROOT, priors.map(|(mv, &prior)| N::Prior::new(mv.0, prior)));
        self.make_room();
    }

    /// Sets the priors that the root is searched with: the evaluator's, at a temperature, with noise;
    /// all drawn from this search's seed.
    pub(crate) fn set_up_root(&mut self) {
        let mut priors: Vec<f64> = self.root_priors.iter().map(|prior| prior.wide()).collect();
        if self.setup.prior_temperature != 1.0 {
            formula::soften_priors(&mut priors, self.setup.prior_temperature);
        }
        if self.params.tie_break == TieBreak::Random {
            for (i, prior) in priors.iter_mut().enumerate() {
                // A crumb that orders equal priors at random and changes no others.
                *prior += 1e-6 * random_share(self.seed, i as u64);
            }
        }
        if let Some(noise) = self.setup.noise {
            let mut random = Xoshiro256PlusPlus::seed_from_u64(mix64(self.seed ^ 0xd1a1));
            noise::mix(&mut priors, noise, &mut random);
        }
        self.draw_gumbel();
        let node = *self.arena.node(ROOT);
        let first = node.priors as usize;
        for prior in &mut self.arena.priors[first..first + usize::from(node.moves)] {
            let mv = prior.mv();
            let index = self.root_legal.binary_search(&Move(mv)).unwrap_or_default();
            *prior = N::Prior::new(mv, N::Real::of(priors[index]));
        }
        self.arena.node_mut(ROOT).head_ready = false;
    }

    /// Empties the search.
    pub(crate) fn clear_root(&mut self) {
        self.arena.clear();
        self.table.clear();
        self.states.clear();
        self.root_legal.clear();
        self.root_priors.clear();
        self.sweep = 0;
    }

    /// True if a node can become the root of the next search with what is known of it.
    pub(crate) fn can_be_root(&self, id: crate::arena::NodeId) -> bool {
        self.arena.node(id).kind == Kind::Expanded
    }
}

/// A number in [0, 1); the complement keeps these words apart from those of leaves.
fn random_share(seed: u64, index: u64) -> f64 {
    (mix64(seed ^ mix64(!index)) >> 40) as f64 / (1u64 << 24) as f64
}
