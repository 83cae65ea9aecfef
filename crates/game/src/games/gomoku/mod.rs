//! Gomoku of 6 to 19 rows: five stones in line win, on bitboards.
//!
//! No rule forbids a point, as Renju's do to black: both players may make two threes, two fours,
//! and more than five in line.

mod board;
mod encoding;
mod opening;
mod record;
mod rule;

use crate::{
    Game, GameError, GameSpec, Key, Move, Outcome, Player, RecordFormat, Status, Symmetry,
    games::grid::Grid,
};

use board::{Points, SIZE_MAX};
pub use encoding::GomokuEncoding;
pub use opening::GomokuOpening;
use opening::Stage;
pub use rule::GomokuRule;

/// The rules with their parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gomoku {
    grid: Grid,
    rule: GomokuRule,
    opening: GomokuOpening,
}

/// A position: black and white stones, and who has which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GomokuState {
    stones: [Points; 2],
    /// Stones on the board. Black's are placed first, and colours take turns, whoever places them.
    placed: u16,
    /// The player who just moved has won.
    won: bool,
    stage: Stage,
    /// Who has black; the first player until colours are settled.
    black: Player,
}

impl Gomoku {
    /// A board of `size` rows and columns.
    ///
    /// # Errors
    /// [`GameError::BadParameter`] if `size` is not 6 to 19.
    pub fn new(size: u8, rule: GomokuRule) -> Result<Self, GameError> {
        let parameters = [("size", size.to_string()), ("rule", rule.name().to_owned())];
        Self::from_spec(&GameSpec::new("gomoku", &parameters))
    }

    /// The same board and rule, with another opening.
    #[must_use]
    pub fn with_opening(self, opening: GomokuOpening) -> Self {
        Self { opening, ..self }
    }

    /// Reads `size` (15), `rule` (freestyle) and `opening` (none).
    ///
    /// # Errors
    /// As [`Gomoku::new`], and for parameters that are unknown, no number, or no rule.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let reader = spec.reader(&["size", "rule", "opening"])?;
        let size = reader.number("size", 15, 6..=SIZE_MAX)?;
        let rule = reader.choice("rule", &GomokuRule::ALL, GomokuRule::name)?;
        let opening = reader.choice("opening", &GomokuOpening::ALL, GomokuOpening::name)?;
        Ok(Self { grid: Grid::new(size), rule, opening })
    }

    /// Rows, which are as many as columns.
    pub fn size(&self) -> u16 {
        self.grid.size
    }

    /// Which rows of stones win.
    pub fn rule(&self) -> GomokuRule {
        self.rule
    }

    /// How games begin.
    pub fn opening(&self) -> GomokuOpening {
        self.opening
    }

    /// The colour of the stone on `point`, which is `row * size + column`, the number of its move:
    /// first for black, second for white, whoever has them after an opening.
    pub fn stone_at(&self, state: &GomokuState, point: u16) -> Option<Player> {
        let bit = self.bit(self.grid.split(point));
        Player::BOTH.into_iter().find(|p| state.stones[p.index()].has(bit))
    }

    /// The move after all points: take black.
    #[inline]
    fn swap(&self) -> Move {
        Move(self.grid.area())
    }

    /// The last move: place two more stones.
    #[inline]
    fn more(&self) -> Move {
        Move(self.grid.area() + 1)
    }

    #[inline]
    fn more_is_legal(&self, state: &GomokuState) -> bool {
        self.opening == GomokuOpening::Swap2 && state.stage == Stage::SecondChooses
    }

    /// Places a stone of the colour whose turn it is.
    #[inline]
    fn place(&self, state: &mut GomokuState, point: u16) {
        debug_assert!(self.stone_at(state, point).is_none(), "the point is taken");
        let bit = self.bit(self.grid.split(point));
        let own = &mut state.stones[usize::from(state.placed % 2)];
        own.insert(bit);
        // Only rows through the new stone have changed.
        state.won = self.rule.wins(board::rows_through(own, bit, self.stride()));
        state.placed += 1;
    }

    /// A move before colours are settled.
    fn play_opening(&self, state: &mut GomokuState, mv: Move) {
        let (mover, choice) = (state.mover(), state.stage.is_choice());
        if mv == self.swap() {
            debug_assert!(choice, "there is nothing to choose");
            state.black = mover;
            state.stage = Stage::Settled;
        } else if mv == self.more() {
            debug_assert!(self.more_is_legal(state), "there is nothing to choose");
            state.stage = Stage::TwoMore;
        } else {
            self.place(state, mv.0);
            state.stage = state.stage.after_stone(state.placed);
            // The next stone after three or five is a white one.
            state.black = if choice { mover.opponent() } else { state.black };
        }
    }

    /// Bits from a row to the next one.
    #[inline]
    fn stride(&self) -> u16 {
        self.grid.size + 1
    }

    #[inline]
    fn bit(&self, (row, column): (u16, u16)) -> u16 {
        (row + 1) * self.stride() + column + 1
    }

    /// Rows and columns of the points of a set.
    fn places(&self, set: &Points) -> impl Iterator<Item = (u16, u16)> {
        set.iter().map(|bit| (bit / self.stride() - 1, bit % self.stride() - 1))
    }
}

