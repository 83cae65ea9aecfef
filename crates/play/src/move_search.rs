//! A search driven by sources of evaluations, one move after another.

use std::collections::VecDeque;
use std::sync::Arc;

use dz_game::{Game, Key, Move, Player, Symmetry, mix64};
use dz_infer::{
    Answer, EncodedLeaf, Evaluation, EvaluatorError, Expected, LeafView, Readers, Request, Sources,
    Ticket, symmetry_of,
};
use dz_search::{
    Budget, Compact, Gathered, LeafId, NetworkAnswer, RootSetup, SavedError, SavedSearch, Search,
    SearchParams, Summary,
};

use crate::Guide;

/// A search with what it needs to be driven in lockstep.
#[derive(Debug)]
pub struct MoveSearch<G: Game> {
    search: Search<G>,
    source: usize,
    /// With the ply: fixes symmetries and every random word of the search.
    seed: GameSeed,
    ply: u32,
    reuse: bool,
    priors: Vec<f32>,
    heuristics: Vec<f32>,
    /// Heuristics before they are rounded.
    exact_heuristics: Vec<f64>,
    guide: Arc<Guide>,
    rollout_moves: Vec<(Player, Move)>,
    /// Leaves to answer, in the order in which they were asked for.
    waiting: VecDeque<LeafId>,
}

/// What the random choices of one game's searches depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameSeed {
    /// The seed of the run or match.
    pub run_seed: u64,
    /// The game's number in it.
    pub game_number: u64,
}

/// Batches of one search: outstanding ones, the oldest first, and leaves that wait to be sent.
#[derive(Debug, Default)]
pub struct Pipeline {
    held: Vec<EncodedLeaf>,
    out: VecDeque<(Ticket, Vec<EncodedLeaf>)>,
}

impl Pipeline {
    /// Waits for outstanding requests to source `source`, so that another search can begin. The
    /// answers go to the cache only. A source that fails reports that at the next request.
    pub fn clear<G: Game>(&mut self, sources: &mut Sources<G>, source: usize) {
        self.held.clear();
        for (ticket, leaves) in self.out.drain(..) {
            let _ = sources.evaluations(source, ticket, &leaves);
        }
    }
}

/// What one step of a search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchStep {
    /// The search is decided; read [`MoveSearch::summary`].
    Decided,
    /// A position must be evaluated in a batch.
    Asks,
}

/// What a search gets to know of a position.
fn answer_of(expected: Expected, priors: &[f32]) -> NetworkAnswer<'_, f32> {
    let Expected { wdl, margin, error } = expected;
    NetworkAnswer { margin, error, ..NetworkAnswer::new(wdl.into(), priors) }
}

/// Batches that are out at a time where one device or one thread works on them: a small batch would
/// take it as long as a large one, or leave nobody else waiting.
const BATCHES_OF_ONE: usize = 2;

/// Leaves of a batch for a thread that waits: enough to share the reading of the weights among
/// them.
const LEAVES_OF_IDLE: usize = 4;

impl<G: Game> MoveSearch<G> {
    /// A search at the start of a game that asks source `source`.
    pub fn new(game: &G, params: SearchParams, reuse: bool, source: usize, seed: GameSeed) -> Self {
        let search = Search::new(game.clone(), params, game.start(), G::History::default());
        Self::at(search, reuse, source, seed)
    }

