//! Positions in Forsyth-Edwards notation.

use cozy_chess::{
    BitBoard, Board, Color, FenParseError, File, Piece, Rank, Square, get_bishop_moves,
    get_king_moves, get_knight_moves, get_pawn_attacks, get_rook_moves,
};

use super::draws::HALFMOVES_MAX;
use crate::GameError;

/// Reads a position. The two counters may be left out, and the number of the move may be 0.
///
/// A halfmove clock above 100 is read as 100: the draw by 50 moves is due from there on, even if
/// nobody has claimed it for long. So the position has the keys of the same position with the clock
/// 100.
///
/// # Errors
/// [`GameError::BadPosition`] with the rule that the text breaks.
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
    let [pieces, side, _, _, clock, number] = fields[..] else {
        return Err("a FEN has six fields: pieces, w or b, castling rights, en passant square, \
                    halfmove clock, number of the move");
    };
    let digits = |field: &str| field.bytes().all(|byte| byte.is_ascii_digit());
    let placed = Placed::read(pieces)?;
    placed.check(side)?;
    if !digits(clock) || !digits(number) {
        return Err(
            "the last two fields are counters of digits: halfmove clock, number of the move",
        );
    }
    let most = HALFMOVES_MAX.to_string();
    // A number too long for any type is above 100, too.
    if !clock.parse::<u64>().is_ok_and(|plies| plies <= u64::from(HALFMOVES_MAX)) {
        fields[4] = &most;
    }
    if number.bytes().all(|byte| byte == b'0') {
        fields[5] = "1";
    }
    let board = Board::from_fen(&fields.join(" "), false).map_err(reason)?;
    check(&board)?;
    Ok(board)
}

/// The pieces of a text, before anything is known of them.
#[derive(Default)]
struct Placed {
    colors: [BitBoard; Color::NUM],
    pieces: [BitBoard; Piece::NUM],
}

impl Placed {
    fn read(text: &str) -> Result<Self, &'static str> {
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != Rank::NUM {
            return Err("the first field has eight ranks with / between them");
        }
        let mut placed = Self::default();
        for (rank, row) in Rank::ALL.into_iter().rev().zip(ranks) {
            let mut file = 0;
            for sign in row.chars() {
                if let Some(empty) = sign.to_digit(10).filter(|_| sign.is_ascii_digit()) {
                    file += empty as usize;
                    continue;
                }
                let piece = sign.is_ascii().then(|| sign.to_ascii_lowercase().try_into().ok());
                let piece: Piece = piece.flatten().ok_or(
                    "the eight squares of a rank are digits for empty squares and the letters \
                     KQRBNPkqrbnp",
                )?;
                let file_here = File::try_index(file).ok_or(SQUARES)?;
                let square = Square::new(file_here, rank).bitboard();
                let color = if sign.is_ascii_uppercase() { Color::White } else { Color::Black };
                placed.colors[color as usize] |= square;
                placed.pieces[piece as usize] |= square;
                file += 1;
            }
            if file != File::NUM {
                return Err(SQUARES);
            }
        }
        Ok(placed)
    }

    fn of(&self, color: Color, piece: Piece) -> BitBoard {
        self.colors[color as usize] & self.pieces[piece as usize]
    }

    /// The rules that hold for pieces alone, and those of check where the side to move is known.
    fn check(&self, side: &str) -> Result<(), &'static str> {
        let ends = Rank::First.bitboard() | Rank::Eighth.bitboard();
        for color in Color::ALL {
            let pawns = self.of(color, Piece::Pawn);
            if self.of(color, Piece::King).len() != 1 {
                return Err("each side has one king");
            }
            if !(pawns & ends).is_empty() {
                return Err("no pawn on the first or last rank is possible");
            }
            if pawns.len() > 8 {
                return Err("a side has at most eight pawns");
            }
            if self.colors[color as usize].len() > 16 {
                return Err("a side has at most sixteen pieces");
            }
        }
        let mover = match side {
            "w" => Color::White,
            "b" => Color::Black,
            _ => return Err("the second field is w or b, the side to move"),
        };
        if !self.checkers(!mover).is_empty() {
            return Err("the side that has moved is in check");
        }
        if self.checkers(mover).len() > 2 {
            return Err("there are at most two pieces that give check");
        }
        Ok(())
    }

    /// Pieces other than the king that attack the king of `color`.
    fn checkers(&self, color: Color) -> BitBoard {
        let Some(king) = self.of(color, Piece::King).next_square() else { return BitBoard::EMPTY };
        let occupied = self.colors[0] | self.colors[1];
        let straight = self.of(!color, Piece::Rook) | self.of(!color, Piece::Queen);
        let diagonal = self.of(!color, Piece::Bishop) | self.of(!color, Piece::Queen);
        get_rook_moves(king, occupied) & straight
            | get_bishop_moves(king, occupied) & diagonal
            | get_knight_moves(king) & self.of(!color, Piece::Knight)
            | get_pawn_attacks(king, color) & self.of(!color, Piece::Pawn)
    }
}

const SQUARES: &str = "every rank has eight squares";

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
        FenParseError::InvalidBoard => "the pieces stand as they cannot in a game",
        FenParseError::InvalidSideToMove => "the second field is w or b, the side to move",
        FenParseError::InvalidCastlingRights => {
            "the third field is - or some of KQkq, each once and with king and rook at home"
        }
        FenParseError::InvalidEnPassant => {
            "the fourth field is - or the square behind a pawn that has just moved two ranks"
        }
        FenParseError::InvalidHalfMoveClock => "the halfmove clock is a number of plies",
        FenParseError::InvalidFullmoveNumber => "the number of the move is 1 to 65535",
        FenParseError::MissingField | FenParseError::TooManyFields => "a FEN has six fields",
    }
}
