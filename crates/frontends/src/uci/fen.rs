//! Positions as front ends write them. What Stockfish drops from a FEN is dropped here too.

/// A position that a front end wrote, in canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NormalizedFen {
    /// The position with all fields.
    pub fen: String,
    /// A note for people about what was dropped.
    pub dropped: Option<String>,
}

/// The counters of a position that has none: halfmove clock and number of the move.
const COUNTERS: [&str; 2] = ["0", "1"];

/// Reads the fields after `position fen`.
///
/// As in Stockfish (`Position::set`), fields may be missing from the third one on. Castling rights
/// without king and rook at home are left out, and so is a square for en passant that is not behind
/// a pawn that has just moved. A counter may be `-` or below 0, and a halfmove clock above 100 is
/// 100: the draw by 50 moves is due, and nobody has claimed it.
///
/// Everything else is left to the rules, which refuse it: castling rights that name a file of
/// Chess960, say.
pub(super) fn normalize(fields: &[&str]) -> NormalizedFen {
    let squares = squares(fields.first().copied().unwrap_or_default());
    let side = fields.get(1).copied().unwrap_or_default();
    let said = fields.get(2).copied().unwrap_or("-");
    let castling = castling(squares.as_ref(), said);
    let square = fields.get(3).copied().unwrap_or("-");
    let passed = en_passant(squares.as_ref(), side, square);
    let mut dropped = Vec::new();
    if castling != said {
        dropped.push(format!("castling rights {said} become {castling}"));
    }
    if passed != square {
        dropped.push(format!("no pawn can be taken en passant on {square}"));
    }
    let counter = |index: usize| {
        let sent = fields.get(4 + index).copied().unwrap_or(COUNTERS[index]);
        let below = sent == "-" || sent.parse::<i64>().is_ok_and(|number| number < 0);
        if below { COUNTERS[index] } else { sent }
    };
    let clock = counter(0);
    let clock = if clock.parse::<u64>().is_ok_and(|plies| plies > 100) { "100" } else { clock };
    let number = counter(1);
    let long = number.bytes().all(|byte| byte.is_ascii_digit()) && number.parse::<u16>().is_err();
    let number = if long { "65535" } else { number };
    let pieces = fields.first().unwrap_or(&"");
    let more = fields.get(6..).unwrap_or_default();
    let mut words = vec![*pieces, side, &castling, passed, clock, number];
    words.extend(more);
    let dropped = (!dropped.is_empty()).then(|| dropped.join(", "));
    NormalizedFen { fen: words.join(" "), dropped }
}

/// Returns the piece on each square, from a8 to h1; `None` if the text is no board.
fn squares(pieces: &str) -> Option<[char; 64]> {
    let mut squares = Vec::with_capacity(64);
    for row in pieces.split('/') {
        let before = squares.len();
        for sign in row.chars() {
            match sign.to_digit(10) {
                Some(empty) => squares.extend((0..empty).map(|_| '.')),
                None => squares.push(sign),
            }
        }
        if squares.len() != before + 8 {
            return None;
        }
    }
    squares.try_into().ok()
}

/// The castling rights of `said` whose king and rook stand at home, in the order `KQkq`. Where
/// `said` has other letters than these, it stays unchanged.
fn castling(squares: Option<&[char; 64]>, said: &str) -> String {
    // Index of king and rook, from a8 = 0.
    const RIGHTS: [(char, usize, usize); 4] =
        [('K', 60, 63), ('Q', 60, 56), ('k', 4, 7), ('q', 4, 0)];
    let known = |letter| RIGHTS.iter().any(|right| right.0 == letter);
    let Some(squares) = squares.filter(|_| said.chars().all(known)) else { return said.to_owned() };
    let kept = RIGHTS.iter().filter(|&&(right, king, rook)| {
        let (king_sign, rook_sign) = if right.is_uppercase() { ('K', 'R') } else { ('k', 'r') };
        said.contains(right) && squares[king] == king_sign && squares[rook] == rook_sign
    });
    let kept: String = kept.map(|right| right.0).collect();
    if kept.is_empty() { "-".to_owned() } else { kept }
}

/// `square` if a pawn of the other side can have passed it, else `-`.
fn en_passant<'a>(squares: Option<&[char; 64]>, side: &str, square: &'a str) -> &'a str {
    let Some(squares) = squares else { return square };
    let (row, behind, before, pawn) =
        if side == "w" { (b'6', 1, 3, 'p') } else { (b'3', 6, 4, 'P') };
    let &[file @ b'a'..=b'h', rank] = square.as_bytes() else { return "-" };
    let at = |row: usize| squares[8 * row + usize::from(file - b'a')];
    let own = usize::from(b'8' - row);
    let passed = rank == row && at(own) == '.' && at(behind) == '.' && at(before) == pawn;
    if passed { square } else { "-" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(fen: &str) -> NormalizedFen {
        normalize(&fen.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn impossible_parts_are_left_out_and_reported() {
        let sent = read("4k2r/8/8/8/8/8/8/R3K3 w KQkq e6 0 1");
        assert_eq!(sent.fen, "4k2r/8/8/8/8/8/8/R3K3 w Qk - 0 1");
        let said = sent.dropped.expect("something was left out");
        assert!(said.contains("KQkq become Qk") && said.contains("e6"), "{said}");
        let good = "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3";
        assert_eq!(read(good), NormalizedFen { fen: good.to_owned(), dropped: None });
    }

    #[test]
    fn fields_may_be_missing_and_counters_odd() {
        let counters = |fen: &str| read(fen).fen.split(' ').skip(2).collect::<Vec<_>>().join(" ");
        assert_eq!(counters("8/8/8/8/8/8/8/8 w"), "- - 0 1");
        assert_eq!(counters("8/8/8/8/8/8/8/8 w - - -"), "- - 0 1");
        assert_eq!(counters("8/8/8/8/8/8/8/8 w - - -3 0"), "- - 0 0");
        assert_eq!(counters("8/8/8/8/8/8/8/8 w - - 150 99999"), "- - 100 65535");
        assert_eq!(counters("8/8/8/8/8/8/8/8 w - - x y z"), "- - x y z", "the rules refuse that");
        assert_eq!(read("8/8 w HAha").fen, "8/8 w HAha - 0 1");
    }
}
