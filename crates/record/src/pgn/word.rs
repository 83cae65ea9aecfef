//! Words between the moves: moves, and signs such as those of praise or of who stands better.

/// What a word of the movetext is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Word<'a> {
    /// A move, or what was meant to be one.
    Move(&'a str),
    /// Several moves without blanks between them, and whether there was more than moves and signs.
    Moves(Vec<&'a str>, bool),
    /// Signs that say something about a move.
    Sign,
    /// Neither.
    Unknown,
}

/// Letters that stand for remarks: novelty, diagram, zugzwang, en passant, check, mate and others
/// (Informant's and other books' systems). In small letters.
const REMARKS: [&str; 16] = [
    "n",
    "tn",
    "d",
    "rr",
    "zz",
    "ep",
    "e.p",
    "ch",
    "dis",
    "dis.ch",
    "dbl",
    "dbl.ch",
    "mate",
    "diagram",
    "editorial",
    "novelty",
];

/// Moves that are none, which change whose turn it is.
const NULL_MOVES: [&str; 4] = ["--", "Z0", "0000", "@@@@"];

/// Whether the word is a move that is none.
pub(super) fn is_null_move(word: &str) -> bool {
    NULL_MOVES.contains(&word)
}

/// Returns what a word without a move number is.
pub(super) fn word(word: &str) -> Word<'_> {
    if is_null_move(word) {
        return Word::Move(word);
    }
    let bare = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    let core = bare.trim_end_matches(|c: char| !c.is_alphanumeric());
    if core.is_empty() {
        return Word::Sign;
    }
    if REMARKS.contains(&core.to_lowercase().as_str()) {
        return Word::Sign;
    }
    let no_remark = core.strip_suffix("e.p").or_else(|| core.strip_suffix("ep")).unwrap_or(core);
    if is_move(no_remark) {
        // Signs of check and praise belong to the move as it is written.
        let signs = &bare[core.len()..];
        let usual = signs.chars().all(|c| matches!(c, '+' | '#' | '!' | '?'));
        return Word::Move(if usual && no_remark == core { bare } else { no_remark });
    }
    let (moves, rest) = found(word);
    if !moves.is_empty() {
        return Word::Moves(moves, rest);
    }
    if is_attempt(core) { Word::Move(core) } else { Word::Unknown }
}

/// Whether the word has the shape of a move, as programs of all kinds write them.
fn is_move(word: &str) -> bool {
    let castling: String =
        word.chars().map(|c| if matches!(c, '0' | 'o') { 'O' } else { c }).collect();
    if matches!(castling.as_str(), "O-O" | "OO" | "O-O-O" | "OOO") {
        return true;
    }
    let square = |two: &[u8]| matches!(two, [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8']);
    let bytes = word.as_bytes();
    let sign = |byte: &u8| b"abcdefghABCDEFGH12345678xX:-=/KQRBNPqrnk".contains(byte);
    bytes.first().is_some_and(|first| b"KQRBNPabcdefghACDEFGH".contains(first))
        && bytes.iter().all(sign)
        && bytes.windows(2).any(square)
        // `bxc3Nf6` is two moves.
        && bytes.windows(2).filter(|two| square(two)).count() <= 2
}

/// Whether somebody meant to write a move: `Nf9`, `e10`.
fn is_attempt(word: &str) -> bool {
    let bytes = word.as_bytes();
    let sign = |byte: &u8| b"abcdefgh0123456789x:-=/KQRBNP@".contains(byte);
    bytes.first().is_some_and(|first| b"KQRBNPabcdefgh@".contains(first))
        && bytes.iter().all(sign)
        && bytes.iter().any(u8::is_ascii_digit)
}

/// The moves that stand somewhere in a word, as python-chess finds them, and whether letters or
/// digits are left over.
fn found(word: &str) -> (Vec<&str>, bool) {
    let mut moves = Vec::new();
    let mut rest = false;
    let mut at = 0;
    while at < word.len() {
        let here = &word[at..];
        if let Some(length) = move_length(here.as_bytes()) {
            moves.push(&here[..length]);
            at += length;
        } else {
            let sign = here.chars().next().unwrap_or_default();
            rest |= sign.is_alphabetic();
            at += sign.len_utf8();
        }
    }
    (moves, rest)
}

/// Bytes of the move at the start of `text`.
fn move_length(text: &[u8]) -> Option<usize> {
    const FILES: &[u8] = b"abcdefgh";
    const RANKS: &[u8] = b"12345678";
    for null in ["O-O-O", "0-0-0", "O-O", "0-0", "--", "Z0", "0000", "@@@@"] {
        if text.starts_with(null.as_bytes()) {
            return Some(null.len());
        }
    }
    let part = |at: usize, set: &[u8]| text.get(at).is_some_and(|byte| set.contains(byte));
    // Each part may be there or not, those that are there first.
    for choice in (0..16_u8).rev() {
        let mut at = 0;
        let sets: [&[u8]; 4] = [b"NBKRQP", FILES, RANKS, b"-x:"];
        let fits = sets.iter().enumerate().all(|(index, set)| {
            let wanted = choice >> (3 - index) & 1 == 1;
            let is_there = !wanted || part(at, set);
            at += usize::from(wanted);
            is_there
        });
        if fits && part(at, FILES) && part(at + 1, RANKS) {
            at += 2;
            let sign = usize::from(part(at, b"="));
            if part(at + sign, b"nbrqNBRQ") {
                at += sign + 1;
            }
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_signs_and_other_words() {
        for text in [
            "e4", "Nf3", "Nf3!?", "exd5", "O-O", "0-0-0+", "e8=Q#", "e8Q", "Nbd2", "R1a3", "Qh4e1",
            "e2e4", "Ng1-f3", "e2-e4", "e:d5", "bxc3", "b4", "E2E4", "OO", "Pe4",
        ] {
            assert_eq!(word(text), Word::Move(text), "{text}");
        }
        for (text, mv) in [
            ("e4±", "e4"),
            ("Nf3+-", "Nf3"),
            ("exd6e.p.", "exd6"),
            ("e4=", "e4"),
            ("Qxh7+/-", "Qxh7"),
            ("…e5", "e5"),
        ] {
            assert_eq!(word(text), Word::Move(mv), "{text}");
        }
        for text in [
            "!", "?!", "±", "∓", "+-", "-+", "+/-", "+/=", "=", "==", "∞", "~", "N", "D", "⩲", "⩱",
            "□", "↑", "→", "⇆", "⊕", "RR", "zz", "e.p.", "ch", "TN", "#", "++", "-", "=/∞", "N.",
            "⌓", "∆", "×", "✓",
        ] {
            assert_eq!(word(text), Word::Sign, "{text}");
        }
        assert_eq!(word("Nf9"), Word::Move("Nf9"));
        assert_eq!(word("--"), Word::Move("--"));
        assert_eq!(word("hello"), Word::Unknown);
        assert_eq!(word("[%clk"), Word::Unknown);
        assert_eq!(word("Nf3±Nc6"), Word::Moves(vec!["Nf3", "Nc6"], false));
        assert_eq!(word("xNf3y"), Word::Moves(vec!["Nf3"], true));
    }
}
