//! Hex of any size up to 19, with or without the swap rule, on bitboards.
//!
//! The first player connects the top row with the bottom row, the second the first column with the
//! last one. A full board always connects exactly one of them (D. Gale, The Game of Hex and the
//! Brouwer Fixed-Point Theorem, 1979), so there are no draws.

mod board;
mod bridge;
mod encoding;
mod game;
mod record;

use crate::{GameError, GameSpec, Move, Player, Symmetry, games::grid::Grid};

use board::{Board, Points, SIZE_MAX};
pub use encoding::HexEncoding;

/// The rules with their parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hex {
    board: Board,
    swap: bool,
}

/// A position: stones of the first and of the second player, and which of them are linked with the
/// edge where their player begins, the top or the first column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HexState {
    stones: [Points; 2],
    linked: Points,
    plies: u16,
    /// The player who just moved has connected.
    connected: bool,
}

impl Hex {
    /// A board of `size` rows and columns. With `swap`, the second player may answer the first move
    /// by taking it over: the stone changes its colour and goes to the point with row and column
    /// exchanged, which is the same point seen from the other side, and the first player moves.
    ///
    /// # Errors
    /// [`GameError::BadParameter`] if `size` is not 2 to 19.
    pub fn new(size: u8, swap: bool) -> Result<Self, GameError> {
        let parameters = [("size", size.to_string()), ("swap", swap.to_string())];
        Self::from_spec(&GameSpec::new("hex", &parameters))
    }

    /// Reads `size` (11) and `swap` (false).
    ///
    /// # Errors
    /// As [`Hex::new`], and for parameters that are unknown, no number, or neither true nor false.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let reader = spec.reader(&["size", "swap"])?;
        let size = reader.number("size", 11, 2..=SIZE_MAX)?;
        Ok(Self { board: Board::new(size), swap: reader.flag("swap", false)? })
    }

    /// Rows, which are as many as columns.
    pub fn size(&self) -> u16 {
        self.board.size
    }

    /// True if the second player may take the first move over.
    pub fn swap(&self) -> bool {
        self.swap
    }

    /// Whose stone lies on `point`, which is `row * size + column`, the number of its move.
    pub fn stone_at(&self, state: &HexState, point: u16) -> Option<Player> {
        let has = |player: &Player| self.board.has(&state.stones[player.index()], point);
        Player::BOTH.into_iter().find(has)
    }

    fn grid(&self) -> Grid {
        Grid { size: self.board.size }
    }

    /// The move after all points.
    fn swap_move(&self) -> Move {
        Move(self.board.area())
    }

    fn swap_is_legal(&self, state: &HexState) -> bool {
        self.swap && state.plies == 1
    }

    /// Where `symmetry` takes a point: number 1 turns the board by half a turn.
    fn map_point(&self, symmetry: Symmetry, point: u16) -> u16 {
        if symmetry == Symmetry::IDENTITY { point } else { self.board.area() - 1 - point }
    }

    #[inline]
    fn place(&self, state: &mut HexState, player: Player, point: u16) {
        let own = &mut state.stones[player.index()];
        self.board.insert(own, point);
        state.connected |= self.board.link(player, own, &mut state.linked, point);
    }
}

impl HexState {
    const START: Self =
        Self { stones: [Points::EMPTY; 2], linked: Points::EMPTY, plies: 0, connected: false };

    /// Who moves if the game is not over. A swap is a ply, so players always take turns.
    #[inline]
    fn mover(&self) -> Player {
        if self.plies.is_multiple_of(2) { Player::First } else { Player::Second }
    }
}
