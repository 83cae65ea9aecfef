//! Positions in Forsyth-Edwards notation.

use cozy_chess::{Board, Color, FenParseError, File, Piece, get_king_moves};

use crate::GameError;

/// Reads a position. The two counters may be left out, and the number of the move may be 0.
///
/// # Errors
/// [`GameError::BadPosition`] with what is wrong.
pub(super) fn parse(text: &str) -> Result<Board, GameError> {
    read(text).map_err(|reason| GameError::BadPosition {
        text: text.to_owned(),
        reason: reason.to_owned(),
    })
}

fn read(text: &str) -> Result<Board, &'static str> {
    let mut fields: Vec<&str> = text.split_whitespace().collect();
    if fields.len() == 4 {
        fields.extend(["0", "1"]);
    }
    let [pieces, _, _, _, clock, number] = fields[..] else {
        return Err("a FEN has six fields: pieces, w or b, castling rights, en passant square, \
                    halfmove clock, number of the move");
    };
    let digits = |field: &str| field.bytes().all(|byte| byte.is_ascii_digit());
    if pieces.split('/').count() != 8 || !digits(clock) || !digits(number) {
        return Err("a FEN has eight ranks, and two counters of digits");
    }
    if number.bytes().all(|byte| byte == b'0') {
        fields[5] = "1";
    }
    let board = Board::from_fen(&fields.join(" "), false).map_err(reason)?;
    check(&board)?;
    Ok(board)
}

/// What the generator accepts, because it also plays Chess960 or does not look at it.
fn check(board: &Board) -> Result<(), &'static str> {
    let kings = Color::ALL.map(|color| board.king(color));
    if get_king_moves(kings[0]).has(kings[1]) {
        return Err("the kings stand side by side");
    }
    for color in Color::ALL {
        let rights = board.castle_rights(color);
        if (rights.short.or(rights.long)).is_some() && board.king(color).file() != File::E {
            return Err("a king that may castle stands on the e file");
        }
        let count = |piece| board.colored_pieces(color, piece).len();
        let given = [(Piece::Knight, 2), (Piece::Bishop, 2), (Piece::Rook, 2), (Piece::Queen, 1)];
        let promoted: u32 =
            given.map(|(piece, first)| count(piece).saturating_sub(first)).iter().sum();
        if promoted + count(Piece::Pawn) > 8 {
            return Err("a side has more pieces than its pawns can have become");
        }
    }
    Ok(())
}

fn reason(error: FenParseError) -> &'static str {
    match error {
        FenParseError::InvalidBoard => {
            "the board must have eight ranks of eight squares, one king a side, no pawn on the first or \
             last rank, at most two pieces that give check, and no check to the side that has moved"
        }
        FenParseError::InvalidSideToMove => "the second field is w or b, the side to move",
        FenParseError::InvalidCastlingRights => {
            "the third field is - or some of KQkq, each with king and rook at home"
        }
        FenParseError::InvalidEnPassant => {
            "the fourth field is - or the square behind a pawn that has just moved two ranks"
        }
        FenParseError::InvalidHalfMoveClock => "the halfmove clock is 0 to 100",
        FenParseError::InvalidFullmoveNumber => "the number of the move is 1 to 65535",
        FenParseError::MissingField | FenParseError::TooManyFields => "a FEN has six fields",
    }
}
