//! One game whose moves are sampled from policies, without a search. A policy learns from it by
//! policy gradient, or a value by regression (Silver et al. 2016, "Reinforcement learning of policy
//! networks" and "of value networks").

use std::sync::Arc;

use dz_config::ReinforcePhase;
use dz_game::{Game, Move, Player, Status};
use dz_infer::{Evaluation, GameTask, Readers, Request};
use dz_play::{GameSeed, MoveSearch, SearchStep};
use dz_search::{Budget, SearchCounts, SearchParams, Summary, sample};
use dz_shard::{GameEnd, GameRecord, PlyRecord, SearchKind};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::seeds::game_seed;
use crate::{GamePlan, PolicyPlan};

/// A game in progress.
///
/// With [`ReinforcePhase::Policy`] the champion, source 0, meets an opponent that is sampled from
/// the earlier networks. Only its own plies have a weight: the score of the game, 0 to 1. With
/// [`ReinforcePhase::Value`] it plays itself, and one ply has a weight, whose position the value
/// learns.
#[derive(Debug)]
pub struct PolicyGame<G: Game> {
    plan: Arc<GamePlan>,
    phase: ReinforcePhase,
    game: G,
    state: G::State,
    history: G::History,
    /// Searches of one playout, which ask a policy: the champion's and its opponent's.
    policies: [MoveSearch<G>; 2],
    /// The champion's side.
    learner: Player,
    /// Whose policy is asked; none between two plies.
    asked: Option<Player>,
    record: GameRecord,
    random: Xoshiro256PlusPlus,
    counts: SearchCounts,
}

impl<G: Game> PolicyGame<G> {
    /// Game `number` of the run, before its first move.
    pub fn new(game: &G, plan: Arc<GamePlan>, policy: PolicyPlan, number: u64) -> Self {
        let seed = game_seed(plan.run_seed, number);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let opponent = match policy.phase {
            ReinforcePhase::Policy if policy.opponents > 0 => {
                1 + random.random_range(0..policy.opponents)
            }
            ReinforcePhase::Policy | ReinforcePhase::Value => 0,
        };
        let seeds = GameSeed { run_seed: plan.run_seed, game_number: number };
        // The settings of the run's searches may put off the question for priors.
        let params = SearchParams::default();
        let policies =
            [0, opponent].map(|source| MoveSearch::new(game, params, false, source, seeds));
        let record = GameRecord::started(number, seed);
        Self {
            plan,
            phase: policy.phase,
            game: game.clone(),
            state: game.start(),
            history: G::History::default(),
            policies,
            learner: if number.is_multiple_of(2) { Player::First } else { Player::Second },
            asked: None,
            record,
            random,
            counts: SearchCounts::default(),
        }
    }

    /// The finished game with its weights, and sums over its searches.
    pub fn into_record(mut self) -> (GameRecord, SearchCounts) {
        match self.phase {
            ReinforcePhase::Policy => {
                let score = self.record.outcome.wdl_for(self.learner).score();
                for ply in &mut self.record.plies {
                    ply.weight *= score;
                }
            }
            ReinforcePhase::Value => {
                let kept = self.random.random_range(0..self.record.plies.len().max(1));
                for (place, ply) in self.record.plies.iter_mut().enumerate() {
                    ply.kind = SearchKind::Fast;
                    ply.weight = if place == kept { 1.0 } else { 0.0 };
                }
            }
        }
        (self.record, self.counts)
    }

    fn policy_of(&mut self, player: Player) -> &mut MoveSearch<G> {
        let is_opponent = player != self.learner;
        &mut self.policies[usize::from(is_opponent)]
    }

    /// Samples a move of `mover` from its policy, and plays it.
    fn play(&mut self, mover: Player, summary: &Summary) {
        self.counts.add(&summary.counts);
        let weights: Vec<f64> = summary.moves.iter().map(|m| m.prior).collect();
        // Rounding can leave a crumb.
        let place = sample(&weights, &mut self.random).unwrap_or(weights.len().saturating_sub(1));
        let Some(mv) = summary.moves.get(place).map(|m| m.mv) else { return };
        let learns = mover == self.learner;
        let is_full = learns && self.phase == ReinforcePhase::Policy;
        self.record.plies.push(PlyRecord {
            mv,
            network: 0,
            kind: if is_full { SearchKind::Full } else { SearchKind::Fast },
            budget: 1,
            visits: vec![(mv, 1)],
            root_value: summary.wdl,
            flags: if is_full { PlyRecord::POLICY_ONLY } else { 0 },
            weight: if learns { 1.0 } else { 0.0 },
            target: None,
        });
        self.advance(mv);
    }

    fn advance(&mut self, mv: Move) {
        self.game.advance(&mut self.state, &mut self.history, mv);
        for policy in &mut self.policies {
            policy.advance(mv);
        }
    }

    /// Who moves; none once the game is over, whose end is then recorded.
    fn mover(&mut self) -> Option<Player> {
        match self.game.status(&self.state, &self.history) {
            Status::Over(outcome) => {
                self.record.outcome = outcome;
                None
            }
            Status::ToMove(_) if self.record.plies.len() >= self.plan.plies_max as usize => {
                self.record.end = GameEnd::PlyLimit;
                None
            }
            Status::ToMove(mover) => Some(mover),
        }
    }
}

impl<G: Game> GameTask<G> for PolicyGame<G> {
    fn resume(&mut self, readers: &Readers<G>, request: &mut Request) -> bool {
        loop {
            let mover = if let Some(mover) = self.asked {
                mover
            } else {
                let Some(mover) = self.mover() else { return false };
                let root = self.plan.root_fast;
                self.policy_of(mover).begin(Budget::Playouts(1), root);
                self.asked = Some(mover);
                mover
            };
            if self.policy_of(mover).step(readers, request) == SearchStep::Asks {
                return true;
            }
            let summary = self.policy_of(mover).summary();
            self.asked = None;
            self.play(mover, &summary);
        }
    }

    fn apply(&mut self, evaluation: &Evaluation) {
        if let Some(mover) = self.asked {
            self.policy_of(mover).apply(evaluation);
        }
    }
}
