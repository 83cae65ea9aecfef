//! Moves in standard algebraic notation (PGN standard, S. Edwards 1994, section 8.2.3).

use cozy_chess::{Board, File, Piece, Rank, Square};

use super::moves;
use crate::{GameError, Move};

/// The legal move as PGN writes it: `Nbd2`, `exd6`, `O-O-O`, `e8=Q+`, `Qh4#`.
pub(super) fn format(board: &Board, mv: Move) -> String {
    let (from, to) = moves::squares(mv);
    let piece = board.piece_on(from).unwrap_or(Piece::Pawn);
    let mut text = if piece == Piece::King && castles(from, to) {
        if to.file() > from.file() { "O-O".to_owned() } else { "O-O-O".to_owned() }
    } else {
        let takes =
            board.piece_on(to).is_some() || piece == Piece::Pawn && from.file() != to.file();
        let who = match piece {
            Piece::Pawn if takes => from.file().to_string(),
            Piece::Pawn => String::new(),
            _ => letter(piece) + &distinguishing_origin(board, piece, mv),
        };
        let promotion = moves::promotion(mv).map(|piece| "=".to_owned() + &letter(piece));
        format!("{who}{}{to}{}", if takes { "x" } else { "" }, promotion.unwrap_or_default())
    };
    let mut after = board.clone();
    after.play_unchecked(moves::for_generator(board, mv));
    if !after.checkers().is_empty() {
        text.push(if moves::any(&after) { '+' } else { '#' });
    }
    text
}

/// Reads a move that a person types: UCI, else a legal move in standard algebraic notation, whose
/// piece may be a small letter where no pawn's move is meant.
///
/// # Errors
/// [`GameError::BadMove`] for text that is no move, else as [`parse`].
pub(super) fn parse_typed(board: &Board, text: &str) -> Result<Move, GameError> {
    const EXPECTED: &str =
        "write e4, Nf3, O-O or e8=Q, or from and to: e2e4, e1g1 to castle, e7e8q to promote";
    if let Some(mv) = moves::read(text) {
        return Ok(mv);
    }
    let word = text.trim();
    let capital = word.get(..1).filter(|first| "kqrbn".contains(first));
    let capital = capital.map(|first| first.to_ascii_uppercase() + &word[1..]);
    let means = |word: &String| Description::read(word.trim_end_matches(SIGNS)).is_some();
    let readings = [Some(word.to_owned()), capital].into_iter().flatten().filter(means);
    let mut refusal = None;
    for reading in readings {
        match parse(board, &reading) {
            Err(refused @ GameError::IllegalMove { .. }) => {
                refusal.get_or_insert(refused);
            }
            found => return found,
        }
    }
    let no_move = || GameError::BadMove { text: text.to_owned(), expected: EXPECTED.to_owned() };
    Err(refusal.unwrap_or_else(no_move))
}

/// What may follow a move: signs of check and of praise.
const SIGNS: [char; 4] = ['+', '#', '!', '?'];

/// Reads a move. Tolerates variants that programs write: signs of check and of praise left out or
/// added, `0-0`, `e8Q`, `e8(Q)`, captures without x, more of the origin than is needed, and UCI.
///
/// # Errors
/// [`GameError::IllegalMove`] if no legal move fits, [`GameError::AmbiguousMove`] if several do.
pub(super) fn parse(board: &Board, text: &str) -> Result<Move, GameError> {
    let mut legal = Vec::new();
    moves::list(board, &mut legal);
    let word = text.trim().trim_end_matches(SIGNS);
    let fits: Vec<Move> = match Description::read(word) {
        Some(described) => legal.iter().copied().filter(|&mv| described.fits(board, mv)).collect(),
        None => Vec::new(),
    };
    match fits[..] {
        [mv] => Ok(mv),
        [] => match moves::parse(word) {
            Ok(mv) if legal.contains(&mv) => Ok(mv),
            _ => Err(GameError::IllegalMove { text: text.to_owned(), legal: names(board, &legal) }),
        },
        _ => Err(GameError::AmbiguousMove { text: text.to_owned(), fits: names(board, &fits) }),
    }
}

