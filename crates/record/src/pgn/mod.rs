//! Portable Game Notation (S. Edwards, Portable Game Notation Specification and Implementation Guide,
//! 1994): chess.

mod read;
mod write;

pub(crate) use read::read;
pub use read::{Tag, tag};
pub(crate) use write::write;
