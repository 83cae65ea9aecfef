//! Breakthrough on boards of 3 to 8 columns and 5 to 8 rows, on bitboards.
//!
//! Dan Troyka's game of 2000. Each player has two rows of pawns. A pawn moves one step forward,
//! straight or diagonally, and captures diagonally only. Whoever reaches the opponent's home row
//! or captures the last pawn wins. There are no draws, and the mover always has a move.

mod encoding;
mod game;

use crate::{GameError, GameSpec, Move, Player, Symmetry};

pub use encoding::BreakthroughEncoding;

/// The rules with their parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breakthrough {
    width: u16,
    height: u16,
}

/// A position: the pawns of the first and of the second player, and who moves.
///
/// Bit `row * width + column` is a square. Row 0 is the first player's home row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakthroughState {
    pawns: [u64; 2],
    mover: Player,
}

impl Breakthrough {
    /// A board of `width` columns and `height` rows.
    ///
    /// # Errors
    /// [`GameError::BadParameter`] if `width` is not 3 to 8 or `height` not 5 to 8.
    pub fn new(width: u8, height: u8) -> Result<Self, GameError> {
        let parameters = [("width", width.to_string()), ("height", height.to_string())];
        Self::from_spec(&GameSpec::new("breakthrough", &parameters))
    }

    /// Reads `width` (8) and `height` (8).
    ///
    /// # Errors
    /// As [`Breakthrough::new`], and for parameters that are unknown or no numbers.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let reader = spec.reader(&["width", "height"])?;
        let width = reader.number("width", 8, 3..=8)?.into();
        let height = reader.number("height", 8, 5..=8)?.into();
        Ok(Self { width, height })
    }

    /// Columns.
    pub fn width(&self) -> u16 {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> u16 {
        self.height
    }

    /// Whose pawn stands on `square`, which is `row * width + column`.
    pub fn pawn_at(&self, state: &BreakthroughState, square: u16) -> Option<Player> {
        Player::BOTH.into_iter().find(|player| state.pawns[player.index()] >> square & 1 == 1)
    }

    /// The squares of a row.
    fn row(&self, row: u16) -> u64 {
        ((1 << self.width) - 1) << (row * self.width)
    }

    /// The row that `player` wants to reach.
    fn goal(&self, player: Player) -> u64 {
        match player {
            Player::First => self.row(self.height - 1),
            Player::Second => self.row(0),
        }
    }

    /// The squares in front of a pawn of `player` on `from`, ascending: straight ahead and on both
    /// diagonals, without those beside the board. The game ends when a pawn has no row in front.
    fn ahead(&self, player: Player, from: u16) -> impl Iterator<Item = u16> {
        let column = from % self.width;
        let straight = match player {
            Player::First => from + self.width,
            Player::Second => from - self.width,
        };
        let left = (column > 0).then(|| straight - 1);
        let right = (column + 1 < self.width).then(|| straight + 1);
        [left, Some(straight), right].into_iter().flatten()
    }

    /// The square as `symmetry` shows it: symmetry 1 exchanges left and right.
    fn map_square(&self, symmetry: Symmetry, square: u16) -> u16 {
        let column = square % self.width;
        if symmetry.0 == 0 { square } else { square + self.width - 1 - 2 * column }
    }

    /// The square's name: a letter for the column, a number for the row, a1 bottom left.
    fn square_name(&self, square: u16) -> String {
        let column = char::from(b'a' + (square % self.width) as u8);
        format!("{column}{}", square / self.width + 1)
    }
}

/// The number of a move: `64 * from + to`.
fn step(from: u16, to: u16) -> Move {
    Move(64 * from + to)
}

/// The squares that a move starts from and goes to.
fn squares_of(mv: Move) -> [u16; 2] {
    [mv.0 / 64, mv.0 % 64]
}

/// The squares of a set, ascending.
fn squares(mut set: u64) -> impl Iterator<Item = u16> {
    std::iter::from_fn(move || {
        let square = (set != 0).then(|| set.trailing_zeros() as u16)?;
        set &= set - 1;
        Some(square)
    })
}
