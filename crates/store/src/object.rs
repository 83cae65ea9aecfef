//! The reference to a published object: its path, its length and its hash.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A published, immutable object of a run. Readers check both length and hash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectRef {
    /// Path inside the run directory, with `/` between parts and none in front.
    pub path: String,
    /// Length in bytes.
    pub bytes: u64,
    /// BLAKE3 hash of the content, 64 lower-case hex digits.
    pub blake3: String,
}

impl ObjectRef {
    /// The reference that `content` has when it is published at `path`.
    pub fn of(path: impl Into<String>, content: &[u8]) -> Self {
        Self {
            path: path.into(),
            bytes: content.len() as u64,
            blake3: blake3::hash(content).to_hex().to_string(),
        }
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)
    }
}
