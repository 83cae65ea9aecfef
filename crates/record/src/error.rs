//! What can be wrong with a record, where, and what to do.

use dz_game::GameError;
use thiserror::Error;

use crate::{BYTES_MAX, Format};

/// An error of writing or reading records; each is one line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The text starts like no format.
    #[error(
        "line {line}: this is no record of games; SGF starts with (; PGN with [ or moves, JSON with {{ \
         and plain text with game:"
    )]
    NoRecord {
        /// The first line that has something, from 1.
        line: usize,
    },
    /// The text is not what its format allows.
    #[error("{}, line {line}: {what}", format.name())]
    Syntax {
        /// The format.
        format: Format,
        /// The line, from 1.
        line: usize,
        /// What is wrong and what was expected.
        what: String,
    },
    /// More text than is read at once.
    #[error("{bytes} bytes are more than the {BYTES_MAX} that are read at once; split the file")]
    TooLong {
        /// Bytes of the text.
        bytes: usize,
    },
    /// More games than a text of its length can hold, if each says something.
    #[error("{bytes} bytes cannot be {games} games")]
    TooMany {
        /// Bytes of the text.
        bytes: usize,
        /// The games that were found before reading stopped.
        games: usize,
    },
    /// The format is another game's.
    #[error("{game} has no {} records; use {}, or plain or json, which every game has", format.name(), own.name())]
    WrongFormat {
        /// The game.
        game: String,
        /// The format that was asked for.
        format: Format,
        /// The game's own.
        own: Format,
    },
    /// A game that is not played here, or with impossible parameters.
    #[error("line {line}: {what}")]
    Game {
        /// Where the game begins, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The position that the record starts from cannot be set up.
    #[error("line {line}: {what}")]
    Start {
        /// Where the game begins, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// A variant of chess, or of another game, that is not played here.
    #[error("line {line}: the record is of a variant that is not played here: {variant}")]
    Variant {
        /// Where the game begins, from 1.
        line: usize,
        /// Its name.
        variant: String,
    },
    /// A record whose positions do not all follow from moves.
    #[error("ply {ply}: {} records cannot express that {what}; use {}", format.name(), own.name())]
    Break {
        /// Plies before it.
        ply: usize,
        /// What happens there.
        what: &'static str,
        /// The format that was asked for.
        format: Format,
        /// The game's own.
        own: Format,
    },
    /// A move that is none, or that the rules forbid.
    #[error("move {number}, line {line}: {source}")]
    Move {
        /// The move's number, from 1.
        number: usize,
        /// Where it stands, from 1.
        line: usize,
        /// What is wrong.
        source: GameError,
    },
    /// A move of the player whose turn it is not.
    #[error("move {number}, line {line}: it is the {to_move} player's turn")]
    Turn {
        /// The move's number, from 1.
        number: usize,
        /// Where it stands, from 1.
        line: usize,
        /// "first" or "second".
        to_move: &'static str,
    },
    /// A record whose moves the rules forbid cannot be written.
    #[error("ply {ply}: move number {mv} is not legal there; the record is not of {game}")]
    Illegal {
        /// Plies before it.
        ply: usize,
        /// The move as the game numbers it.
        mv: u16,
        /// The game.
        game: String,
    },
}

/// Text of a message: always one line, and cut at a readable length.
pub(crate) fn short(what: &str) -> String {
    const CHARS_MAX: usize = 400;
    let line = dz_text::line(what);
    match line.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.into_owned(),
    }
}

/// Refuses a text whose games would take a hundred times its memory, because there is nothing in
/// them.
pub(crate) fn check_count(games: usize, bytes: usize) -> Result<(), RecordError> {
    const FEW: usize = 1000;
    const BYTES_MIN: usize = 12;
    let too_many = games > FEW && games > bytes / BYTES_MIN;
    if too_many { Err(RecordError::TooMany { bytes, games }) } else { Ok(()) }
}

impl RecordError {
    /// An error of syntax.
    pub(crate) fn syntax(format: Format, line: usize, what: impl AsRef<str>) -> Self {
        Self::Syntax { format, line, what: short(what.as_ref()) }
    }
}
