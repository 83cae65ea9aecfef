//! Portable Game Notation (S. Edwards, Portable Game Notation Specification and Implementation
//! Guide, 1994): chess.

mod header;
mod read;
mod tag;
mod word;
mod write;

pub(crate) use read::read;
pub use tag::{Tag, tag};
pub(crate) use write::write;
