//! The files of value functions and policies: a magic number, the BLAKE3 hash of the rest, and
//! `MessagePack` compressed with zstd.

use std::io::Read;

use dz_game::{Game, GameSpec};
use serde::{Deserialize, Serialize};

use crate::{LinearPolicy, LinearValue, SIDE_MAX};

/// The beginning of a value function's file.
const VALUE: &[u8; 8] = b"DZLINV01";
/// The beginning of a policy's file.
const POLICY: &[u8; 8] = b"DZLINP01";
const HASH_BYTES: usize = 32;
/// What a file may unpack to: the weights of 19x19 are a tenth of that.
const UNPACKED_MAX: u64 = 1 << 30;
const LEVEL: i32 = 9;

/// Why a file is no value function for a game.
#[derive(Debug, thiserror::Error)]
pub enum LinearError {
    /// Some other file.
    #[error("this is no file of `dagzero learn {0}`; it begins otherwise")]
    Magic(&'static str),
    /// Cut off or changed.
    #[error(
        "the file is damaged: its content does not fit its hash; make it again or copy it anew"
    )]
    Hash,
    /// It cannot be unpacked.
    #[error("the file is damaged: {0}")]
    Content(String),
    /// It was learned on another game.
    #[error(
        "it was learned on {theirs}, and this is {ours}: learn one of this game with `dagzero learn`"
    )]
    Game {
        /// The game of the file.
        theirs: String,
        /// The game at hand.
        ours: String,
    },
    /// It cannot be packed.
    #[error("the file cannot be written: {0}")]
    Write(String),
}

#[derive(Serialize, Deserialize)]
struct Stored {
    game: String,
    sides: Vec<u8>,
    weights: Vec<Vec<f32>>,
}

impl LinearValue {
    /// The file's content.
    ///
    /// # Errors
    /// [`LinearError::Write`] if memory for compression is lacking.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LinearError> {
        pack(VALUE, &self.game, &self.sides, &self.weights)
    }

    /// Reads what [`Self::to_bytes`] wrote. Other komi and rules of the same board are fine.
    ///
    /// # Errors
    /// [`LinearError`].
    pub fn from_bytes<G: Game>(game: &G, bytes: &[u8]) -> Result<Self, LinearError> {
        let packed = bytes.strip_prefix(&VALUE[..]).ok_or(LinearError::Magic("value"))?;
        unpack(game, packed)
    }
}

impl LinearPolicy {
    /// The file's content.
    ///
    /// # Errors
    /// [`LinearError::Write`] if memory for compression is lacking.
    pub fn to_bytes(&self) -> Result<Vec<u8>, LinearError> {
        pack(POLICY, &self.game, &self.sides, &self.weights)
    }

    /// Reads what [`Self::to_bytes`] wrote. Other komi and rules of the same board are fine.
    ///
    /// # Errors
    /// [`LinearError`].
    pub fn from_bytes<G: Game>(game: &G, bytes: &[u8]) -> Result<Self, LinearError> {
        let packed = bytes.strip_prefix(&POLICY[..]).ok_or(LinearError::Magic("policy"))?;
        let LinearValue { game, sides, shapes, weights } = unpack(game, packed)?;
        Ok(Self::new(game, sides, shapes, weights))
    }
}

fn pack(
    magic: &[u8],
    game: &GameSpec,
    sides: &[u8],
    weights: &[Vec<f32>],
) -> Result<Vec<u8>, LinearError> {
    let stored =
        Stored { game: game.to_string(), sides: sides.to_vec(), weights: weights.to_vec() };
    let write = |error: &dyn ToString| LinearError::Write(error.to_string());
    let packed = rmp_serde::to_vec_named(&stored).map_err(|error| write(&error))?;
    let packed = zstd::encode_all(&packed[..], LEVEL).map_err(|error| write(&error))?;
    let hash = blake3::hash(&packed);
    Ok([magic, hash.as_bytes(), &packed].concat())
}

/// Decodes what follows the magic number. The function is not generic, so it is compiled once.
fn decode(bytes: &[u8]) -> Result<Stored, LinearError> {
    let (hash, packed) = bytes.split_at_checked(HASH_BYTES).ok_or(LinearError::Hash)?;
    if blake3::hash(packed).as_bytes() != hash {
        return Err(LinearError::Hash);
    }
    let content = |error: &dyn ToString| LinearError::Content(error.to_string());
    let unpack = zstd::Decoder::new(packed).map_err(|error| content(&error))?;
    let mut unpacked = Vec::new();
    unpack.take(UNPACKED_MAX).read_to_end(&mut unpacked).map_err(|error| content(&error))?;
    rmp_serde::from_slice(&unpacked).map_err(|error| content(&error))
}

/// Returns the packed weights, checked for this game. Values and policies have the same weights.
fn unpack<G: Game>(game: &G, bytes: &[u8]) -> Result<LinearValue, LinearError> {
    let stored = decode(bytes)?;
    let other = || LinearError::Game { theirs: stored.game.clone(), ours: game.spec().to_string() };
    let theirs: GameSpec = stored.game.parse().map_err(|_| other())?;
    if theirs.name() != game.spec().name() {
        return Err(other());
    }
    if stored.sides.iter().any(|side| !(1..=SIDE_MAX).contains(side)) {
        return Err(LinearError::Content("its windows are larger than 3x3".to_owned()));
    }
    let mut value = LinearValue::blank(game, &stored.sides).ok_or_else(other)?;
    let shape = |weights: &[Vec<f32>]| weights.iter().map(Vec::len).collect::<Vec<_>>();
    if shape(&value.weights) != shape(&stored.weights) {
        return Err(other());
    }
    if stored.weights.iter().flatten().any(|weight| !weight.is_finite()) {
        return Err(LinearError::Content("a weight is no finite number".to_owned()));
    }
    value.game = theirs;
    value.weights = stored.weights;
    Ok(value)
}
