//! The formats.

use std::str::FromStr;

use dz_game::{Game, RecordFormat};
use serde::{Deserialize, Serialize};

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
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(text));
        named.ok_or_else(|| format!("no format is called {text:?}; write sgf, pgn, plain or json"))
    }
}