impl GomokuState {
    /// Who moves if the game is not over.
    #[inline]
    fn mover(&self) -> Player {
        let black = self.placed.is_multiple_of(2);
        self.stage.mover().unwrap_or(if black { self.black } else { self.black.opponent() })
    }

    /// Whose colours were chosen, or what is to be chosen, for people.
    fn describe_opening(&self) -> String {
        let (mover, colour) =
            (self.mover().name(), if self.placed.is_multiple_of(2) { "black" } else { "white" });
        match self.stage {
            Stage::Settled => format!("{} has black\n", self.black.name()),
            Stage::Three | Stage::TwoMore => {
                format!("{mover} places {colour}, colours are chosen later\n")
            }
            Stage::SecondChooses | Stage::FirstChooses => format!("{mover} chooses a colour\n"),
        }
    }
}

impl Game for Gomoku {
    type State = GomokuState;
    type History = ();
    type Encoding = GomokuEncoding;

    fn spec(&self) -> GameSpec {
        let (size, rule) = (self.grid.size.to_string(), self.rule.name().to_owned());
        let mut parameters = vec![("size", size), ("rule", rule)];
        // Named only where there is one, so that what was recorded before keeps its name.
        if self.opening != GomokuOpening::None {
            parameters.push(("opening", self.opening.name().to_owned()));
        }
        GameSpec::new("gomoku", &parameters)
    }

    fn unnamed_parameters(&self) -> Vec<(&'static str, String)> {
        let none = self.opening == GomokuOpening::None;
        none.then(|| ("opening", self.opening.name().to_owned())).into_iter().collect()
    }

    fn encoding(&self) -> GomokuEncoding {
        GomokuEncoding { game: self.clone() }
    }

    fn start(&self) -> GomokuState {
        GomokuState {
            stones: [Points::EMPTY; 2],
            placed: 0,
            won: false,
            stage: self.opening.first_stage(),
            black: Player::First,
        }
    }

    #[inline]
    fn status(&self, state: &GomokuState, (): &()) -> Status {
        if state.won {
            Status::Over(Outcome::win_of(state.mover().opponent()))
        } else if state.placed == self.grid.area() {
            Status::Over(Outcome::DRAW)
        } else {
            Status::ToMove(state.mover())
        }
    }

    #[inline]
    fn legal_moves(&self, state: &GomokuState, (): &(), out: &mut Vec<Move>) {
        if state.won {
            return out.clear();
        }
        let (size, [first, second]) = (self.grid.size, &state.stones);
        // Written for every point, kept for the open ones: a branch would be a coin toss.
        out.resize(self.moves_max(), Move(0));
        let (slots, mut len, mut point) = (out.as_mut_slice(), 0, 0);
        for row in 0..size {
            let start = self.bit((row, 0));
            let mut open = !(first.window(start) | second.window(start));
            for _ in 0..size {
                slots[len] = Move(point);
                len += usize::from(open & 1 == 1);
                open >>= 1;
                point += 1;
            }
        }
        out.truncate(len);
        if state.stage.is_choice() {
            out.push(self.swap());
        }
        if self.more_is_legal(state) {
            out.push(self.more());
        }
    }

