//! The session of one concrete game.

use std::fmt;

use dz_external_engines::size_of;
use dz_game::{Display, Game, GameError, GameSpec, Move, Outcome, Player, Status, Symmetry, Wdl};
use dz_infer::{Answer, EvaluatorError, LeafView, Sources};
use dz_play::{
    GameSeed, MatchPlayer, MoveSearch, PlayerError, PlayerKind, PlayerPool, SearchPlayer,
    check_numbers,
};
use dz_record::{Format, Played, Record, RecordError, Sheet};
use dz_search::{Budget, ScoreUtility, SearchCounts, SearchParams, choose_move};
use dz_search_file::SearchIdentity;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{
    Evaluated, Refusal, Report, Session,
    position::{Position, legal},
    searcher::Searcher,
};

/// A session of one game.
pub struct GameSession<G: Game> {
    name: String,
    /// Whether moves are named as the game names them; else as protocols do.
    own_names: bool,
    position: Position<G>,
    sources: Sources<G>,
    move_source: MoveSource<G>,
    seed: u64,
    games: u64,
}

enum MoveSource<G: Game> {
    Random { random: Xoshiro256PlusPlus, legal: Vec<Move> },
    Search(Box<Searcher<G>>),
}

impl<G: Game> fmt::Debug for GameSession<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameSession").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<G: Game> GameSession<G> {
    /// Makes a session at the start of a game. `seed` fixes every random choice. The budget of a
    /// move is given with every search, not by `player`.
    ///
    /// # Errors
    /// If the player cannot be loaded.
    pub fn new(
        player: &MatchPlayer,
        mut pool: PlayerPool<G>,
        seed: u64,
    ) -> Result<Self, PlayerError> {
        let random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let move_source = match &player.kind {
            // Other programs have front ends of their own; no command makes a session of one.
            PlayerKind::Random | PlayerKind::Engine(_) => {
                MoveSource::Random { random, legal: Vec::new() }
            }
            PlayerKind::Search(search) => {
                let ready = pool.prepare(player)?;
                let search = with_points(search, &mut pool, ready.source);
                MoveSource::Search(Box::new(Searcher::new(search, ready, random)))
            }
        };
        let position = Position::new(pool.game().clone());
        Ok(Self {
            name: player.name.clone(),
            own_names: false,
            position,
            sources: pool.into_sources(),
            move_source,
            seed,
            games: 0,
        })
    }

    /// Names moves as the game's own board does, for people who look at it.
    #[must_use]
    pub fn with_own_names(self) -> Self {
        Self { own_names: true, ..self }
    }
}

/// The same player, whose search keeps points for reports where its evaluator knows them.
fn with_points<G: Game>(
    player: &SearchPlayer,
    pool: &mut PlayerPool<G>,
    source: usize,
) -> SearchPlayer {
    let mut player = player.clone();
    let game = pool.game().clone();
    if player.params.score_utility.is_none() {
        let kept = SearchParams { score_utility: Some(ScoreUtility::NOTHING), ..player.params };
        let has_points = check_numbers(&game, &kept, pool.sources(), source).is_ok();
        if has_points && kept.validate().is_ok() {
            player.params = kept;
        }
    }
    player
}

impl<G: Game> GameSession<G> {
    /// The search of the position at hand, and the name of its evaluator.
    fn search_at_hand(&mut self) -> Result<(&mut MoveSearch<G>, String), String> {
        let Status::ToMove(mover) = self.position.status() else {
            return Err("the game is over".to_owned());
        };
        let line = self.position.line_with_turn(mover).map_err(|error| error.to_string())?;
        let seed = GameSeed { run_seed: self.seed, game_number: self.games };
        let MoveSource::Search(searcher) = &mut self.move_source else {
            return Err("the player does not search".to_owned());
        };
        searcher.stop(&mut self.sources);
        searcher.set_position(&self.position, line, &[], seed);
        let id = self.sources.ids().get(searcher.source).cloned().unwrap_or_default();
        match &mut searcher.search {
            Some((search, _)) => Ok((search, id)),
            None => Err("there is no search".to_owned()),
        }
    }
}

