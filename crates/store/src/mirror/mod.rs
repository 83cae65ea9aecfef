//! The mirror: a copy of a run in its mailbox, from which another machine goes on with the run.
//!
//! A mirror is a consistent prefix of the run: the records up to some number, and every object that
//! a run with these records needs. Objects are named by their hash. Records and metrics are streams
//! that only grow, in parts named by offset and epoch. Last comes the [`Head`], which says how far
//! the streams go. What is above it does not count, so a home may be killed anywhere in between.
//!
//! A home that was taken over may still write a little. It writes under its own, lower epoch: its
//! head is not read any more, and where two parts begin at one offset the higher epoch counts.

mod error;
mod head;
mod origin;
mod restore;
mod streams;
mod upload;

pub use error::MirrorError;
pub(crate) use origin::Origin;
pub use restore::{Restored, restore};
pub use upload::Mirror;

/// Folder of all that belongs to the mirror.
const MIRROR: &str = "mirror";

/// Longest text of a configuration, or of what runs have reached.
const TEXT_BYTES_MAX: u64 = 16 << 20;

/// The object with this hash.
fn object_path(blake3: &str) -> String {
    format!("{MIRROR}/objects/{blake3}")
}

/// The hash that `path` names, if it is an object's.
fn object_hash(path: &str) -> Option<&str> {
    path.strip_prefix(MIRROR)?.strip_prefix("/objects/")
}

/// The text of the configuration with this hash.
fn config_path(hash: &str) -> String {
    format!("{MIRROR}/config/{hash}.toml")
}

/// What runs of the preset have reached.
fn expected_path() -> String {
    format!("{MIRROR}/expected.json")
}