/// What a text says of a move.
enum Description {
    /// Castling, towards the king's side or not.
    Castling { short: bool },
    /// Any other move.
    Step {
        piece: Piece,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Piece>,
    },
}

impl Description {
    fn read(word: &str) -> Option<Self> {
        let castling: String =
            word.chars().map(|c| if matches!(c, '0' | 'o') { 'O' } else { c }).collect();
        match castling.as_str() {
            "O-O" | "OO" => return Some(Self::Castling { short: true }),
            "O-O-O" | "OOO" => return Some(Self::Castling { short: false }),
            _ => {}
        }
        let word = word.strip_suffix("e.p.").unwrap_or(word);
        let (piece, rest) = match word.chars().next()? {
            // A small b is a file.
            capital @ ('K' | 'Q' | 'R' | 'B' | 'N' | 'P') => {
                (capital.to_ascii_lowercase().to_string().parse().ok()?, &word[1..])
            }
            _ => (Piece::Pawn, word),
        };
        let noise = |c: &char| !matches!(c, 'x' | ':' | '-' | '=' | '(' | ')' | '/' | ' ');
        let mut signs: Vec<char> = rest.chars().filter(noise).collect();
        let promotion = match signs.last()?.to_ascii_lowercase() {
            last @ ('q' | 'r' | 'b' | 'n') => {
                signs.pop();
                Some(last.to_string().parse().ok()?)
            }
            _ => None,
        };
        let (from, to) = signs.split_at_checked(signs.len().checked_sub(2)?)?;
        let to = to.iter().collect::<String>().to_ascii_lowercase().parse().ok()?;
        let mut file = None;
        let mut rank = None;
        for sign in from {
            let sign = sign.to_ascii_lowercase().to_string();
            match (sign.parse(), sign.parse()) {
                (Ok(found), _) if file.is_none() && rank.is_none() => file = Some(found),
                (_, Ok(found)) if rank.is_none() => rank = Some(found),
                _ => return None,
            }
        }
        Some(Self::Step { piece, file, rank, to, promotion })
    }

    fn fits(&self, board: &Board, mv: Move) -> bool {
        let (start, end) = moves::squares(mv);
        let castling = board.pieces(Piece::King).has(start) && castles(start, end);
        match *self {
            Self::Castling { short } => castling && short == (end.file() > start.file()),
            Self::Step { piece, file, rank, to, promotion } => {
                !castling
                    && end == to
                    && board.pieces(piece).has(start)
                    && file.is_none_or(|file| file == start.file())
                    && rank.is_none_or(|rank| rank == start.rank())
                    && promotion == moves::promotion(mv)
            }
        }
    }
}

/// Returns as much of the origin as distinguishes the move from legal moves of like pieces to the
/// same square: the file, the rank if the file is not enough, both if neither is enough.
fn distinguishing_origin(board: &Board, piece: Piece, mv: Move) -> String {
    let (from, to) = moves::squares(mv);
    let mut legal = Vec::new();
    moves::list(board, &mut legal);
    let others = legal.into_iter().map(moves::squares);
    let rivals: Vec<Square> = others
        .filter(|&(start, end)| end == to && start != from && board.pieces(piece).has(start))
        .map(|(start, _)| start)
        .collect();
    if rivals.is_empty() {
        String::new()
    } else if rivals.iter().all(|rival| rival.file() != from.file()) {
        from.file().to_string()
    } else if rivals.iter().all(|rival| rival.rank() != from.rank()) {
        from.rank().to_string()
    } else {
        from.to_string()
    }
}

/// True if a king's step is castling.
fn castles(from: Square, to: Square) -> bool {
    (from.file() as i8 - to.file() as i8).abs() == 2
}

fn letter(piece: Piece) -> String {
    piece.to_string().to_ascii_uppercase()
}

fn names(board: &Board, moves: &[Move]) -> String {
    moves.iter().map(|&mv| format(board, mv)).collect::<Vec<_>>().join(" ")
}
