//! A game in moves, and the way from and to its words.

use dz_game::{Game, GameError, Move, Outcome, Player, RecordFormat, Status};

use crate::{By, Format, RecordError, Score, Sheet, SheetMove, Winner, error::short};

/// A game as it was played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Who, where and when.
    pub header: Header,
    /// The position it starts from, as the game's `parse_position` reads it; `None` for the start.
    pub start: Option<String>,
    /// The moves.
    pub moves: Vec<RecordedMove>,
    /// How it ended.
    pub end: RecordEnd,
}

/// What records say beside the moves; what is not known is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The first player's name and the second's.
    pub players: [Option<String>; 2],
    /// Of which run, match or tournament.
    pub event: Option<String>,
    /// Which game of it.
    pub round: Option<String>,
    /// The day, `2026-01-31`. Nothing here looks at a clock.
    pub date: Option<String>,
    /// Anything else, in lines.
    pub note: Option<String>,
}

/// A move and what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// The move.
    pub mv: Move,
    /// A comment.
    pub comment: Option<String>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordEnd {
    /// It did not, or nobody knows.
    #[default]
    Open,
    /// By the rules.
    Rules(Outcome),
    /// A player resigned.
    Resigned {
        /// Who.
        loser: Player,
    },
    /// Otherwise: at a ply limit, by time, by agreement.
    Adjudicated {
        /// Who was given the game; `None` is a draw.
        winner: Option<Player>,
    },
}

/// A sheet that was played by the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The game, up to its end by the rules.
    pub record: Record,
    /// The result as the sheet states it, whatever the rules say.
    pub stated: Score,
    /// Moves of the sheet after the end by the rules, which were left out: chess that is played on after
    /// a third repetition, for example.
    pub moves_after_end: usize,
    /// How many of the record's moves place handicap stones of the sheet, passes between them included.
    pub handicap_plies: usize,
}

impl Record {
    /// The result that records of `game` state.
    pub fn score(&self, game: &impl Game) -> Score {
        match self.end {
            RecordEnd::Open => Score::UNKNOWN,
            RecordEnd::Rules(outcome) => {
                let komi_halves = match game.record_format() {
                    RecordFormat::Sgf(root) => root.komi_halves,
                    RecordFormat::Plain | RecordFormat::Pgn => 0,
                };
                Score::of(outcome, komi_halves)
            }
            RecordEnd::Resigned { loser } => {
                Score { winner: Winner::Player(loser.opponent()), by: By::Resignation }
            }
            RecordEnd::Adjudicated { winner } => {
                let winner = winner.map_or(Winner::Draw, Winner::Player);
                Score { winner, by: By::Adjudication }
            }
        }
    }

    /// The game in words. Its text is `sheet.to_string()`.
    ///
    /// # Errors
    /// [`RecordError::WrongFormat`] for a community format that is not the game's,
    /// [`RecordError::Start`] and [`RecordError::Illegal`] for a record of another game.
    pub fn sheet<G: Game>(&self, game: &G, format: Format) -> Result<Sheet, RecordError> {
        let (spec, own) = (game.spec(), Format::of(game));
        if format.is_community() && format != own {
            return Err(RecordError::WrongFormat { game: spec.to_string(), format, own });
        }
        let mut position = Replay::new(game, self.start.as_deref(), 1)?;
        let mut moves = Vec::with_capacity(self.moves.len());
        for (ply, recorded) in self.moves.iter().enumerate() {
            let mv = recorded.mv;
            let Some(player) = position.look().filter(|_| position.is_legal(mv)) else {
                return Err(RecordError::Illegal { ply, mv: mv.0, game: spec.to_string() });
            };
            let text = if format.is_community() {
                game.record_move(&position.state, mv)
            } else {
                Some(game.format_move(mv))
            };
            // A move that is left out is forced, and whose turn is next shows that it was played.
            if let Some(text) = text {
                let comment = recorded.comment.clone();
                moves.push(SheetMove { player: Some(player), text, comment, line: 0 });
            }
            position.play(mv);
        }
        let tags = match game.record_format() {
            RecordFormat::Sgf(root) if format == Format::Sgf => crate::sgf::tags(&root),
            _ => Vec::new(),
        };
        Ok(Sheet {
            format,
            line: 0,
            game: Some(spec),
            header: self.header.clone(),
            start: self.start.clone(),
            tags,
            moves,
            score: self.score(game),
        })
    }
}

