//! A search driven by sources of evaluations, one move after another.

use dz_game::{Game, Move, mix64};
use dz_infer::{Answer, Evaluation, LeafView, Readers, Request, symmetry_of};
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
    /// The leaf that a batch is to evaluate.
    asked: LeafId,
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
        let priors = Vec::new();
        Self { search, source, run_seed, game_number, ply: 0, reuse, priors, asked: LeafId::FIRST }
    }

    /// Starts on the move at hand.
    pub fn begin(&mut self, budget: Budget, setup: impl Into<RootSetup>) {
        let seed = mix64(mix64(self.run_seed ^ mix64(self.game_number)) ^ u64::from(self.ply));
        self.search.start(budget, seed, setup);
    }

    /// Goes on until the move is decided or a batch evaluation is needed.
    pub fn think(&mut self, readers: &Readers<G>) -> Thought<G> {
        while let Gathered::Need(id) = self.search.gather() {
            let (Some(leaf), Some(eval_key)) =
                (self.search.leaf(id), self.search.leaf_eval_key(id))
            else {
                break;
            };
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
            let (wdl, cached) = match readers.ask(self.source, &view, &mut self.priors) {
                Answer::Instant(wdl) => (wdl, false),
                Answer::Cached(wdl) => (wdl, true),
                Answer::Missing => {
                    self.asked = id;
                    return Thought::Need(Request { source: self.source, leaf: view.to_leaf() });
                }
            };
            let (estimate, priors) = (wdl.into(), &self.priors[..]);
            let answer = NetworkAnswer { estimate, priors, heuristics: &[], cached };
            self.search.apply_network(id, &answer);
        }
        Thought::Decided
    }

    /// Takes the evaluation that `think` asked for.
    pub fn apply(&mut self, evaluation: &Evaluation) {
        self.search.apply(self.asked, evaluation.wdl, &evaluation.priors);
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
