//! Draws without a claim: repetition, fifty moves, and material that cannot mate.

use cozy_chess::{BitBoard, Board, Color, Piece};

use super::{ChessState, en_passant, moves};
use crate::{Key, Move};

/// The halfmove clock at which the game is drawn: fifty moves of each side.
pub(super) const HALFMOVES_MAX: u8 = 100;
/// Earlier occurrences of a position that make it the third.
const REPEATS_MAX: usize = 2;

/// The positions played through, and which of them can come again.
#[derive(Clone, Debug, Default)]
pub struct ChessHistory {
    past: Vec<Past>,
    /// As many positions where networks see some, else none.
    seen: Vec<Seen>,
}

/// What networks see of a past position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub key: Key,
    /// By kind, of either colour.
    pub pieces: [BitBoard; Piece::NUM],
    pub white: BitBoard,
    /// It had occurred before.
    pub has_occurred: bool,
}

/// A position of the past, and what can come again after the move that was played from it.
#[derive(Clone, Copy, Debug)]
struct Past {
    key: Key,
    /// How many of the last positions, this one included, can come again.
    plies: u16,
    /// The sum of their keys, half by half: it counts them without regard to order.
    sum: Key,
}

impl ChessHistory {
    /// With `seen`, networks may see the position.
    pub(super) fn push(&mut self, state: &ChessState, mv: Move, seen: bool) {
        if seen {
            self.seen.push(Seen {
                key: state.key,
                pieces: Piece::ALL.map(|piece| state.board.pieces(piece)),
                white: state.board.colors(Color::White),
                has_occurred: self.repeats(state) > 0,
            });
        }
        let past = if is_irreversible(&state.board, mv) {
            Past { key: state.key, plies: 0, sum: Key::default() }
        } else {
            let (plies, sum) = self.past.last().map_or_else(Default::default, |p| (p.plies, p.sum));
            let sum = Key {
                high: sum.high.wrapping_add(state.key.high),
                low: sum.low.wrapping_add(state.key.low),
            };
            Past { key: state.key, plies: plies + 1, sum }
        };
        self.past.push(past);
    }

    pub(super) fn pop(&mut self) {
        self.past.pop();
        self.seen.pop();
    }

    /// Up to `count` positions that networks see, the last one first.
    pub(super) fn last(&self, count: u8) -> impl Iterator<Item = &Seen> {
        self.seen.iter().rev().take(count.into())
    }

    /// A key of the positions that can come again, with how often each has occurred.
    pub(super) fn reversible(&self) -> Key {
        self.past.last().map(|past| past.sum).unwrap_or_default()
    }

    /// Earlier occurrences of `state`.
    pub(super) fn repeats(&self, state: &ChessState) -> usize {
        let plies = self.past.last().map_or(0, |past| past.plies);
        let past = self.past.iter().rev().take(plies.into());
        // Both sides have to move away and back, so nothing occurs again before four plies, and the
        // same side moves at every second one.
        past.skip(3).step_by(2).filter(|past| past.key == state.key).count()
    }
}

/// True if the game is drawn although there may be legal moves.
pub(super) fn is_drawn(state: &ChessState, history: &ChessHistory) -> bool {
    state.halfmove_clock() >= HALFMOVES_MAX
        || cannot_mate(&state.board)
        || history.repeats(state) >= REPEATS_MAX
}

/// True if no position up to now can occur after `mv`: a pawn moves, a piece is taken, a castling
/// right is lost, or a right to capture en passant ends, which only a pawn's move brings back.
fn is_irreversible(board: &Board, mv: Move) -> bool {
    let (from, to) = moves::squares(mv);
    let moved = from.bitboard() | to.bitboard();
    let pawns_and_captured = board.pieces(Piece::Pawn) | board.colors(!board.side_to_move());
    !(moved & (pawns_and_captured | castling_squares(board))).is_empty()
        || en_passant(board).is_some()
}

/// Where kings and rooks stand that may castle still.
fn castling_squares(board: &Board) -> BitBoard {
    Color::ALL.into_iter().fold(BitBoard::EMPTY, |squares, color| {
        let rights = board.castle_rights(color);
        let rooks = [rights.short, rights.long].into_iter().flatten();
        rooks.fold(squares, |squares, file| {
            squares | board.king(color).bitboard() | moves::rook_home(color, file).bitboard()
        })
    })
}

/// True if no sequence of moves mates, whatever the positions of the pieces: kings alone, with one
/// knight or bishop, or with bishops that all stand on squares of one colour.
fn cannot_mate(board: &Board) -> bool {
    let [pawns, knights, bishops, rooks, queens, kings] = Piece::ALL.map(|p| board.pieces(p));
    if !(pawns | rooks | queens).is_empty() {
        return false;
    }
    let minor = board.occupied() ^ kings;
    let one_colour = |squares| (bishops & squares).is_empty();
    minor.len() <= 1
        || knights.is_empty()
            && (one_colour(BitBoard::DARK_SQUARES) || one_colour(BitBoard::LIGHT_SQUARES))
}
