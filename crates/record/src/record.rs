//! A game in moves, and its conversion to a sheet.

use dz_game::{Game, Move, Outcome, Player, RecordFormat};

use crate::{
    By, Format, Header, Notes, RecordError, Score, SetUp, Sheet, SheetMove, Winner, replay::Replay,
};

/// A game as it was played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Who, where and when.
    pub header: Header,
    /// The position it starts from, as the game's `parse_position` reads it; `None` for the start.
    pub start: Option<String>,
    /// The moves.
    pub moves: Vec<RecordedMove>,
    /// Where the game goes on from a position that the moves before do not lead to, by ascending
    /// plies.
    pub breaks: Vec<Break>,
    /// How it ended.
    pub end: RecordEnd,
}

/// A position that does not follow from the moves before it, because players take turns by the
/// rules. It has no past: no pass came before it, and nothing repeats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// How many of the record's moves come before it.
    pub ply: usize,
    /// The position, as the game's `parse_position` reads it.
    pub position: String,
    /// Who moves there.
    pub mover: Player,
    /// Why.
    pub cause: BreakCause,
}

/// Why a game goes on from another position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakCause {
    /// A player moves twice in a row.
    Turn,
    /// Stones are set up or taken away.
    SetUp,
    /// The rules end the game before, and it is played on.
    AfterEnd,
    /// The next move repeats a position, which the rules of the game forbid.
    Repetition,
}

impl BreakCause {
    /// Returns what the record says that moves alone cannot express.
    fn what(self) -> &'static str {
        match self {
            Self::Turn => "a player moves twice in a row",
            Self::SetUp => "stones are set up in the middle of the game",
            Self::AfterEnd => "the game is played on after its end",
            Self::Repetition => "a forbidden repetition is played",
        }
    }

    /// Returns whether records of a format can express it, so that they read back unchanged.
    fn fits(self, format: Format) -> bool {
        // A reader of the moves finds the same end.
        format == Format::Sgf || self == Self::AfterEnd
    }
}

/// A move and its comment.
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
    /// In another way: at a ply limit, by time, by agreement.
    Adjudicated {
        /// The winner; `None` is a draw.
        winner: Option<Player>,
    },
}

/// A sheet that was played by the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The game.
    pub record: Record,
    /// The result as the sheet states it, even if the rules differ.
    pub stated: Score,
    /// Moves of the sheet that were left out, because the rules end the game before them and have
    /// no position from which it could go on: after mate, or a row of five.
    pub moves_after_end: usize,
    /// These moves, in words.
    pub left_out: Vec<String>,
    /// For each move of the record which of the sheet's moves it is; `None` for a pass that records
    /// leave out.
    pub sources: Vec<Option<u32>>,
    /// Notes on what was left out or guessed, in the sheet's text and in its moves.
    pub notes: Notes,
}

impl Record {
    /// Returns the result that records of `game` state.
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

    /// Returns the game as a sheet in `format`. Its text is `sheet.to_string()`.
    ///
    /// # Errors
    /// [`RecordError::WrongFormat`] for a community format that is not the game's,
    /// [`RecordError::Start`] and [`RecordError::Illegal`] for a record of another game.
    pub fn sheet<G: Game>(&self, game: &G, format: Format) -> Result<Sheet, RecordError> {
        let spec = game.spec();
        let own = Format::of(game);
        if format.is_community() && format != own {
            return Err(RecordError::WrongFormat { game: spec.to_string(), format, own });
        }
        let mut position = Replay::new(game, self.start.as_deref(), 1)?;
        let mut moves = Vec::with_capacity(self.moves.len());
        let mut setups = Vec::new();
        let mut breaks = self.breaks.iter().peekable();
        for ply in 0..=self.moves.len() {
            while let Some(found) = breaks.next_if(|found| found.ply == ply) {
                let cause = found.cause;
                let stones = position.stones();
                if !cause.fits(format) {
                    return Err(RecordError::Break { ply, what: cause.what(), format, own });
                }
                position.set_position(&found.position, 1)?;
                if cause == BreakCause::SetUp {
                    setups.extend(set_up(&position, &stones, found.mover, moves.len()));
                }
            }
            let Some(recorded) = self.moves.get(ply) else { continue };
            let mv = recorded.mv;
            let Some(player) = position.update_legal().filter(|_| position.is_legal(mv)) else {
                return Err(RecordError::Illegal { ply, mv: mv.0, game: spec.to_string() });
            };
            let text = if format.is_community() {
                game.record_move(&position.state, mv)
            } else {
                Some(game.format_move(mv))
            };
            // Records leave out a forced pass. The player of the next move shows that it was
            // played.
            if let Some(text) = text {
                moves.push(SheetMove {
                    player: Some(player),
                    text,
                    comment: recorded.comment.clone(),
                    line: 0,
                    place: 0,
                    in_comment: false,
                });
            }
            position.play(mv);
        }
        let mut tags = match game.record_format() {
            RecordFormat::Sgf(root) if format == Format::Sgf => crate::sgf::tags(&root),
            _ => Vec::new(),
        };
        if let Some(start) = self.start.as_deref().filter(|_| format == Format::Sgf) {
            let position = Replay::new(game, Some(start), 1)?;
            let mover = position.mover().unwrap_or(Player::First);
            let empty = vec![None; position.stones().len()];
            let set_up = set_up(&position, &empty, mover, 0);
            tags.retain(|(name, _)| !matches!(name.as_str(), "AB" | "AW" | "AE" | "PL"));
            tags.extend(set_up.into_iter().map(|set_up| (set_up.name, set_up.values)));
        }
        Ok(Sheet {
            game: Some(spec),
            header: self.header.clone(),
            start: self.start.clone(),
            tags,
            setups,
            moves,
            score: self.score(game),
            ..Sheet::new(format, 0)
        })
    }
}

/// Returns the properties that turn `stones_before` into the stones of `position`.
fn set_up<G: Game>(
    position: &Replay<'_, G>,
    stones_before: &[Option<Player>],
    mover: Player,
    before: usize,
) -> Vec<SetUp> {
    let stones = position.stones();
    let changed = |player: Option<Player>| {
        let points = stones_before.iter().zip(&stones).enumerate();
        let points = points.filter(|&(_, (old, new))| old != new && *new == player);
        points.filter_map(|(point, _)| position.point_name(point)).collect::<Vec<String>>()
    };
    let mover = if mover == Player::First { "B" } else { "W" };
    let all = [
        ("AB", changed(Some(Player::First))),
        ("AW", changed(Some(Player::Second))),
        ("AE", changed(None)),
        ("PL", vec![mover.to_owned()]),
    ];
    let set_up = |(name, values): (&str, Vec<String>)| {
        let name = name.to_owned();
        (!values.is_empty()).then_some(SetUp { before, in_root: false, name, values, line: 0 })
    };
    all.into_iter().filter_map(set_up).collect()
}