impl Sheet {
    /// Plays the sheet by the rules of `game`, checking every move.
    ///
    /// # Errors
    /// [`RecordError::Start`], [`RecordError::Move`] or [`RecordError::Turn`] with the line.
    pub fn play<G: Game>(&self, game: &G) -> Result<Played, RecordError> {
        let handicap = self.handicap(game)?;
        let mut position = Replay::new(game, self.start.as_deref(), self.line)?;
        let mut moves = Vec::with_capacity(self.moves.len());
        let mut moves_after_end = 0;
        self.place(&handicap, &mut position, &mut moves)?;
        let handicap_plies = moves.len();
        for (index, written) in self.moves.iter().enumerate() {
            let (number, line) = (index + 1, written.line);
            let words = if self.format.is_community() {
                vec![written.text.as_str()]
            } else {
                game.split_moves(&written.text)
            };
            for (left, text) in (1..=words.len()).rev().zip(words) {
                let Some(mover) = position.look() else {
                    moves_after_end += left;
                    break;
                };
                if written.player.is_some_and(|player| player != mover) {
                    let forced = position.left_out().ok_or(RecordError::Turn {
                        number,
                        line,
                        to_move: mover.name(),
                    })?;
                    position.play(forced);
                    moves.push(RecordedMove { mv: forced, comment: None });
                    position.look();
                }
                let mv = position.read(text, self.format).map_err(|source| RecordError::Move {
                    number,
                    line,
                    source,
                })?;
                position.play(mv);
                moves.push(RecordedMove { mv, comment: None });
            }
            if moves_after_end == 0
                && let Some(last) = moves.last_mut()
            {
                last.comment.clone_from(&written.comment);
            }
        }
        let end = self.end(position.status());
        let record = Record { header: self.header.clone(), start: self.start.clone(), moves, end };
        Ok(Played { record, stated: self.score, moves_after_end, handicap_plies })
    }

    /// How the game ended: by the rules if they say so, else as the sheet states. A decided game of
    /// chess that is not mate was resigned.
    fn end(&self, status: Status) -> RecordEnd {
        let Score { winner, by } = self.score;
        match (status, winner) {
            (Status::Over(outcome), _) => RecordEnd::Rules(outcome),
            (_, Winner::Unknown) => RecordEnd::Open,
            (_, Winner::Draw) => RecordEnd::Adjudicated { winner: None },
            (_, Winner::Player(player)) => {
                let resigned = by == By::Rules && self.format == Format::Pgn;
                if resigned || by == By::Resignation {
                    RecordEnd::Resigned { loser: player.opponent() }
                } else {
                    RecordEnd::Adjudicated { winner: Some(player) }
                }
            }
        }
    }

    /// Places black stones before the first move: white passes between them, which is a game by the rules that
    /// comes to the same position. Black moves on only where white is to have passed once more.
    fn place<G: Game>(
        &self,
        stones: &[&str],
        position: &mut Replay<'_, G>,
        moves: &mut Vec<RecordedMove>,
    ) -> Result<(), RecordError> {
        let black_begins = self.moves.first().is_some_and(|mv| mv.player == Some(Player::First));
        let passes = if black_begins { stones.len() } else { stones.len().saturating_sub(1) };
        for (number, &stone) in (1..).zip(stones) {
            for text in [stone, ""].into_iter().take(1 + usize::from(number <= passes)) {
                position.look();
                let mv = position.read(text, self.format).map_err(|error| {
                    let what = format!("handicap stone {number}: {error}");
                    RecordError::Start { line: self.line, what: short(&what) }
                })?;
                position.play(mv);
                moves.push(RecordedMove { mv, comment: None });
            }
        }
        Ok(())
    }