    #[inline]
    fn play(&self, state: &mut GomokuState, mv: Move) {
        debug_assert!(!state.won, "the game is over");
        if state.stage != Stage::Settled {
            return self.play_opening(state, mv);
        }
        self.place(state, mv.0);
    }

    #[inline]
    fn eval_key(&self, state: &GomokuState, (): &()) -> Key {
        // Who moves, and whether somebody has won, follows from the stones.
        let last = self.bit((self.grid.size - 1, self.grid.size - 1));
        let [first, second] = &state.stones;
        let words = first.words(last).iter().zip(second.words(last));
        let key = words.fold(Key::of_words(&[]), |key, (&f, &s)| key.mix(f).mix(s));
        if self.opening == GomokuOpening::None {
            return key;
        }
        // Who has which colour does not follow.
        key.mix((state.stage as u64) << 1 | state.black.index() as u64)
    }

    fn plies_max(&self) -> Option<u32> {
        Some(u32::from(self.grid.area() + self.opening.choices()))
    }

    fn moves_max(&self) -> usize {
        self.grid.area().into()
    }

    fn symmetry_count(&self) -> u8 {
        Grid::SYMMETRIES
    }

    fn map_state(&self, symmetry: Symmetry, state: &GomokuState) -> GomokuState {
        let stones = state.stones.map(|stones| {
            self.places(&stones).fold(Points::EMPTY, |mut mapped, at| {
                mapped.insert(self.bit(self.grid.map(symmetry, at)));
                mapped
            })
        });
        GomokuState { stones, ..*state }
    }

    fn map_move(&self, symmetry: Symmetry, mv: Move) -> Move {
        if mv < self.swap() { Move(self.grid.map_point(symmetry, mv.0)) } else { mv }
    }

    fn format_move(&self, mv: Move) -> String {
        if mv == self.swap() {
            "swap".to_owned()
        } else if mv == self.more() {
            "more".to_owned()
        } else {
            self.grid.name(mv.0)
        }
    }

    fn parse_move(&self, _state: &GomokuState, text: &str) -> Result<Move, GameError> {
        let (choices, also) = match self.opening {
            GomokuOpening::None => (&[][..], ""),
            GomokuOpening::Swap => (&["swap"][..], ", or swap"),
            GomokuOpening::Swap2 => (&["swap", "more"][..], ", or swap, or more"),
        };
        match (self.swap().0..).zip(choices).find(|(_, name)| text.eq_ignore_ascii_case(name)) {
            Some((number, _)) => Ok(Move(number)),
            None => self.grid.parse_move(text, also).map(Move),
        }
    }

    /// Black stones as X, white ones as O; with an opening, who has which.
    fn render(&self, state: &GomokuState) -> String {
        let board = self.grid.draw(|point| self.stone_at(state, point));
        if self.opening == GomokuOpening::None { board } else { board + &state.describe_opening() }
    }

    fn stones(&self, state: &GomokuState) -> Option<Vec<Option<Player>>> {
        Some((0..self.size() * self.size()).map(|point| self.stone_at(state, point)).collect())
    }

    fn notation(&self) -> &'static str {
        self.opening.notation()
    }

    fn summary(&self) -> Option<&'static str> {
        Some(self.rule.summary())
    }

    fn record_format(&self) -> RecordFormat {
        self.records()
    }

    fn record_move(&self, _state: &GomokuState, mv: Move) -> Option<String> {
        Some(self.format_record(mv))
    }

    fn parse_record_move(&self, state: &GomokuState, text: &str) -> Result<Move, GameError> {
        self.parse_record(state, text)
    }
}
