//! The checkpoint file: a learner's state and the place in the rows that it has come to.
//!
//! ```text
//! 8 bytes   magic "DZTRAIN\0"
//! 4 bytes   format, little-endian
//! 4 bytes   length of the header
//! 8 bytes   length of the learner's state
//!           header, JSON
//!           the learner's state: what `Learner::save` gave
//! 32 bytes  BLAKE3 of everything before
//! ```
//!
//! The bytes depend only on the training, not on the time or the process.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Tally;

/// The format that is written and read.
pub const FORMAT: u32 = 1;

const MAGIC: [u8; 8] = *b"DZTRAIN\0";
const FIXED_BYTES: usize = 24;
const HASH_BYTES: usize = 32;

/// A checkpoint's metadata.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The game in canonical form.
    pub game: String,
    /// The encoding's id.
    pub encoding: String,
    /// Hash of the configuration that it was trained under.
    pub config_hash: String,
    /// Steps since the run began.
    pub step: u64,
    /// Where in the rows it is.
    pub cursor: Cursor,
}

/// A place in the rows of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cursor {
    /// The cycle, from 1.
    pub cycle: u32,
    /// Rows of the cycle that were trained on; the next one has this index.
    pub rows_done: u64,
    /// Whether the cycle's training is over: fewer rows than a batch are left.
    pub is_cycle_done: bool,
    /// What the cycle's steps came to.
    pub tally: Tally,
}

impl Cursor {
    /// The start of a cycle.
    pub fn begin(cycle: u32) -> Self {
        Self { cycle, rows_done: 0, is_cycle_done: false, tally: Tally::default() }
    }
}

/// Why a checkpoint is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum CheckpointError {
    /// The file is no checkpoint.
    #[error("it is no DagZero checkpoint")]
    NotOurs,
    /// The format is not that of this version.
    #[error(
        "it has format {found}, this program reads {FORMAT}; use the program version that wrote it"
    )]
    OtherFormat {
        /// The file's format.
        found: u32,
    },
    /// The length is not the one in the file.
    #[error("it has {found} bytes of {expected}")]
    WrongLength {
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// The content does not have its own hash.
    #[error("its content does not match its own hash")]
    Damaged,
    /// The header cannot be understood.
    #[error("its header cannot be read ({reason}); it was written by another program version")]
    BadHeader {
        /// What is wrong with it.
        reason: String,
    },
    /// Another game or encoding.
    #[error(
        "it is of {what} '{found}', this run's is '{wanted}'; it was put here by mistake: restore \
         the run's own checkpoints, or start a new run"
    )]
    OtherGame {
        /// `game` or `encoding`.
        what: &'static str,
        /// The checkpoint's.
        found: String,
        /// The run's.
        wanted: String,
    },
}

/// Writes a checkpoint; `learner` is what [`dz_burn_net::Learner::save`] gave.
pub fn pack(header: &Header, learner: &[u8]) -> Vec<u8> {
    let text = serde_json::to_vec(header).expect("a header is texts and numbers");
    let mut bytes = Vec::with_capacity(FIXED_BYTES + text.len() + learner.len() + HASH_BYTES);
    bytes.extend(MAGIC);
    bytes.extend(FORMAT.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend((learner.len() as u64).to_le_bytes());
    bytes.extend(&text);
    bytes.extend(learner);
    let hash = blake3::hash(&bytes);
    bytes.extend(hash.as_bytes());
    bytes
}

/// Reads and checks what [`pack`] wrote: the header, and the learner's state.
pub fn unpack(bytes: &[u8]) -> Result<(Header, &[u8]), CheckpointError> {
    let (fixed, rest) = bytes.split_first_chunk::<FIXED_BYTES>().ok_or(CheckpointError::NotOurs)?;
    if fixed[..8] != MAGIC {
        return Err(CheckpointError::NotOurs);
    }
    let number = |at: std::ops::Range<usize>| {
        fixed[at].iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte))
    };
    let format = number(8..12) as u32;
    let text = number(12..16);
    let learner = number(16..24);
    if format != FORMAT {
        return Err(CheckpointError::OtherFormat { found: format });
    }
    let expected = ((FIXED_BYTES + HASH_BYTES) as u64 + text).saturating_add(learner);
    if bytes.len() as u64 != expected {
        return Err(CheckpointError::WrongLength { found: bytes.len() as u64, expected });
    }
    let (content, hash) = bytes.split_at(bytes.len() - HASH_BYTES);
    if blake3::hash(content).as_bytes() != hash {
        return Err(CheckpointError::Damaged);
    }
    let (text, rest) = rest.split_at(text as usize);
    let header = serde_json::from_slice(text)
        .map_err(|e| CheckpointError::BadHeader { reason: e.to_string() })?;
    Ok((header, &rest[..learner as usize]))
}

impl Header {
    /// Refuses a checkpoint of another game or encoding.
    ///
    /// # Errors
    /// [`CheckpointError::OtherGame`].
    pub fn check(&self, game: &str, encoding: &str) -> Result<(), CheckpointError> {
        for (what, found, wanted) in
            [("game", &self.game, game), ("encoding", &self.encoding, encoding)]
        {
            if found != wanted {
                let found = found.clone();
                let wanted = wanted.to_owned();
                return Err(CheckpointError::OtherGame { what, found, wanted });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let mut cursor = Cursor { rows_done: 96, ..Cursor::begin(3) };
        cursor.tally.policy.add(0.1 + 0.2, 3.0);
        let (game, encoding) = ("tictactoe".to_owned(), "tictactoe-v1".to_owned());
        Header { game, encoding, config_hash: "00ff".to_owned(), step: 12, cursor }
    }

    #[test]
    fn what_is_packed_comes_back() {
        let bytes = pack(&header(), b"weights");
        assert_eq!(unpack(&bytes).unwrap(), (header(), b"weights".as_slice()));
    }

    #[test]
    fn every_flipped_byte_and_every_cut_is_refused() {
        let bytes = pack(&header(), b"weights");
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x10;
            assert!(unpack(&flipped).is_err(), "byte {at}");
            assert!(unpack(&bytes[..at]).is_err(), "cut at {at}");
        }
        let longer = [bytes.as_slice(), b"x"].concat();
        assert!(matches!(unpack(&longer), Err(CheckpointError::WrongLength { .. })));
    }

    #[test]
    fn another_game_is_named() {
        let error = header().check("connect4", "tictactoe-v1").unwrap_err().to_string();
        assert!(error.contains("'tictactoe'") && error.contains("'connect4'"), "{error}");
        let error = header().check("tictactoe", "tictactoe-v2").unwrap_err().to_string();
        assert!(error.contains("encoding"), "{error}");
        header().check("tictactoe", "tictactoe-v1").unwrap();
    }
}
