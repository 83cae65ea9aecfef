//! A search driven by sources of evaluations, one move after another.

use std::collections::VecDeque;

use dz_game::{Game, Move, Player, mix64};
use dz_infer::{Answer, Evaluation, LeafView, Readers, Request, Rollout, symmetry_of};
use dz_search::{
    Budget, Gathered, LeafId, NetworkAnswer, RootSetup, Search, SearchParams, Summary,
};

/// A search with what it needs to be driven in lockstep.
#[derive(Debug)]
pub struct Thinker<G: Game> {
    search: Search<G>,
    source: usize,
    /// With the game's number and the ply: fixes symmetries and every random word of the search.
    run_seed: u64,
    game_number: u64,
    ply: u32,
    reuse: bool,
    priors: Vec<f32>,
    rollout_moves: Vec<(Player, Move)>,
    /// Leaves to answer; while a batch is out, the first is in it.
    waiting: VecDeque<LeafId>,
}

/// What thinking came to.
#[derive(Debug)]
pub enum Thought<G: Game> {
    /// The search is decided; read [`Thinker::summary`].
    Decided,
    /// A position must be evaluated in a batch.
    Need(Request<G>),
}

impl<G: Game> Thinker<G> {
    /// A thinker at the start of game `game_number` that asks source `source`.
    pub fn new(
        game: &G,
        params: SearchParams,
        reuse: bool,
        source: usize,
        (run_seed, game_number): (u64, u64),
    ) -> Self {
        let search = Search::new(game.clone(), params, game.start(), G::History::default());
        Self::at(search, reuse, source, (run_seed, game_number))
    }

    /// A thinker over a search that stands anywhere.
    pub fn at(
        search: Search<G>,
        reuse: bool,
        source: usize,
        (run_seed, game_number): (u64, u64),
    ) -> Self {
        Self {
            search,
            source,
            run_seed,
            game_number,
            ply: 0,
            reuse,
            priors: Vec::new(),
            rollout_moves: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Starts on the move at hand.
    pub fn begin(&mut self, budget: Budget, setup: impl Into<RootSetup>) {
        let seed = mix64(mix64(self.run_seed ^ mix64(self.game_number)) ^ u64::from(self.ply));
        self.search.start(budget, seed, setup);
        self.waiting.clear();
    }

    /// Goes on until the move is decided or a batch evaluation is needed.
    ///
    /// As many leaves as may wait are gathered before the first is answered, in their order, so that
    /// neither caches nor batches decide where the search goes.
    pub fn think(&mut self, readers: &Readers<G>) -> Thought<G> {
        loop {
            while let Some(&id) = self.waiting.front() {
                if let Some(request) = self.answer(id, readers) {
                    return Thought::Need(request);
                }
                self.waiting.pop_front();
            }
            self.gather();
            if self.waiting.is_empty() {
                return Thought::Decided;
            }
        }
    }

    /// As [`Thinker::think`] for a search that is alone with the device: asks for all leaves that wait at
    /// once. Leaves whose answers are known are answered first. Empty once the search is decided.
    pub fn think_together(&mut self, readers: &Readers<G>) -> Vec<Request<G>> {
        loop {
            self.gather();
            if self.waiting.is_empty() {
                return Vec::new();
            }
            let mut requests = Vec::new();
            for id in std::mem::take(&mut self.waiting) {
                if let Some(request) = self.answer(id, readers) {
                    requests.push(request);
                    self.waiting.push_back(id);
                }
            }
            if !requests.is_empty() {
                return requests;
            }
        }
    }

    /// Goes on with another budget, counted from [`Thinker::begin`].
    pub fn extend(&mut self, budget: Budget) {
        self.search.extend(budget);
    }

    /// Takes the evaluation that `think` asked for, or one of those of `think_together`, in their order.
    pub fn apply(&mut self, evaluation: &Evaluation) {
        if let Some(id) = self.waiting.pop_front() {
            self.search.apply(id, evaluation.wdl, &evaluation.priors);
        }
    }

    fn gather(&mut self) {
        let leaves_max = self.search.params().leaves_max as usize;
        while self.waiting.len() < leaves_max {
            let Gathered::Need(id) = self.search.gather() else { break };
            self.waiting.push_back(id);
        }
    }

    /// Gives a leaf what it wants, as far as that is known at once.
    fn answer(&mut self, id: LeafId, readers: &Readers<G>) -> Option<Request<G>> {
        let (leaf, eval_key) = (self.search.leaf(id)?, self.search.leaf_eval_key(id)?);
        let wants = leaf.wants;
        let game = self.search.domain();
        let count = game.symmetry_count();
        let view = LeafView {
            game,
            state: leaf.state,
            history: leaf.history,
            legal: leaf.legal,
            eval_key,
            symmetry: symmetry_of(self.run_seed, self.game_number, self.ply, eval_key, count),
            random: leaf.random,
        };
        let answer = wants.network.then(|| readers.ask(self.source, &view, &mut self.priors));
        let request = (answer == Some(Answer::Missing))
            .then(|| Request { source: self.source, leaf: view.to_leaf() });
        if wants.rollout {
            let view = LeafView { random: mix64(view.random), ..view };
            let outcome = Rollout::default().play(&view, &mut self.rollout_moves);
            self.search.apply_rollout(id, outcome.into(), &self.rollout_moves);
        }
        let (wdl, cached) = match answer {
            Some(Answer::Instant(wdl)) => (wdl, false),
            Some(Answer::Cached(wdl)) => (wdl, true),
            Some(Answer::Missing) | None => return request,
        };
        let (estimate, priors) = (wdl.into(), &self.priors[..]);
        let answer = NetworkAnswer { estimate, priors, heuristics: &[], cached };
        self.search.apply_network(id, &answer);
        None
    }

    /// Plays a move, one's own or the opponent's.
    pub fn advance(&mut self, mv: Move) {
        self.search.advance(mv, self.reuse);
        self.ply += 1;
    }

    /// The root as it stands.
    pub fn summary(&self) -> Summary {
        self.search.summary()
    }

    /// The search.
    pub fn search(&self) -> &Search<G> {
        &self.search
    }

    /// Moves made so far.
    pub fn ply(&self) -> u32 {
        self.ply
    }
}
