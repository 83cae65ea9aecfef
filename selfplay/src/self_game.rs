//! One game of self-play, as a task that records what its searches find.

use std::sync::Arc;

use dz_config::OpeningSampler;
use dz_game::{Game, Move, Outcome, Status};
use dz_infer::{Evaluation, GameTask, Readers, Request};
use dz_play::{GameSeed, MoveSearch, SearchStep};
use dz_search::{
    Budget, MoveChoice, PolicyTarget, SearchCounts, Summary, choose_move, policy_target,
};
use dz_shard::{GameEnd, GameRecord, PlyRecord, ResignThresholds, SearchKind, TurnsBelow};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::beginning::Beginning;
use crate::decided::Values;
use crate::opening::Opening;
use crate::reanalyzed_game::ReanalyzedGame;
use crate::resign::ply_flags;
use crate::seeds::game_seed;
use crate::surprise::{share_out, surprise};
use crate::{DecidedPlan, GamePlan};

/// A game in progress.
#[derive(Debug)]
pub struct SelfGame<G: Game> {
    plan: Arc<GamePlan>,
    game: G,
    state: G::State,
    history: G::History,
    move_search: MoveSearch<G>,
    /// What the search under way is for.
    search: Option<Purpose>,
    /// What is left of the opening.
    opening: Option<Opening>,
    /// The game whose moves are made, if this one is reanalyzed instead of played.
    reanalyzed: Option<ReanalyzedGame>,
    record: GameRecord,
    below: TurnsBelow,
    values: Values,
    /// Of each recorded ply's search; 0 of fast ones, and where weights do not ask.
    surprises: Vec<f64>,
    random: Xoshiro256PlusPlus,
    /// Sums over the searches; no record depends on them.
    counts: SearchCounts,
}

/// What a search is for.
#[derive(Clone, Copy, Debug)]
enum Purpose {
    /// The priors of a position of this opening.
    Opening(Opening),
    /// A recorded ply.
    Ply {
        kind: SearchKind,
        /// Playouts that it was given.
        budget: u32,
        /// The position's weight in training.
        weight: f32,
    },
}

/// The champion, or what plays without one: the only source of self-play.
const SOURCE: usize = 0;

/// Below this, a temperature counts as 0: powers would only overflow.
const TEMPERATURE_MIN: f64 = 0.01;

impl<G: Game> SelfGame<G> {
    /// Game `number` of the run, before its first move or at its fork, or before the first recorded
    /// ply of the game that is reanalyzed under this number.
    pub fn new(game: &G, plan: Arc<GamePlan>, number: u64) -> Self {
        let seed = game_seed(plan.run_seed, number);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let seeds = GameSeed { run_seed: plan.run_seed, game_number: number };
        let original = plan.reanalyses.as_ref().and_then(|games| games.original(number)).cloned();
        let Beginning { opening, start_moves, parent, komi } = match &original {
            None => Beginning::of(game, &plan, seed, &mut random),
            Some(original) => Beginning::of_reanalyzed(original),
        };
        let game = komi.and_then(|komi| game.with_komi(komi)).unwrap_or_else(|| game.clone());
        let move_search = MoveSearch::new(&game, plan.params, plan.reuse, SOURCE, seeds);
        let mut move_search = move_search.guided(Arc::clone(&plan.guide));
        let mut state = game.start();
        let mut history = G::History::default();
        for &mv in &start_moves {
            game.advance(&mut state, &mut history, mv);
            move_search.advance(mv);
        }
        let record = GameRecord {
            number,
            seed,
            start_moves,
            parent,
            komi,
            resign: match &original {
                None => plan.resign.map(|plan| plan.thresholds(seed)),
                // They say whether the last to move resigned, or the next.
                Some(original) => original.resign.filter(ResignThresholds::is_at_once),
            },
            evaluator: 0,
            outcome: original.as_ref().map_or(Outcome::DRAW, |original| original.outcome),
            end: original.as_ref().map_or(GameEnd::Rules, |original| original.end),
            plies: Vec::new(),
        };
        Self {
            plan,
            game,
            state,
            history,
            move_search,
            search: None,
            opening: Some(opening).filter(|opening| opening.left > 0),
            reanalyzed: original.map(ReanalyzedGame::new),
            record,
            below: TurnsBelow::default(),
            values: Values::default(),
            surprises: Vec::new(),
            random,
            counts: SearchCounts::default(),
        }
    }

    /// The finished game, and sums over its searches.
    pub fn into_record(mut self) -> (GameRecord, SearchCounts) {
        share_out(&mut self.record.plies, &self.surprises, self.plan.surprise_share);
        (self.record, self.counts)
    }

    /// Plays as much of the opening as needs no network.
    fn open_at_random(&mut self) {
        if self.plan.opening.sampler == OpeningSampler::Policy {
            return;
        }
        while let Some(opening) = self.opening {
            let mv = opening.random(&self.game, &self.state, &self.history, &mut self.random);
            self.open(opening, mv);
        }
    }

    /// Plays a sampled move of the opening; without one it is over.
    fn open(&mut self, opening: Opening, mv: Option<Move>) {
        let left = Opening { left: opening.left - 1, other_than: None };
        self.opening = mv.and(Some(left)).filter(|opening| opening.left > 0);
        if let Some(mv) = mv {
            self.record.start_moves.push(mv);
            self.advance(mv);
        }
    }

    fn advance(&mut self, mv: Move) {
        self.game.advance(&mut self.state, &mut self.history, mv);
        self.move_search.advance(mv);
    }

