//! Game rules, keys and encodings, without I/O, clocks, threads or global randomness.
//!
//! A game is a static rules object ([`Game`]) plus a plain position (its `State`). What rules need
//! of the past lives in a separate `History`. What the network sees is a separate, versioned
//! [`Encoding`]. Every game obeys the shared laws in [`laws`].
//!
//! Letters: `C` planes, `H` rows, `W` columns, `A` policy length.

mod any;
mod core;
mod display;
mod encoding;
mod error;
pub mod games;
mod key;
mod komi;
pub mod laws;
mod outcome;
mod perft;
mod record;
mod registry;
mod spec;
mod transcript;

pub use crate::core::{Encoding, Game, Move};
pub use any::{AnyEncoding, AnyGame, AnyHistory, AnyState};
pub use display::{BoardKind, Display, MovePlaces};
pub use encoding::{PlaneShape, PlaneWriter, Symmetry, Targets, unpack_planes};
pub use error::GameError;
pub use key::{Key, hash_below, hash_unit, mix64};
pub use komi::Komi;
pub use outcome::{Outcome, Player, Status, Wdl};
pub use perft::perft;
pub use record::{RecordFormat, SgfRoot};
pub use registry::{canonical_spec, game_ids, game_names, unknown_game};
pub use spec::GameSpec;
pub use transcript::transcript;
