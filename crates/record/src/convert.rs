//! Text to sheets and back, whatever the format.

use std::fmt;

use crate::{BYTES_MAX, Format, RecordError, Sheet, json, pgn, plain, sgf, text::unix_lines};

/// Reads all games of a text. The format (SGF, PGN, JSON or plain lines) is recognized.
///
/// ```
/// use dz_game::{Player, games::{Chess, Go}};
/// use dz_record::{Format, RecordEnd, Winner, read};
///
/// let sheets = read("(;GM[1]FF[4]SZ[9]KM[7]RE[B+R];B[ee];W[cc])")?;
/// assert_eq!(sheets[0].score.winner, Winner::Player(Player::First));
/// let spec = sheets[0].game.as_ref().expect("GM[1] is Go");
/// let played = sheets[0].play(&Go::from_spec(spec).expect("a board of 9 rows"))?;
/// assert_eq!(played.record.moves.len(), 2);
///
/// // The rules know that this is mate, whatever the text says.
/// let game = Chess::new();
/// let played = read("1. f3 e5 2. g4 Qh4#")?[0].play(&game)?;
/// let RecordEnd::Rules(outcome) = played.record.end else { panic!("mate ends the game") };
/// assert_eq!(outcome.winner, Some(Player::Second));
/// assert!(played.record.sheet(&game, Format::Pgn)?.to_string().ends_with("2. g4 Qh4# 0-1\n"));
/// # Ok::<(), dz_record::RecordError>(())
/// ```
///
/// # Errors
/// [`RecordError`] with the line.
pub fn read(text: &str) -> Result<Vec<Sheet>, RecordError> {
    let format = guess(text).ok_or_else(|| {
        let blank = text.lines().take_while(|line| line.trim().is_empty()).count();
        RecordError::NoRecord { line: blank + 1 }
    })?;
    read_as(format, text)
}

/// Reads all games of a text in `format`.
///
/// # Errors
/// [`RecordError`] with the line.
pub fn read_as(format: Format, text: &str) -> Result<Vec<Sheet>, RecordError> {
    if text.len() > BYTES_MAX {
        return Err(RecordError::TooLong { bytes: text.len() });
    }
    let text = unix_lines(text);
    // The places of a sheet are those of the whole text, so a mark stays where it is.
    match format {
        Format::Sgf => sgf::read(&text),
        Format::Pgn => pgn::read(&text),
        Format::Plain => plain::read(text.trim_start_matches('\u{feff}')),
        Format::Json => json::read(text.trim_start_matches('\u{feff}')),
    }
}

/// Returns the format that a text looks like.
fn guess(text: &str) -> Option<Format> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    match text.chars().next()? {
        '(' => Some(Format::Sgf),
        '[' | '%' | '*' | '0'..='9' => Some(Format::Pgn),
        // PGN may begin with a comment.
        '{' if !text[1..].trim_start().starts_with(['"', '}']) => Some(Format::Pgn),
        '{' => Some(Format::Json),
        _ if plain::looks_like(text) => Some(Format::Plain),
        // Mail and other text may stand before an SGF.
        _ => text.contains("(;").then_some(Format::Sgf),
    }
}

impl fmt::Display for Sheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.format {
            Format::Sgf => sgf::write(self, f),
            Format::Pgn => pgn::write(self, f),
            Format::Plain => plain::write(self, f),
            Format::Json => json::write(self, f),
        }
    }
}