    /// As [`MoveSearch::new`] for a search at any position.
    pub fn at(search: Search<G>, reuse: bool, source: usize, seed: GameSeed) -> Self {
        let guide = Arc::new(Guide::of(search.params().rollout));
        let mut search = search;
        search.set_knowledge(guide.clone());
        Self {
            search,
            source,
            seed,
            ply: 0,
            reuse,
            priors: Vec::new(),
            heuristics: Vec::new(),
            exact_heuristics: Vec::new(),
            guide,
            rollout_moves: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    /// The same with rollouts and heuristics of its player, which may come from files.
    #[must_use]
    pub fn guided(mut self, guide: Arc<Guide>) -> Self {
        self.search.set_knowledge(guide.clone());
        Self { guide, ..self }
    }

    /// Starts on the move at hand.
    pub fn begin(&mut self, budget: Budget, setup: impl Into<RootSetup>) {
        let GameSeed { run_seed, game_number } = self.seed;
        let seed = mix64(mix64(run_seed ^ mix64(game_number)) ^ u64::from(self.ply));
        self.search.start(budget, seed, setup);
        self.waiting.clear();
    }

    /// Thinks of none but these moves of the position at hand; see [`Search::restrict`].
    pub fn restrict(&mut self, moves: &[Move]) {
        self.search.restrict(moves.iter().copied());
        self.waiting.clear();
    }

    /// Goes on until the move is decided or a batch evaluation is needed, which `request` holds
    /// then.
    ///
    /// As many leaves as may wait are gathered before the first is answered, in their order, so
    /// that neither caches nor batches decide where the search goes.
    pub fn step(&mut self, readers: &Readers<G>, request: &mut Request) -> SearchStep {
        loop {
            while let Some(&id) = self.waiting.front() {
                if self.answer(id, readers, request) {
                    return SearchStep::Asks;
                }
                self.waiting.pop_front();
            }
            self.gather();
            if self.waiting.is_empty() {
                return SearchStep::Decided;
            }
        }
    }

    /// As [`MoveSearch::step`] for a search that has its source to itself. Keeps as many batches
    /// out as the source asks for, then takes the answers of the oldest. False once the search is
    /// decided and nothing is out.
    ///
    /// Answers are taken in the order of the batches, so the result does not depend on which batch
    /// is done first.
    ///
    /// # Errors
    /// What the source reports.
    pub fn step_pipelined(
        &mut self,
        sources: &mut Sources<G>,
        pipeline: &mut Pipeline,
    ) -> Result<bool, EvaluatorError> {
        let step = self.fill_and_wait(sources, pipeline);
        if step.is_err() {
            // Answers that come yet would be taken for those of other leaves.
            pipeline.clear(sources, self.source);
            self.waiting.clear();
        }
        step
    }

    fn fill_and_wait(
        &mut self,
        sources: &mut Sources<G>,
        pipeline: &mut Pipeline,
    ) -> Result<bool, EvaluatorError> {
        let batches = sources.batches(self.source);
        let most = self.batch_leaves(batches);
        let Pipeline { held, out } = pipeline;
        while out.len() < batches {
            // A thread that has nothing to do gets a few leaves soon instead of many later.
            let idles = batches > BATCHES_OF_ONE && out.len() < batches.div_ceil(2);
            let most = if idles { most.min(LEAVES_OF_IDLE) } else { most };
            self.gather_leaves(sources.readers(), held, most);
            // A batch that is not full waits for what the next answers open, unless it is waited
            // for.
            let wanted = held.len() >= most || out.len() < batches.div_ceil(2);
            if held.is_empty() || !wanted {
                break;
            }
            let ticket = sources.submit(self.source, &held.iter().collect::<Vec<_>>())?;
            out.push_back((ticket, std::mem::take(held)));
        }
        let Some((ticket, leaves)) = out.pop_front() else { return Ok(false) };
        for evaluation in sources.evaluations(self.source, ticket, &leaves)? {
            self.apply(&evaluation);
        }
        Ok(true)
    }

    /// Leaves of the next batch, where `batches` are out at a time. For several threads fewer at
    /// first, so that all have some as soon as can be, and fewer at last, so that all end together.
    fn batch_leaves(&self, batches: usize) -> usize {
        let most = (self.search.params().leaves_max as usize).div_ceil(batches);
        if batches <= BATCHES_OF_ONE {
            return most;
        }
        let done = self.search.counts().playouts as usize;
        let left = (self.search.playouts_left() as usize).saturating_sub(self.waiting.len());
        most.min(done.div_ceil(batches)).min(left.div_ceil(batches)).max(1)
    }

    /// Adds leaves to a batch until it has `most` of them or the search must wait. Those whose
    /// answers are known are answered, each time after as many as fit were gathered.
    fn gather_leaves(&mut self, readers: &Readers<G>, batch: &mut Vec<EncodedLeaf>, most: usize) {
        while batch.len() < most {
            let room = most - batch.len();
            let gathered: Vec<LeafId> = (0..room).map_while(|_| self.gather_one()).collect();
            if gathered.is_empty() {
                return;
            }
            for id in gathered {
                let mut request = Request::default();
                if self.answer(id, readers, &mut request) {
                    batch.push(request.leaf);
                    self.waiting.push_back(id);
                }
            }
        }
    }

    /// Goes on with another budget, counted from [`MoveSearch::begin`].
    pub fn extend(&mut self, budget: Budget) {
        self.search.extend(budget);
    }

    /// Takes the evaluation that [`MoveSearch::step`] asked for.
    pub fn apply(&mut self, evaluation: &Evaluation) {
        if let Some(id) = self.waiting.pop_front() {
            self.find_heuristics(id);
            let Evaluation { expected, priors } = evaluation;
            let heuristics = &self.heuristics[..];
            let answer = NetworkAnswer { heuristics, ..answer_of(*expected, priors) };
            self.search.apply_network(id, &answer);
        }
    }

    /// Fills `heuristics` with the heuristic values of a leaf's moves. It stays empty if the
    /// search does not use them.
    fn find_heuristics(&mut self, id: LeafId) {
        self.heuristics.clear();
        if self.search.params().equivalent_visits == 0 {
            return;
        }
        let Some(leaf) = self.search.leaf(id) else { return };
        let values = &mut self.exact_heuristics;
        self.guide.heuristics(self.search.domain(), leaf.state, leaf.legal, values);
        self.heuristics.extend(values.iter().map(|&value| value as f32));
    }

    fn gather(&mut self) {
        let leaves_max = self.search.params().leaves_max as usize;
        while self.waiting.len() < leaves_max {
            let Some(id) = self.gather_one() else { break };
            self.waiting.push_back(id);
        }
    }

    fn gather_one(&mut self) -> Option<LeafId> {
        match self.search.gather() {
            Gathered::Need(id) => Some(id),
            Gathered::Decided | Gathered::Wait => None,
        }
    }

    /// Gives a leaf what it wants, as far as that is known at once. Returns true if the rest needs
    /// a batch evaluation, which `request` then asks for.
    fn answer(&mut self, id: LeafId, readers: &Readers<G>, request: &mut Request) -> bool {
        let found = self.search.leaf(id).zip(self.search.leaf_eval_key(id));
        let Some((leaf, eval_key)) = found else { return false };
        let wants = leaf.wants;
        let game = self.search.domain();
        let count = game.symmetry_count();
        let GameSeed { run_seed, game_number } = self.seed;
        let view = LeafView {
            game,
            state: leaf.state,
            history: leaf.history,
            legal: leaf.legal,
            eval_key,
            symmetry: symmetry_of(run_seed, game_number, self.ply, eval_key, count),
            last: leaf.last,
            random: leaf.random,
        };
        let answer = wants.network.then(|| readers.ask(self.source, &view, &mut self.priors));
        if answer == Some(Answer::Missing) {
            request.source = self.source;
            readers.encode(self.source, &view, &mut request.leaf);
        }
        self.play_rollouts(id, eval_key, wants.rollouts);
        let (expected, cached) = match answer {
            Some(Answer::Instant(expected)) => (expected, false),
            Some(Answer::Cached(expected)) => (expected, true),
            Some(Answer::Missing) => return true,
            None => return false,
        };
        self.find_heuristics(id);
        let heuristics = &self.heuristics[..];
        let answer = NetworkAnswer { heuristics, cached, ..answer_of(expected, &self.priors) };
        self.search.apply_network(id, &answer);
        false
    }

    /// Plays so many rollouts from a leaf with this key.
    fn play_rollouts(&mut self, id: LeafId, eval_key: Key, count: u32) {
        let mut before = None;
        for _ in 0..count {
            let Some(leaf) = self.search.leaf(id) else { return };
            // Other words than those of evaluators that play rollouts.
            let random = mix64(before.unwrap_or(leaf.random));
            before = Some(random);
            let view = LeafView {
                game: self.search.domain(),
                state: leaf.state,
                history: leaf.history,
                legal: leaf.legal,
                eval_key,
                symmetry: Symmetry::IDENTITY,
                last: leaf.last,
                random,
            };
            let outcome = self.guide.play(&view, &mut self.rollout_moves);
            self.search.apply_rollout(id, outcome.into(), &self.rollout_moves);
        }
    }

    /// Plays a move, one's own or the opponent's.
    pub fn advance(&mut self, mv: Move) {
        self.search.advance(mv, self.reuse);
        self.ply += 1;
    }

    /// Returns the search, from which a search of the same position by the same player can go on.
    /// Leaves that wait are dropped.
    ///
    /// # Errors
    /// [`SavedError::States`].
    pub fn save(&mut self) -> Result<SavedSearch<Compact>, SavedError> {
        self.waiting.clear();
        self.search.save()
    }

    /// Makes this the search that [`MoveSearch::save`] saved; [`MoveSearch::begin`] keeps its
    /// visits.
    ///
    /// # Errors
    /// [`SavedError`] if it belongs to another position or player, or is damaged.
    pub fn restore(&mut self, saved: SavedSearch<Compact>) -> Result<(), SavedError> {
        // A search that cannot be restored is empty, and this one must stay unchanged then.
        let mut search = self.search.clone();
        search.restore(saved)?;
        self.search = search;
        self.waiting.clear();
        Ok(())
    }

    /// Returns the evaluator's name with the hashes of the player's files. Equal names stand for
    /// equal searches.
    pub fn evaluator_with_files(&self, evaluator: &str) -> String {
        self.guide.named(evaluator)
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
