//! Chess, with the moves of the cozy-chess generator and draws that need no claim.
//!
//! Rules: FIDE Laws of Chess (2023), with three differences, so that games end without a claim. A
//! game is drawn at the third occurrence of a position (9.2), after 50 moves of each side without
//! capture or pawn move (9.3), and where the material left cannot mate (see `draws`).

mod draws;
mod encoding;
mod fen;
mod game;
mod moves;
mod san;

use cozy_chess::{BitBoard, Board, Color, File, Piece, Rank, Square, get_pawn_attacks};

use crate::{GameError, GameSpec, Key, Player};

pub use draws::ChessHistory;
pub use encoding::ChessEncoding;

/// The rules. White moves first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chess {
    /// Past positions that networks see.
    history_planes: u8,
}

/// A position as FEN describes it: pieces, mover, castling rights, en passant and two counters.
///
/// Two are equal if they are the same position in the sense of repetition (FIDE 9.2.3: en passant
/// counts where the capture is legal) with the same halfmove clock; the number of the move is kept,
/// but no rule looks at it.
#[derive(Clone, Debug)]
pub struct ChessState {
    board: Board,
    /// The position in the sense of repetition, without counters.
    key: Key,
}

impl Chess {
    /// Chess whose networks see no past position.
    pub const fn new() -> Self {
        Self { history_planes: 0 }
    }

    /// Reads `history_planes` (0), the number of past positions that networks see, up to the seven
    /// of `AlphaZero`.
    ///
    /// # Errors
    /// [`GameError`] for parameters that are unknown, no number, or more than 7.
    pub fn from_spec(spec: &GameSpec) -> Result<Self, GameError> {
        let reader = spec.reader(&["history_planes"])?;
        Ok(Self { history_planes: reader.number("history_planes", 0, 0..=7)? })
    }
}

impl ChessState {
    fn new(board: Board) -> Self {
        let key = position_key(&board);
        Self { board, key }
    }

    /// The position in Forsyth-Edwards notation, en passant square after every double step.
    pub fn fen(&self) -> String {
        self.board.to_string()
    }

    /// Plies since the last capture or pawn move, 0 to 100.
    pub fn halfmove_clock(&self) -> u8 {
        self.board.halfmove_clock()
    }

    /// True if the mover's king is attacked.
    pub fn in_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    fn mover(&self) -> Player {
        match self.board.side_to_move() {
            Color::White => Player::First,
            Color::Black => Player::Second,
        }
    }
}

impl PartialEq for ChessState {
    fn eq(&self, other: &Self) -> bool {
        self.halfmove_clock() == other.halfmove_clock() && self.board.same_position(&other.board)
    }
}

impl Eq for ChessState {}

/// The file on which the mover may capture en passant, if that is legal.
fn en_passant(board: &Board) -> Option<File> {
    let file = board.en_passant()?;
    let mover = board.side_to_move();
    let to = Square::new(file, Rank::Sixth.relative_to(mover));
    let pawns = get_pawn_attacks(to, !mover) & board.colored_pieces(mover, Piece::Pawn);
    let captures = |from| board.is_legal(cozy_chess::Move { from, to, promotion: None });
    pawns.into_iter().any(captures).then_some(file)
}

/// Whether each side may castle still: white short and long, black short and long.
fn castling(board: &Board) -> [bool; 4] {
    let [white, black] = Color::ALL.map(|color| board.castle_rights(color));
    [white.short, white.long, black.short, black.long].map(|rook| rook.is_some())
}

/// Pieces, mover, castling rights, and en passant where it is legal.
fn position_key(board: &Board) -> Key {
    let [pawns, knights, bishops, rooks, queens, kings] = Piece::ALL.map(|p| board.pieces(p));
    // Three bits name the piece on a square, the fourth its colour.
    let bits: [BitBoard; 4] = [
        board.colors(Color::White),
        pawns | bishops | queens,
        knights | bishops | kings,
        rooks | queens | kings,
    ];
    let rights = castling(board).iter().fold(0, |bits, &right| bits << 1 | u64::from(right));
    let file = en_passant(board).map_or(0, |file| 1 + file as u64);
    let mover = board.side_to_move() as u64;
    let key = bits.iter().fold(Key::of_words(&[]), |key, bits| key.mix(bits.0));
    key.mix(mover | rights << 1 | file << 5)
}