    /// The black stones that are set up in Go, a handicap. Others must be those of the start.
    fn handicap(&self, game: &impl Game) -> Result<Vec<&str>, RecordError> {
        let stands = |name: &str| self.tags.iter().any(|(key, v)| key == name && !v.is_empty());
        if game.spec().name() == "go" && !stands("AW") && !stands("AE") {
            let stones = self.tags.iter().filter(|(key, _)| key == "AB").flat_map(|(_, v)| v);
            return Ok(stones.map(|stone| stone.trim()).collect());
        }
        self.check_setup(game).map(|()| Vec::new())
    }

    /// Stones that the record sets up must be those of the start.
    fn check_setup(&self, game: &impl Game) -> Result<(), RecordError> {
        let own = match game.record_format() {
            RecordFormat::Sgf(root) => crate::sgf::tags(&root),
            RecordFormat::Plain | RecordFormat::Pgn => Vec::new(),
        };
        for name in ["AB", "AW", "AE"] {
            let of = |tags: &[(String, Vec<String>)]| {
                let found = tags.iter().filter(|(key, _)| key == name).flat_map(|(_, v)| v);
                let mut points: Vec<String> = found.map(|v| v.to_ascii_lowercase()).collect();
                points.sort();
                points
            };
            let points = of(&self.tags);
            if !points.is_empty() && points != of(&own) {
                let what = format!(
                    "the record sets stones up ({name}); only games from the start of {}, in Go also with \
                     black handicap stones, can be played",
                    game.spec()
                );
                return Err(RecordError::Start { line: self.line, what: short(&what) });
            }
        }
        Ok(())
    }
}

/// A position that moves lead on from.
struct Replay<'a, G: Game> {
    game: &'a G,
    state: G::State,
    history: G::History,
    legal: Vec<Move>,
}

impl<'a, G: Game> Replay<'a, G> {
    fn new(game: &'a G, start: Option<&str>, line: usize) -> Result<Self, RecordError> {
        let state = start.map_or_else(|| Ok(game.start()), |text| game.parse_position(text));
        let state = state.map_err(|e| RecordError::Start { line, what: short(&e.to_string()) })?;
        Ok(Self { game, state, history: G::History::default(), legal: Vec::new() })
    }

    fn status(&self) -> Status {
        self.game.status(&self.state, &self.history)
    }

    /// Finds the legal moves, and the mover if the game goes on.
    fn look(&mut self) -> Option<Player> {
        self.game.legal_moves(&self.state, &self.history, &mut self.legal);
        self.game.to_move(&self.state, &self.history)
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.legal.binary_search(&mv).is_ok()
    }

    /// The one legal move, if records leave it out.
    fn left_out(&self) -> Option<Move> {
        let &[mv] = self.legal.as_slice() else { return None };
        self.game.record_move(&self.state, mv).is_none().then_some(mv)
    }

    /// The legal move that `text` names.
    fn read(&self, text: &str, format: Format) -> Result<Move, GameError> {
        let mv = if format.is_community() {
            self.game.parse_record_move(&self.state, text)?
        } else {
            self.game.parse_move(&self.state, text)?
        };
        if self.is_legal(mv) {
            return Ok(mv);
        }
        let name = |&mv: &Move| {
            let own = || Some(self.game.format_move(mv));
            let recorded = format.is_community().then(|| self.game.record_move(&self.state, mv));
            recorded.unwrap_or_else(own).unwrap_or_else(|| self.game.format_move(mv))
        };
        let legal = self.legal.iter().map(name).collect::<Vec<_>>().join(" ");
        Err(GameError::IllegalMove { text: text.to_owned(), legal })
    }

    fn play(&mut self, mv: Move) {
        self.game.advance(&mut self.state, &mut self.history, mv);
    }
}
