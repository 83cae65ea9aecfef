//! The formats, and text of any of them.

use std::str::FromStr;

use dz_game::{Game, RecordFormat};
use serde::{Deserialize, Serialize};

use crate::{RecordError, Sheet, json, pgn, plain, sgf, text::unix_lines};

/// The longest text that is read at once.
pub const BYTES_MAX: usize = 1 << 28;

/// How games stand in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Smart Game Format.
    Sgf,
    /// Portable Game Notation.
    Pgn,
    /// A line a fact.
    Plain,
    /// A JSON object a line.
    Json,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Sgf, Self::Pgn, Self::Plain, Self::Json];

    /// The format of a game's community.
    pub fn of(game: &impl Game) -> Self {
        match game.record_format() {
            RecordFormat::Plain => Self::Plain,
            RecordFormat::Sgf(_) => Self::Sgf,
            RecordFormat::Pgn => Self::Pgn,
        }
    }

    /// "SGF", "PGN", "plain" or "JSON".
    pub fn name(self) -> &'static str {
        match self {
            Self::Sgf => "SGF",
            Self::Pgn => "PGN",
            Self::Plain => "plain",
            Self::Json => "JSON",
        }
    }

    /// How names of such files end, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Sgf => "sgf",
            Self::Pgn => "pgn",
            Self::Plain => "txt",
            Self::Json => "jsonl",
        }
    }

    /// Moves stand as records of the community write them, not as `parse_move` reads them.
    pub(crate) fn is_community(self) -> bool {
        matches!(self, Self::Sgf | Self::Pgn)
    }

    /// Whether the format is one of ours, in which moves stand in the game's own notation.
    pub fn is_own(self) -> bool {
        !self.is_community()
    }

    /// What stands between one game and the next.
    pub fn separator(self) -> &'static str {
        match self {
            Self::Pgn | Self::Plain => "\n",
            Self::Sgf | Self::Json => "",
        }
    }

    /// The format that a text looks like.
    fn guess(text: &str) -> Option<Self> {
        let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        match text.chars().next()? {
            '(' => Some(Self::Sgf),
            '[' | '%' | '*' | '0'..='9' => Some(Self::Pgn),
            // PGN may begin with a comment.
            '{' if !text[1..].trim_start().starts_with(['"', '}']) => Some(Self::Pgn),
            '{' => Some(Self::Json),
            _ if plain::looks_like(text) => Some(Self::Plain),
            // Mail and other text may stand before an SGF.
            _ => text.contains("(;").then_some(Self::Sgf),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(text));
        named.ok_or_else(|| format!("no format is called {text:?}; write sgf, pgn, plain or json"))
    }
}

/// Reads all games of a text, whatever its format.
///
/// # Errors
/// [`RecordError`] with the line.
pub fn read(text: &str) -> Result<Vec<Sheet>, RecordError> {
    let format = Format::guess(text).ok_or_else(|| {
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