    /// Starts the search of an opening's position, or samples the kind of the next search and
    /// starts that.
    fn begin(&mut self) {
        let plan = &self.plan;
        if let Some(opening) = self.opening {
            self.move_search.begin(Budget::Playouts(1), plan.root_fast);
            self.search = Some(Purpose::Opening(opening));
            return;
        }
        let is_full = self.reanalyzed.is_some() || self.random.random::<f64>() < plan.full_share;
        let (kind, budget, root) = if is_full {
            (SearchKind::Full, plan.playouts, plan.root)
        } else {
            (SearchKind::Fast, plan.playouts_fast, plan.root_fast)
        };
        let reduced = |decided: DecidedPlan| decided.reduced(&self.values, budget);
        let (budget, weight) = plan.decided.map_or((budget, 1.0), reduced);
        self.move_search.begin(Budget::Playouts(budget), root);
        self.search = Some(Purpose::Ply { kind, budget, weight });
    }

    /// Takes what the search found, and plays a move.
    fn play(&mut self) {
        let Some(purpose) = self.search.take() else { return };
        let summary = self.move_search.summary();
        self.counts.add(&summary.counts);
        match purpose {
            Purpose::Ply { kind, budget, weight } => {
                self.play_ply(&summary, kind, budget, weight);
            }
            Purpose::Opening(opening) => {
                let mv = opening.by_policy(
                    &self.game,
                    &self.state,
                    &self.history,
                    &summary,
                    self.plan.opening.temperature,
                    &mut self.random,
                );
                self.open(opening, mv);
            }
        }
    }

    /// Records the search's result, chooses the move or takes the original's, and plays it.
    fn play_ply(&mut self, summary: &Summary, kind: SearchKind, budget: u32, weight: f32) {
        let original = self.reanalyzed.as_mut().and_then(ReanalyzedGame::make_searched);
        let mv = original.unwrap_or_else(|| choose_move(summary, self.choice(), &mut self.random));
        let is_full = kind == SearchKind::Full;
        let target = if is_full { self.target(summary) } else { None };
        let visits = summary.moves.iter().filter(|m| m.visits > 0).map(|m| (m.mv, m.visits));
        let ply = PlyRecord {
            mv,
            network: 0,
            kind,
            budget,
            visits: visits.collect(),
            root_value: summary.wdl,
            flags: match self.reanalyzed {
                None => ply_flags(self.record.resign.as_ref(), summary),
                Some(_) => 0,
            },
            weight,
            target,
        };
        let asks = is_full && self.plan.surprise_share > 0.0;
        self.push(ply, if asks { surprise(summary, self.plan.target) } else { 0.0 });
    }

    /// Plays the plies of a reanalyzed game that are not searched.
    fn play_unsearched(&mut self) {
        while let Some(ply) = self.reanalyzed.as_mut().and_then(ReanalyzedGame::make_unsearched) {
            self.push(ply, 0.0);
        }
    }

    /// Adds a ply whose search was so much of a surprise, and plays its move.
    fn push(&mut self, ply: PlyRecord, surprise: f64) {
        if let Some(mover) = self.game.to_move(&self.state, &self.history) {
            self.below.add(mover, &ply);
            self.values.add(mover, ply.root_value);
        }
        self.surprises.push(surprise);
        let mv = ply.mv;
        self.record.plies.push(ply);
        self.advance(mv);
    }

    /// The policy target where it is not the visits, in shares of 65,535, each rounded down.
    fn target(&self, summary: &Summary) -> Option<Vec<(Move, u16)>> {
        if self.plan.target == PolicyTarget::Visits && !summary.has_proofs() {
            return None;
        }
        let shares = policy_target(summary, self.plan.target);
        let whole = |share: f64| (share * f64::from(u16::MAX)) as u16;
        let moves = summary.moves.iter().map(|m| m.mv).zip(shares.into_iter().map(whole));
        let target: Vec<(Move, u16)> = moves.filter(|&(_, share)| share > 0).collect();
        // Without any share the visits stand.
        (!target.is_empty()).then_some(target)
    }

    fn choice(&self) -> MoveChoice {
        let plan = &self.plan;
        if matches!(plan.choice, MoveChoice::Regularized { .. } | MoveChoice::Gumbel(_)) {
            return plan.choice;
        }
        let temperature = plan.temperature_at(self.move_search.ply());
        if temperature < TEMPERATURE_MIN {
            plan.choice
        } else {
            MoveChoice::Temperature(temperature)
        }
    }

    /// True once the game is over; its end is then recorded.
    fn is_over(&mut self) -> bool {
        if let Some(reanalyzed) = &self.reanalyzed {
            return reanalyzed.is_over();
        }
        match self.game.status(&self.state, &self.history) {
            Status::Over(outcome) => self.record.outcome = outcome,
            Status::ToMove(_) if self.move_search.ply() >= self.plan.plies_max => {
                self.record.end = GameEnd::PlyLimit;
            }
            Status::ToMove(mover) => {
                let enforced = self.record.resign.filter(|resign| resign.enforced);
                let loser = enforced.and_then(|resign| self.below.resigner(mover, &resign));
                let Some(loser) = loser else { return false };
                self.record.end = GameEnd::Resigned;
                self.record.outcome = Outcome::win_of(loser.opponent());
            }
        }
        true
    }
}

impl<G: Game> GameTask<G> for SelfGame<G> {
    fn resume(&mut self, readers: &Readers<G>, request: &mut Request) -> bool {
        loop {
            if self.search.is_none() {
                self.open_at_random();
                self.play_unsearched();
                if self.opening.is_none() && self.is_over() {
                    return false;
                }
                self.begin();
            }
            if self.move_search.step(readers, request) == SearchStep::Asks {
                return true;
            }
            self.play();
        }
    }

    fn apply(&mut self, evaluation: &Evaluation) {
        self.move_search.apply(evaluation);
    }
}
