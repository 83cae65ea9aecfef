//! What workers say of themselves: hints, which nothing relies on.

use serde::{Deserialize, Serialize};

use crate::error::FleetError;
use crate::sealed::{self, FORMAT};

/// Largest count of a note: sums over all units of a plan stay below 2^64.
const COUNT_MAX: u64 = 1 << 39;
/// Longest note that is read, in bytes.
pub const NOTE_BYTES_MAX: u64 = 16 << 10;

/// Who plays a unit. A claim is created where none is, so that workers choose different units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// Version of this format.
    pub format: u32,
    /// The worker: host, process and a random word.
    pub worker: String,
    /// Its evaluator.
    pub evaluator: String,
}

impl Claim {
    /// The claim of this worker.
    pub fn of(worker: &str, evaluator: &str) -> Self {
        let (worker, evaluator) = (worker.to_owned(), evaluator.to_owned());
        Self { format: FORMAT, worker, evaluator }
    }

    /// The claim as an object.
    pub fn to_bytes(&self) -> Vec<u8> {
        sealed::write(self)
    }
}

/// Who played a unit, and what it cost; beside the unit in the inbox.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnitNote {
    /// Version of this format.
    pub format: u32,
    /// The worker.
    pub worker: String,
    /// Playouts of its searches.
    pub playouts: u64,
    /// Evaluations that they asked for.
    pub evaluations: u64,
    /// Those that a cache answered.
    pub cache_hits: u64,
    /// Visits of positions that were reached before on another path.
    pub transpositions: u64,
}

impl UnitNote {
    /// The version of the format that this program writes.
    pub const FORMAT: u32 = FORMAT;

    /// The note as an object.
    pub fn to_bytes(&self) -> Vec<u8> {
        sealed::write(self)
    }

    /// The note in `bytes`, which are the object `path` names.
    ///
    /// # Errors
    /// [`FleetError`] if it is none.
    pub fn read(path: &str, bytes: &[u8]) -> Result<Self, FleetError> {
        let note: Self = sealed::read(path, bytes)?;
        let counts = [note.playouts, note.evaluations, note.cache_hits, note.transpositions];
        if counts.into_iter().any(|count| count > COUNT_MAX) {
            let (path, what) = (path.to_owned(), "its counts are too large".to_owned());
            return Err(FleetError::Damaged { path, what });
        }
        Ok(note)
    }
}
