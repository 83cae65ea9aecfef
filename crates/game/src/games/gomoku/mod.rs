//! Gomoku of 6 to 19 rows: five stones in line win, on bitboards.
//!
//! No rule forbids a point, as Renju's do to black: both players may make two threes, two fours,
//! and more than five in line.

mod board;
mod encoding;
mod game;
mod opening;
mod record;
mod rule;
mod threats;

use crate::{GameError, GameSpec, Move, Player, games::grid::Grid};

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
    /// Stones on the board. Black's are placed first, and colours alternate, no matter which player
    /// places them.
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
    /// first for black, second for white, no matter who has them after an opening.
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
        let mover = state.mover();
        let choice = state.stage.is_choice();
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
        let mover = self.mover().name();
        let colour = if self.placed.is_multiple_of(2) { "black" } else { "white" };
        match self.stage {
            Stage::Settled => format!("{} has black\n", self.black.name()),
            Stage::Three | Stage::TwoMore => {
                format!("{mover} places {colour}, colours are chosen later\n")
            }
            Stage::SecondChooses | Stage::FirstChooses => format!("{mover} chooses a colour\n"),
        }
    }
}
