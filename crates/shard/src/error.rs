//! What can be wrong with a shard or row file, and what to do about it.

use std::{io, path::Path};

use thiserror::Error;

use crate::Head;

/// An error of reading or writing shards and row files.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShardError {
    /// An error about one file.
    #[error("{path}: {source}")]
    At {
        /// The file.
        path: String,
        /// What is wrong with it.
        source: Box<ShardError>,
    },
    /// The operating system refused.
    #[error("cannot {doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// The file starts like something else.
    #[error(
        "this is not a {kind}: it does not start with the {kind}'s magic; give the path of a {kind}"
    )]
    NotThisKind {
        /// What was expected.
        kind: &'static str,
    },
    /// The file is of a version that this program does not know.
    #[error(
        "{kind} format {found} is not known, this program reads formats up to {known}; read it with the program that wrote it"
    )]
    Format {
        /// What kind of file.
        kind: &'static str,
        /// The version in the file.
        found: u32,
        /// The newest version that is known.
        known: u32,
    },
    /// The file does not end in a valid footer.
    #[error(
        "no valid footer ({what}): the file is cut off or was never finished; set it aside and have it written again, no part of it may be used"
    )]
    NoFooter {
        /// What was found in its place.
        what: String,
    },
    /// Bytes differ from the ones that were written.
    #[error("damaged ({what}): set it aside and have it written again, no part of it may be used")]
    Damaged {
        /// Where and how.
        what: String,
    },
    /// The file is about another game.
    #[error(
        "it holds games of '{found}', but this run plays '{expected}'; use files of one game only"
    )]
    WrongGame {
        /// The game of the run.
        expected: String,
        /// The game in the file.
        found: String,
    },
    /// The file has planes of another encoding.
    #[error(
        "it is encoded as '{found}', but this run uses '{expected}'; have the rows written again from the shards"
    )]
    WrongEncoding {
        /// The encoding of the run.
        expected: String,
        /// The encoding in the file.
        found: String,
    },
    /// A record that must not be written, or was written wrongly.
    #[error("game {game} cannot be stored: {what}")]
    BadRecord {
        /// The game's number.
        game: u64,
        /// What is wrong.
        what: String,
    },
    /// A game that the rules do not allow.
    #[error(
        "game {game} breaks the rules at ply {ply}: {what}; set the shard aside, it was written under other rules or by a faulty program"
    )]
    Replay {
        /// The game's number.
        game: u64,
        /// Plies from the start of the game.
        ply: usize,
        /// What is wrong.
        what: String,
    },
    /// Rows of another shape than the block or file they are put in.
    #[error("rows of another shape: {what}; rows of one file share one shape")]
    Shape {
        /// What differs.
        what: String,
    },
    /// A target that the game does not offer.
    #[error(
        "'{encoding}' offers no {target}, so no network can learn it; set heads.{target}_weight to 0"
    )]
    NoTarget {
        /// The encoding's id.
        encoding: String,
        /// What it does not offer.
        target: Head,
    },
    /// An encoding whose symmetries do not permute points and policy.
    #[error(
        "symmetry {symmetry} of '{encoding}' is not a permutation of points and policy: {what}; declare one symmetry or correct the encoding"
    )]
    Symmetry {
        /// The encoding's id.
        encoding: String,
        /// The symmetry's number.
        symmetry: u8,
        /// What is wrong.
        what: String,
    },
}

impl ShardError {
    /// This error with the file that it is about.
    #[must_use]
    pub fn at(self, path: &Path) -> Self {
        Self::At { path: path.display().to_string(), source: Box::new(self) }
    }

    pub(crate) fn io(doing: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { doing, source }
    }

    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged { what: what.into() }
    }

    pub(crate) fn no_footer(what: impl Into<String>) -> Self {
        Self::NoFooter { what: what.into() }
    }

    /// Whether the file itself is at fault (and should be set aside), not its surroundings.
    pub fn is_bad_file(&self) -> bool {
        match self {
            Self::At { source, .. } => source.is_bad_file(),
            Self::Io { .. }
            | Self::Shape { .. }
            | Self::Symmetry { .. }
            | Self::NoTarget { .. } => false,
            _ => true,
        }
    }
}
