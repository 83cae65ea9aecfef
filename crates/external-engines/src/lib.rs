//! GTP and UCI from the other side: engines of others, as processes that are asked for moves.
//!
//! An [`EngineSpec`] says how an engine is started, an [`Engine`] is one that runs, a [`Stable`]
//! keeps those that are idle between games. Nothing an engine does lasts longer than it may: every
//! answer has a bounded time, what it writes is read whether somebody wants it or not, and at the
//! end it is killed with every process that it started. [`Names`] are the moves as both sides of
//! the protocols write them.

mod engine;
mod error;
mod gtp;
mod messages;
mod pool;
mod process;
mod spec;
mod uci;

pub use engine::{Engine, Reply, Rules};
pub use error::EngineError;
pub use messages::{Names, size_of};
pub use spec::{EngineSpec, Grace, MOVE_TIME, ProtocolKind};
pub use pool::Stable;
