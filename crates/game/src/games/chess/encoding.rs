//! What networks see of chess.

use cozy_chess::{BitBoard, Color, Piece, Rank, Square};

use super::{Chess, ChessHistory, ChessState, castling, en_passant, moves};
use crate::{Encoding, Move, PlaneShape, PlaneWriter, Symmetry};

/// Version 1, from the mover's side, whose eighth rank is the top row; files keep their order.
/// Pieces of mover and opponent, castling rights, en passant where it is legal, whether the
/// position has occurred before, all squares. The halfmove clock, divided by 100, is a global. Then
/// for each past position that is shown, the last one first: pieces of the mover and of the
/// opponent of now, and whether it had occurred before. (`AlphaZero` has a second plane for the
/// third occurrence, which ends the game here.)
///
/// The policy is that of Silver et al., A general reinforcement learning algorithm that masters
/// chess, shogi and Go through self-play (2018), table S2: for each square to move from, 56 moves
/// of a queen, 8 of a knight, 9 promotions to a lesser piece.
#[derive(Clone, Debug)]
pub struct ChessEncoding {
    pub(super) history_planes: u8,
}

const SIDE: usize = 8;
/// Kinds of moves from a square.
const KINDS: usize = 73;
/// Files and ranks of a step, clockwise from straight ahead.
const DIRECTIONS: [(i8, i8); 8] =
    [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
/// Files and ranks of a knight's move, clockwise from straight ahead.
const KNIGHT_MOVES: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

const PLANES: [&str; 19] = [
    "own pawns",
    "own knights",
    "own bishops",
    "own rooks",
    "own queens",
    "own king",
    "opponent's pawns",
    "opponent's knights",
    "opponent's bishops",
    "opponent's rooks",
    "opponent's queens",
    "opponent's king",
    "own O-O",
    "own O-O-O",
    "opponent's O-O",
    "opponent's O-O-O",
    "en passant",
    "occurred before",
    "board",
];
/// The first of the four planes of castling rights; those of squares stand before.
const CASTLING: usize = 12;
const EN_PASSANT: usize = 16;
const OCCURRED: usize = 17;
const BOARD: usize = 18;
/// Planes of a past position.
const PAST: usize = 13;

/// Row and column where `color` sees `square`.
fn seen(square: Square, color: Color) -> (usize, usize) {
    let square = square.relative_to(color);
    (SIDE - 1 - square.rank() as usize, square.file() as usize)
}

/// The kind of a move, 0 to 72, as `color` sees it.
fn kind(mv: Move, color: Color) -> usize {
    let (from, to) = moves::squares(mv);
    let from = from.relative_to(color);
    let to = to.relative_to(color);
    let files = to.file() as i8 - from.file() as i8;
    let ranks = to.rank() as i8 - from.rank() as i8;
    let lesser = moves::promotion(mv).filter(|&piece| piece != Piece::Queen);
    if let Some(piece) = lesser {
        // Knight, bishop, rook are pieces 1, 2, 3; to the left, ahead, to the right.
        return 64 + 3 * (piece as usize - 1) + (files + 1) as usize;
    }
    if let Some(knight) = KNIGHT_MOVES.iter().position(|&step| step == (files, ranks)) {
        return 56 + knight;
    }
    let step = (files.signum(), ranks.signum());
    let direction = DIRECTIONS.iter().position(|&known| known == step);
    let distance = files.unsigned_abs().max(ranks.unsigned_abs());
    7 * direction.expect("a move leaves its square") + usize::from(distance) - 1
}

impl Encoding for ChessEncoding {
    type Game = Chess;

    fn id(&self) -> String {
        match self.history_planes {
            0 => "chess-v1:8x8".to_owned(),
            past => format!("chess-v1:8x8,history_planes={past}"),
        }
    }

    fn planes(&self) -> PlaneShape {
        let channels = PLANES.len() + PAST * usize::from(self.history_planes);
        PlaneShape { channels, height: SIDE, width: SIDE, globals: 1 }
    }

    fn plane_names(&self) -> Vec<String> {
        let shown = PLANES[..CASTLING].iter().chain([&PLANES[OCCURRED]]);
        let past = (1..=self.history_planes)
            .flat_map(|plies| shown.clone().map(move |name| format!("{name}, {plies} back")));
        PLANES.iter().map(|&name| name.to_owned()).chain(past).collect()
    }

    fn global_names(&self) -> Vec<String> {
        vec!["halfmove clock / 100".to_owned()]
    }

    fn policy_len(&self) -> usize {
        KINDS * SIDE * SIDE
    }

    fn policy_planes(&self) -> Option<usize> {
        Some(KINDS)
    }

    fn policy_layout(&self) -> String {
        "index = kind * 64 + row * 8 + column of the square moved from, in the mover's view, row 0 the \
         eighth rank; kind = 7 * direction + distance - 1 (directions clockwise from straight ahead; \
         also castling and promotion to a queen), 56 to 63 a knight's moves clockwise, \
         64 + 3 * (knight, bishop, rook) + (left, ahead, right) other promotions"
            .to_owned()
    }

    fn policy_index(&self, state: &ChessState, mv: Move, _symmetry: Symmetry) -> usize {
        let mover = state.board.side_to_move();
        let (row, column) = seen(moves::squares(mv).0, mover);
        (kind(mv, mover) * SIDE + row) * SIDE + column
    }

    fn encode(
        &self,
        state: &ChessState,
        history: &ChessHistory,
        _symmetry: Symmetry,
        out: &mut PlaneWriter<'_>,
    ) {
        let board = &state.board;
        let mover = state.board.side_to_move();
        let pieces = Piece::ALL.map(|piece| board.pieces(piece));
        encode_pieces(pieces, board.colors(Color::White), mover, 0, out);
        let [white_short, white_long, black_short, black_long] = castling(board);
        let white = [white_short, white_long];
        let black = [black_short, black_long];
        let (own, other) = if mover == Color::White { (white, black) } else { (black, white) };
        for (plane, right) in own.into_iter().chain(other).enumerate() {
            if right {
                out.fill(CASTLING + plane);
            }
        }
        if let Some(file) = en_passant(board) {
            let square = Square::new(file, Rank::Sixth.relative_to(mover));
            let (row, column) = seen(square, mover);
            out.set(EN_PASSANT, row, column);
        }
        if history.repeats(state) > 0 {
            out.fill(OCCURRED);
        }
        out.fill(BOARD);
        out.global(0, f32::from(state.halfmove_clock()) / 100.0);
        for (index, past) in history.last(self.history_planes).enumerate() {
            let first = PLANES.len() + PAST * index;
            encode_pieces(past.pieces, past.white, mover, first, out);
            if past.has_occurred {
                out.fill(first + PAST - 1);
            }
        }
    }
}

/// Encodes twelve planes from `first` on: the pieces of `mover`, then those of the other side.
fn encode_pieces(
    pieces: [BitBoard; Piece::NUM],
    white: BitBoard,
    mover: Color,
    first: usize,
    out: &mut PlaneWriter<'_>,
) {
    let own = if mover == Color::White { white } else { !white };
    for (side, color) in [own, !own].into_iter().enumerate() {
        for (kind, pieces) in pieces.into_iter().enumerate() {
            for square in pieces & color {
                let (row, column) = seen(square, mover);
                out.set(first + side * Piece::NUM + kind, row, column);
            }
        }
    }
}
