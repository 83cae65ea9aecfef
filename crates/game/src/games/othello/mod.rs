//! Othello of 4, 6, 8 or 10 rows, on bitboards.
//!
//! A player who cannot turn a disc over must pass, which is a move of its own; the game is over
//! when neither player can. The one with more discs wins.

mod board;
mod encoding;
mod game;
mod record;

use crate::{GameError, GameSpec, Move, Player, Symmetry, games::grid::Grid};

use board::Bits;
pub use encoding::OthelloEncoding;

/// The rules with their parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Othello {
    grid: Grid,
    /// All points, as bits.
    board: u128,
    /// Bits a row.
    stride: u16,
}

/// A position: discs of the first and of the second player, who moves, and where.
///
/// Bits are those of [`board::Bits`], for `u64` on boards of up to eight rows, else for `u128`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OthelloState {
    discs: [u128; 2],
    /// Points where the mover can play. None means a pass, or the end.
    moves: u128,
    mover: Player,
    over: bool,
}

impl Othello {
    /// A board of `size` rows and columns.
    ///
    /// # Errors
    /// [`GameError::BadParameter`] if `size` is not 4, 6, 8 or 10.
    pub fn new(size: u8) -> Result<Self, GameError> {
        Self::from_spec(&GameSpec::new("othello", &[("size", size.to_string())]))
    }

    /// Reads `size` (8).
    ///
    /// # Errors
    /// As [`Othello::new`], and for parameters that are unknown or no numbers.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let reader = spec.reader(&["size"])?;
        let size = reader.number("size", 8, 4..=10).ok().filter(|size| size % 2 == 0);
        let Some(size) = size else {
            let value = spec.parameters().first().map_or("", |(_, value)| value);
            return Err(reader.bad("size", value, "allowed: 4, 6, 8 or 10"));
        };
        let stride = if size <= 8 { u64::STRIDE } else { u128::STRIDE } as u16;
        let row = (1u128 << size) - 1;
        let board = (0..size).fold(0, |board, y| board | row << (u16::from(y) * stride));
        Ok(Self { grid: Grid::new(size), board, stride })
    }

    /// Rows, which are as many as columns.
    pub fn size(&self) -> u16 {
        self.grid.size
    }

    /// Whose disc lies on `point`, which is `row * size + column`, the number of its move.
    pub fn disc_at(&self, state: &OthelloState, point: u16) -> Option<Player> {
        let bit = self.bit(point);
        Player::BOTH.into_iter().find(|p| state.discs[p.index()] & bit != 0)
    }

    /// The move after all points.
    #[inline]
    fn pass(&self) -> Move {
        Move(self.grid.area())
    }

    /// All bits fit 64.
    #[inline]
    fn small(&self) -> bool {
        u32::from(self.stride) == u64::STRIDE
    }

    #[inline]
    fn bit(&self, point: u16) -> u128 {
        // On boards of eight and ten rows, points are numbered as bits are.
        let gap = self.stride - self.grid.size;
        1 << if gap == 0 { point } else { point + point / self.grid.size * gap }
    }

    /// Rows and columns of the points of a set.
    fn places(&self, mut set: u128) -> impl Iterator<Item = (u16, u16)> {
        std::iter::from_fn(move || {
            let bit = (set != 0).then(|| set.trailing_zeros() as u16)?;
            set &= set - 1;
            Some((bit / self.stride, bit % self.stride))
        })
    }

    fn map_set(&self, symmetry: Symmetry, set: u128) -> u128 {
        self.places(set)
            .map(|at| self.grid.map(symmetry, at))
            .fold(0, |mapped, (row, column)| mapped | 1 << (row * self.stride + column))
    }

    /// Gives the move to `player`.
    #[inline]
    fn settle(&self, state: &mut OthelloState, player: Player) {
        let [own, other] = [player, player.opponent()].map(|p| state.discs[p.index()]);
        let moves = |own: u128, other: u128| {
            if self.small() {
                u128::from(board::moves(own as u64, other as u64, self.board as u64))
            } else {
                board::moves(own, other, self.board)
            }
        };
        state.mover = player;
        state.moves = moves(own, other);
        state.over = state.moves == 0 && moves(other, own) == 0;
    }
}
