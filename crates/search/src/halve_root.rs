//! Sequential halving at the root of a Gumbel search, after the plan of [`crate::halving`].

use dz_game::{Move, mix64};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    Gumbel, Numbers, Search, Selection,
    domain::Domain,
    formula::{self, GumbelParams, MixedWeight},
    node::ROOT,
    numbers::Prior,
    scores::MoveScores,
    select::Choice,
};

/// Playouts that one plan is for at most. It bounds the memory; another plan follows.
const PLAN_PLAYOUTS_MAX: u32 = 1 << 20;

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Samples the root's Gumbel noise and plans the search that begins.
    pub(crate) fn start_halving(&mut self) {
        let Selection::Gumbel(gumbel) = self.params.selection else { return };
        let moves = self.root_legal.len();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(mix64(self.seed ^ 0x90_b3e1));
        formula::gumbel_noise(moves, &mut random, &mut self.halving.noise);
        for noise in &mut self.halving.noise {
            *noise *= gumbel.scale;
        }
        self.halving.before_search = self.visits_by_move();
        self.plan_halving(gumbel.considered);
    }

    /// Makes another plan if the last one is used up.
    pub(crate) fn renew_halving(&mut self, considered_max: u32) {
        if self.halving.is_used_up() && !self.owes_playouts() {
            self.plan_halving(considered_max);
        }
    }

    /// Counts a playout that begins with the root's move at `place`, unless it was owed.
    pub(crate) fn grant_playout(&mut self, place: usize) {
        if !self.params.selection.halves() {
            return;
        }
        let mv = self.arena.priors(self.arena.node(ROOT))[place].mv();
        let index = self.root_index(mv);
        let done = self.playouts_under_way(place, index);
        if let Some(granted) = self.halving.granted.get_mut(index) {
            *granted = (*granted).max(done + 1);
        }
    }

    /// Plans for the playouts that are left or, where their number is unknown, for as many as this
    /// search has had.
    fn plan_halving(&mut self, considered_max: u32) {
        let visits = self.visits_by_move();
        let considered_max = considered_max.min(visits.len() as u32);
        let kept = self.halving.before_search.iter().sum::<u32>();
        let done = visits.iter().sum::<u32>().saturating_sub(kept) / self.params.leaf_rollouts;
        self.halving.granted.clear();
        self.halving.granted.resize(visits.len(), 0);
        self.halving.before_plan = visits;
        let playouts = match self.playouts_left() {
            u32::MAX => done.max(formula::halving_playouts_min(considered_max)),
            left => left.saturating_sub(self.walks_in_flight()),
        };
        let playouts = playouts.min(PLAN_PLAYOUTS_MAX);
        let considered = considered_max.min(playouts.max(1));
        formula::considered_visits(considered, playouts, &mut self.halving.plan);
    }

    /// Visits of the root's moves, in their order, with those that walks in flight will bring.
    fn visits_by_move(&self) -> Vec<u32> {
        let mut visits = vec![0; self.root_legal.len()];
        let root = self.arena.node(ROOT);
        let moves = self.arena.priors(root);
        for place in 0..self.arena.edges(root).len() {
            visits[self.root_index(moves[place].mv())] = self.visits_under_way(place);
        }
        visits
    }

    /// Visits of the root's move at `place`, with those that walks in flight will bring.
    fn visits_under_way(&self, place: usize) -> u32 {
        let root = self.arena.node(ROOT);
        let Some(edge) = self.arena.edges(root).get(place) else { return 0 };
        if self.params.leaves_max == 1 {
            return edge.visits;
        }
        edge.visits + self.arena.edge_side(root, place).in_flight * self.params.leaf_rollouts
    }

    /// Playouts under this plan of the root's move at `place`, which is the legal move `index`,
    /// with those in flight.
    fn playouts_under_way(&self, place: usize, index: usize) -> u32 {
        let before = self.halving.before_plan.get(index).copied().unwrap_or(0);
        self.visits_under_way(place).saturating_sub(before) / self.params.leaf_rollouts
    }

    /// Where a move stands among the root's legal ones.
    fn root_index(&self, mv: u16) -> usize {
        self.root_legal.binary_search(&Move(mv)).unwrap_or_default()
    }

    /// True if some move is owed a playout.
    fn owes_playouts(&self) -> bool {
        let choice = Choice::new(&self.arena, ROOT, &self.params, &self.setup);
        let mut moves = choice.priors.iter().enumerate();
        moves.any(|(place, prior)| self.is_owed(&choice, place, self.root_index(prior.mv())))
    }

    /// True if the root's move at `place`, which is the legal move `index`, has had fewer playouts
    /// than were granted.
    fn is_owed(&self, choice: &Choice<'_, N>, place: usize, index: usize) -> bool {
        let granted = self.halving.granted.get(index).copied().unwrap_or(0);
        granted > self.playouts_under_way(place, index) && !choice.is_lost(place)
    }

    /// The scores of the root's moves: g + ln P + sigma(Q) of those whose turn it is; all others
    /// are out.
    pub(crate) fn score_halving(
        &self,
        choice: &Choice<'_, N>,
        gumbel: &Gumbel,
        own: f64,
        dense: &mut MoveScores,
    ) {
        let params = GumbelParams { sigma: gumbel.sigma, mixed_weight: MixedWeight::Visits };
        dense.noise.clear();
        dense.granted.clear();
        dense.owed.clear();
        for (place, prior) in choice.priors.iter().enumerate() {
            let index = self.root_index(prior.mv());
            dense.noise.push(self.halving.noise_of(index));
            dense.granted.push(self.halving.granted.get(index).copied().unwrap_or(0));
            dense.owed.push(self.is_owed(choice, place, index));
        }
        formula::root_scores(&dense.children, &dense.noise, own, &params, &mut dense.scores);
        let wanted = self.halving.playouts_wanted(&dense.granted, |place| choice.is_lost(place));
        let owes = dense.owed.contains(&true);
        for (place, score) in dense.scores.iter_mut().enumerate() {
            let is_in = if owes { dense.owed[place] } else { dense.granted[place] == wanted };
            if !is_in {
                *score = f64::NEG_INFINITY;
            }
        }
    }
}
