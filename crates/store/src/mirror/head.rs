//! How far a mirror goes.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{MIRROR, MirrorError};
use crate::{Mailbox, SEAL_DIGITS, seal, unseal};

/// Longest head that is read, in bytes.
const HEAD_BYTES_MAX: u64 = 16 << 20;
/// Version of heads.
const FORMAT: u32 = 1;

/// What of a mirror counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) format: u32,
    /// Which home wrote it.
    pub(super) epoch: u64,
    /// Records of the run that are mirrored.
    pub(super) records: u64,
    /// How far each stream goes.
    pub(super) streams: BTreeMap<String, Extent>,
    /// Paths of shards that the run goes on without, because they were lost or damaged.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) given_up: BTreeSet<String>,
}

/// How far a stream goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Extent {
    /// Bytes.
    pub(super) bytes: u64,
    /// BLAKE3 of all of them.
    pub(super) blake3: String,
}

impl Extent {
    /// The extent of a stream with this content.
    pub(super) fn of(bytes: u64, content: &blake3::Hasher) -> Self {
        Self { bytes, blake3: content.finalize().to_hex().to_string() }
    }
}

impl Default for Extent {
    fn default() -> Self {
        Self::of(0, &blake3::Hasher::new())
    }
}

/// The folder of heads, one for each epoch.
fn folder() -> String {
    format!("{MIRROR}/head")
}

fn path(epoch: u64) -> String {
    format!("{}/{epoch:08}.json", folder())
}

impl Head {
    /// The head of a mirror that has nothing yet.
    pub(super) fn empty(epoch: u64) -> Self {
        Self { format: FORMAT, epoch, ..Self::default() }
    }

    /// The head of the highest epoch, if there is a mirror.
    ///
    /// # Errors
    /// What the mailbox reports, and [`MirrorError::Damaged`].
    pub(super) fn newest(mailbox: &Mailbox) -> Result<Option<Self>, MirrorError> {
        let Some(found) = mailbox.list(&folder())?.pop() else { return Ok(None) };
        let Some(bytes) = mailbox.get(&found.path, HEAD_BYTES_MAX)? else { return Ok(None) };
        let damaged = |what: String| MirrorError::damaged(&found.path, what);
        let (json, sealed) = unseal(&bytes, SEAL_DIGITS).map_err(damaged)?;
        let head: Self = serde_json::from_slice(&json).map_err(|e| damaged(e.to_string()))?;
        if !sealed || head.format != FORMAT || path(head.epoch) != found.path {
            return Err(damaged("it is no head of a mirror that this version knows".to_owned()));
        }
        Ok(Some(head))
    }

    /// Publishes the head, and removes those of earlier epochs.
    ///
    /// # Errors
    /// What the mailbox reports.
    pub(super) fn publish(&self, mailbox: &Mailbox) -> Result<(), MirrorError> {
        let json = serde_json::to_vec(self).expect("a head has texts as keys, so it writes");
        mailbox.replace(&path(self.epoch), &seal(&json, SEAL_DIGITS))?;
        Ok(())
    }

    /// Removes the heads of earlier epochs.
    ///
    /// # Errors
    /// What the mailbox reports.
    pub(super) fn remove_earlier(&self, mailbox: &Mailbox) -> Result<(), MirrorError> {
        for found in mailbox.list(&folder())? {
            if found.path < path(self.epoch) {
                mailbox.delete(&found.path)?;
            }
        }
        Ok(())
    }

    /// What of a stream counts.
    pub(super) fn extent_of(&self, stream: &str) -> Extent {
        self.streams.get(stream).cloned().unwrap_or_default()
    }
}