impl<G: Game> Session for GameSession<G> {
    fn spec(&self) -> GameSpec {
        self.position.game().spec()
    }

    fn display(&self) -> Display {
        self.position.game().display()
    }

    fn has_komi(&self) -> bool {
        self.position.game().komi().is_some()
    }

    fn size(&self) -> Option<u16> {
        size_of(self.position.game())
    }

    fn player(&self) -> &str {
        &self.name
    }

    fn status(&self) -> Status {
        self.position.status()
    }

    fn legal(&self) -> Vec<Move> {
        self.position.legal()
    }

    fn pass(&self) -> Option<Move> {
        self.position.pass()
    }

    fn format(&self, mv: Move) -> String {
        let game = self.position.game();
        if self.own_names {
            game.format_move(mv)
        } else {
            game.protocol_move(self.position.state(), mv)
        }
    }

    fn parse(&self, text: &str) -> Result<Move, GameError> {
        let game = self.position.game();
        let state = self.position.state();
        if self.own_names {
            game.parse_move(state, text)
        } else {
            game.parse_protocol_move(state, text)
        }
    }

    fn log(&self) -> &[(Player, Move)] {
        self.position.log()
    }

    fn play(&mut self, player: Player, mv: Move) -> Result<(), Refusal> {
        self.position.play(player, mv)
    }

    fn undo(&mut self) -> bool {
        self.position.undo()
    }

    fn fix_handicap(&mut self) {
        self.position.fix_handicap();
    }

    fn handicap_moves(&self) -> usize {
        self.position.handicap_moves()
    }

    fn moves_after_draw(&self) -> Option<(Player, Vec<Move>)> {
        self.position.moves_after_draw()
    }

    fn start_text(&self) -> Option<&str> {
        self.position.start_text()
    }

    fn begin_game(&mut self, position: Option<&str>) -> Result<(), GameError> {
        self.position.reset(position)?;
        self.games += 1;
        if let MoveSource::Search(searcher) = &mut self.move_source {
            searcher.stop(&mut self.sources);
            searcher.search = None;
        }
        Ok(())
    }

    fn stones(&self) -> Option<Vec<Option<Player>>> {
        self.position.game().stones(self.position.state())
    }

    fn position_text(&self) -> Option<String> {
        self.position.game().position_text(self.position.state())
    }

    fn board(&self) -> String {
        self.position.game().render(self.position.state())
    }

    fn score(&self) -> Option<Outcome> {
        self.position.score()
    }

    fn read_record(&self, sheet: &Sheet) -> Result<Played, RecordError> {
        sheet.play(self.position.game())
    }

    fn write_record(&self, record: &Record, format: Format) -> Result<String, RecordError> {
        Ok(record.sheet(self.position.game(), format)?.to_string())
    }

    fn record_format(&self) -> Format {
        Format::of(self.position.game())
    }

    fn begin_among(
        &mut self,
        player: Player,
        playouts: Option<u32>,
        among: &[Move],
    ) -> Result<(), Refusal> {
        let line = self.position.line_with_turn(player)?;
        match &mut self.move_source {
            MoveSource::Random { legal: moves, .. } => {
                let (state, history) = self.position.after(&line);
                *moves = legal(self.position.game(), &state, &history);
                if moves.iter().any(|mv| among.contains(mv)) {
                    moves.retain(|mv| among.contains(mv));
                }
            }
            MoveSource::Search(searcher) => {
                searcher.stop(&mut self.sources);
                let seed = GameSeed { run_seed: self.seed, game_number: self.games };
                searcher.set_position(&self.position, line, among, seed);
                searcher.playouts_max = playouts;
                if let Some((search, _)) = &mut searcher.search {
                    let budget = playouts.map_or(Budget::Open, Budget::Playouts);
                    search.begin(budget, searcher.player.root);
                }
            }
        }
        Ok(())
    }

