//! The client side of GTP and UCI: other programs' engines, run as processes and asked for moves.
//!
//! An [`EngineSpec`] holds how an engine is started. An [`Engine`] is a running one. An
//! [`EnginePool`] keeps engines that are idle between games.
//!
//! A misbehaving engine cannot block us: every answer has a time limit, the engine's output is read
//! at all times, and at the end it is killed with every process that it started. Moves are named by
//! [`Game::protocol_move`](dz_game::Game::protocol_move).

mod engine;
mod error;
mod gtp;
mod messages;
mod pool;
mod process;
mod spec;
mod uci;

pub use engine::Engine;
pub use error::EngineError;
pub use messages::{Reply, Rules, size_of};
pub use pool::EnginePool;
pub use spec::{EngineSpec, Grace, MOVE_TIME, ProtocolKind, words};
