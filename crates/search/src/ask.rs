//! What a search asks its knowledge: moves where some were never tried, and heuristics.

use dz_game::Move;

use crate::{
    Numbers, Search,
    domain::Domain,
    node::NodeId,
    numbers::{Prior, Real},
    path::Walk,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// The place of the move that a walk takes at a node: one by the policy of rollouts while some
    /// were never tried, else the formula's. Without knowledge each legal move has the same chance.
    pub(crate) fn try_by_policy(&mut self, id: NodeId, walk: &Walk<D, N>) -> usize {
        /// Keeps these words apart from others of a walk.
        const SALT: u64 = 0x0417;
        let node = self.arena.node(id);
        if node.visited == node.moves {
            return self.select(id, walk);
        }
        let random = walk.word(SALT);
        let Some(knowledge) = &self.knowledge else {
            return (random % u64::from(node.moves)) as usize;
        };
        let last = self.last_move(walk);
        let sampled =
            knowledge.rollout_move(&self.domain, &walk.state, &walk.history, last, random);
        let place_of =
            |mv: Move| self.arena.priors(node).iter().position(|prior| prior.mv() == mv.0);
        // A restricted root lacks moves that the policy may sample.
        let place = sampled.and_then(place_of);
        place.unwrap_or_else(|| self.select(id, walk))
    }

    /// The heuristic values of a position's moves, for nodes that no evaluator has seen.
    pub(crate) fn known_heuristics(
        &self,
        state: &D::State,
        history: &D::History,
        legal: &[Move],
    ) -> Vec<N::Real> {
        let Some(knowledge) = self.knowledge.as_ref().filter(|_| self.params.equivalent_visits > 0)
        else {
            return Vec::new();
        };
        let mut values = Vec::new();
        knowledge.heuristics(&self.domain, state, history, legal, &mut values);
        values.into_iter().map(N::Real::from_f64).collect()
    }
}
