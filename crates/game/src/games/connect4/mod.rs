//! Connect Four of any width, height and length to connect, on bitboards.

mod board;
mod encoding;
mod game;

use crate::{GameError, GameSpec};

use board::{BITS_MAX, Board};
pub use encoding::Connect4Encoding;

/// The rules with their parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connect4 {
    board: Board,
}

/// A position: the mover's stones, all stones, and what the last move did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connect4State {
    mover: u128,
    stones: u128,
    plies: u8,
    /// The player who just moved has connected.
    connected: bool,
}

impl Connect4 {
    /// A board of `width` columns and `height` rows on which `connect` stones in line win.
    ///
    /// # Errors
    /// [`GameError::BadParameter`] if the board has more than 128 bits (columns times rows + 1) or
    /// `connect` fits neither side.
    pub fn new(width: u8, height: u8, connect: u8) -> Result<Self, GameError> {
        let spec = GameSpec::new(
            "connect4",
            &[
                ("width", width.to_string()),
                ("height", height.to_string()),
                ("connect", connect.to_string()),
            ],
        );
        Self::from_spec(&spec)
    }

    /// Reads `width` (7), `height` (6) and `connect` (4).
    ///
    /// # Errors
    /// As [`Connect4::new`], and for parameters that are unknown or no numbers.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let reader = spec.reader(&["width", "height", "connect"])?;
        let width = reader.number("width", 7, 1..=32)?;
        let height = reader.number("height", 6, 1..=32)?;
        let connect = reader.number("connect", 4, 2..=32)?;
        if u32::from(width) * (u32::from(height) + 1) > BITS_MAX {
            let value = height.to_string();
            return Err(reader.bad("height", &value, "allowed: width * (height + 1) up to 128"));
        }
        if connect > width.max(height) {
            let value = connect.to_string();
            return Err(reader.bad("connect", &value, "allowed: 2 to the longer side"));
        }
        Ok(Self { board: Board::new(width, height, connect) })
    }

    /// Columns.
    pub fn width(&self) -> u8 {
        self.board.width
    }

    /// Rows.
    pub fn height(&self) -> u8 {
        self.board.height
    }

    /// Stones in line that win.
    pub fn connect(&self) -> u8 {
        self.board.connect
    }
}

impl Connect4State {
    /// The stones of the player to move. Bit `x * (height + 1) + y` is the point in column `x`, row
    /// `y` from the bottom, both from 0; the bit above each column is empty.
    pub fn mover_stones(&self) -> u128 {
        self.mover
    }

    /// All stones, with the same bits.
    pub fn stones(&self) -> u128 {
        self.stones
    }
}
