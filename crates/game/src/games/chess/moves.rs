//! Moves as numbers and as UCI text, generated in ascending order.
//!
//! A move is `from * 512 + to * 8 + promotion`, squares from a1 = 0 by ranks to h8 = 63, promotion
//! 0 for none, 1 to 4 for knight, bishop, rook and queen. Castling is the king's move by two files.

use cozy_chess::{BitBoard, Board, Color, File, Piece, Rank, Square};

use crate::{GameError, Move};

/// What a pawn may become, in the order of its numbers from 1 on.
const PROMOTIONS: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];

/// Adds the moves that the rules of movement allow, ascending.
pub(super) fn list(board: &Board, out: &mut Vec<Move>) {
    let mut targets = [BitBoard::EMPTY; Square::NUM];
    let mut sources = BitBoard::EMPTY;
    board.generate_moves(|moves| {
        // En passant comes apart from a pawn's other moves.
        targets[moves.from as usize] |= moves.to;
        sources |= moves.from.bitboard();
        false
    });
    let mover = board.side_to_move();
    let own = board.colors(mover);
    let promoting = board.pieces(Piece::Pawn) & Rank::Seventh.relative_to(mover).bitboard();
    for from in sources {
        let all = targets[from as usize];
        // The generator lets a king take the rook with which it castles.
        let castles = all & own;
        let to = castles.into_iter().fold(all ^ castles, |to, rook| to | king_castled(rook));
        if promoting.has(from) {
            let promotions = |to| (1..=4).map(move |promotion| number(from, to, promotion));
            out.extend(to.into_iter().flat_map(promotions));
        } else {
            out.extend(to.into_iter().map(|to| number(from, to, 0)));
        }
    }
}

/// True if there is a legal move.
pub(super) fn any(board: &Board) -> bool {
    board.generate_moves(|_| true)
}

/// Leaf nodes at depths `0..=depth` by the rules of movement alone, as published counts have them:
/// no repetition, no count of moves and no lack of material ends a line.
pub(super) fn perft(board: &Board, depth: u32) -> Vec<u64> {
    let mut counts = vec![0; depth as usize + 1];
    count(board, &mut counts);
    counts
}

fn count(board: &Board, counts: &mut [u64]) {
    let Some((here, deeper)) = counts.split_first_mut() else { return };
    *here += 1;
    if deeper.is_empty() {
        return;
    }
    board.generate_moves(|moves| {
        if let [leaves] = deeper {
            // Children at the last depth are counted, not visited.
            *leaves += moves.len() as u64;
            return false;
        }
        for mv in moves {
            let mut child = board.clone();
            child.play_unchecked(mv);
            count(&child, deeper);
        }
        false
    });
}

fn number(from: Square, to: Square, promotion: u16) -> Move {
    Move((from as u16) << 9 | (to as u16) << 3 | promotion)
}

/// From and to.
pub(super) fn squares(mv: Move) -> (Square, Square) {
    let square = |bits: u16| Square::index(usize::from(bits % 64));
    (square(mv.0 >> 9), square(mv.0 >> 3))
}

/// What the pawn becomes.
pub(super) fn promotion(mv: Move) -> Option<Piece> {
    let number = usize::from(mv.0 % 8);
    number.checked_sub(1).map(|index| PROMOTIONS[index])
}

/// The move as the generator numbers it.
pub(super) fn for_generator(board: &Board, mv: Move) -> cozy_chess::Move {
    let (from, to) = squares(mv);
    let step = to.file() as i8 - from.file() as i8;
    let castles = board.pieces(Piece::King).has(from) && step.abs() == 2;
    let corner = if step > 0 { File::H } else { File::A };
    let to = if castles { Square::new(corner, to.rank()) } else { to };
    cozy_chess::Move { from, to, promotion: promotion(mv) }
}

/// Where a rook stands that may castle.
pub(super) fn rook_home(color: Color, file: File) -> Square {
    Square::new(file, Rank::First.relative_to(color))
}

/// Where the king stands after castling with `rook`.
fn king_castled(rook: Square) -> BitBoard {
    let file = if rook.file() == File::A { File::C } else { File::G };
    Square::new(file, rook.rank()).bitboard()
}

/// UCI text.
pub(super) fn format(mv: Move) -> String {
    let (from, to) = squares(mv);
    let promotion = promotion(mv).map(|piece| piece.to_string());
    format!("{from}{to}{}", promotion.unwrap_or_default())
}

/// Reads UCI text, in either case; `None` if it is something else.
pub(super) fn read(text: &str) -> Option<Move> {
    let words = text.to_ascii_lowercase();
    let (from, rest) = words.split_at_checked(2)?;
    let (to, promotion) = rest.split_at_checked(2)?;
    let promotion = if promotion.is_empty() {
        0
    } else {
        let piece: Piece = promotion.parse().ok()?;
        1 + PROMOTIONS.iter().position(|&known| known == piece)? as u16
    };
    Some(number(from.parse().ok()?, to.parse().ok()?, promotion))
}

/// Reads UCI text.
///
/// # Errors
/// [`GameError::BadMove`].
pub(super) fn parse(text: &str) -> Result<Move, GameError> {
    let expected = "write from and to, for example e2e4, e1g1 to castle, e7e8q to promote";
    read(text)
        .ok_or_else(|| GameError::BadMove { text: text.to_owned(), expected: expected.to_owned() })
}