    fn search(&mut self, playouts: u32) -> Result<bool, EvaluatorError> {
        match &mut self.move_source {
            MoveSource::Random { .. } => Ok(true),
            MoveSource::Search(searcher) => searcher.search_on(&mut self.sources, playouts),
        }
    }

    fn save_search(&mut self) -> Result<Vec<u8>, String> {
        let (search, id) = self.search_at_hand()?;
        let identity = identity_of(search, &id);
        let saved = search.save().map_err(|error| error.to_string())?;
        identity.to_bytes(&saved).map_err(|error| error.to_string())
    }

    fn load_search(&mut self, bytes: &[u8]) -> Result<u32, String> {
        let (search, id) = self.search_at_hand()?;
        let saved = identity_of(search, &id).read(bytes).map_err(|error| error.to_string())?;
        search.restore(saved).map_err(|error| error.to_string())?;
        Ok(search.summary().visits)
    }

    fn report(&self) -> Report {
        let found = match &self.move_source {
            MoveSource::Random { .. } => None,
            MoveSource::Search(searcher) => searcher.report(),
        };
        found.unwrap_or(Report {
            visits: 0,
            counts: SearchCounts::default(),
            wdl: Wdl::UNKNOWN,
            lead: None,
            moves: Vec::new(),
        })
    }

    fn choose(&mut self) -> Option<Move> {
        match &mut self.move_source {
            MoveSource::Random { random, legal } => {
                (!legal.is_empty()).then(|| legal[random.random_range(0..legal.len())])
            }
            MoveSource::Search(searcher) => {
                let summary = searcher.search.as_ref()?.0.summary();
                let any = !summary.moves.is_empty();
                any.then(|| choose_move(&summary, searcher.player.choice, &mut searcher.random))
            }
        }
    }

    fn evaluate(&mut self, symmetry: Symmetry) -> Result<Option<Evaluated>, EvaluatorError> {
        let (MoveSource::Search(searcher), legal) = (&self.move_source, self.position.legal())
        else {
            return Ok(None);
        };
        if legal.is_empty() {
            return Ok(None);
        }
        let state = self.position.state();
        let history = self.position.history();
        let game = self.position.game();
        let eval_key = game.eval_key(state, history);
        let random = self.seed;
        let last = None;
        let view =
            LeafView { game, state, history, legal: &legal, eval_key, symmetry, last, random };
        let mut priors = Vec::new();
        let wdl = match self.sources.readers().ask(searcher.source, &view, &mut priors) {
            Answer::Instant(expected) | Answer::Cached(expected) => expected.wdl,
            Answer::Missing => {
                let mut found =
                    self.sources.evaluate(searcher.source, std::slice::from_ref(&view))?;
                let Some(evaluation) = found.pop() else { return Ok(None) };
                priors = evaluation.priors;
                evaluation.expected.wdl
            }
        };
        Ok(Some((wdl, legal.into_iter().zip(priors).collect())))
    }

    fn ownership(&mut self, symmetry: Symmetry) -> Result<Option<Vec<f32>>, EvaluatorError> {
        let (MoveSource::Search(searcher), legal) = (&self.move_source, self.position.legal())
        else {
            return Ok(None);
        };
        if legal.is_empty() {
            return Ok(None);
        }
        let state = self.position.state();
        let history = self.position.history();
        let game = self.position.game();
        let eval_key = game.eval_key(state, history);
        let (last, random) = (None, 0);
        let view =
            LeafView { game, state, history, legal: &legal, eval_key, symmetry, last, random };
        self.sources.ownership(searcher.source, &view)
    }

    fn symmetry_count(&self) -> u8 {
        self.position.game().symmetry_count()
    }
}

/// Returns what a saved search of this position by this player belongs to.
fn identity_of<G: Game>(search: &MoveSearch<G>, evaluator: &str) -> SearchIdentity {
    let at = search.search();
    let subject = at.domain().spec().to_string();
    SearchIdentity::of(at, subject, search.evaluator_with_files(evaluator))
}
