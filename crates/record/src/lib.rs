//! Games as text that people and other programs read: SGF for Go, Hex, Othello and Gomoku, PGN for
//! chess, plain lines and JSON for every game; written and read, without I/O.
//!
//! A [`Record`] is a game as moves. A [`Sheet`] is the same game as text states it, in one format.
//!
//! ```text
//! Record --sheet(game, format)--> Sheet --to_string()--> text
//! Record <----play(game)--------- Sheet <----read()----- text
//! ```
//!
//! Reading text needs no rules, so results, players and the game itself can be known before
//! anything is played; playing a sheet checks every move. Readers tolerate the variants that other
//! programs write, and never fail otherwise: any text gives sheets or one line that says where it
//! is wrong. They use no recursion, and time and memory grow with the length of the text, which is
//! at most [`BYTES_MAX`].

mod annotate;
mod convert;
mod error;
mod format;
mod json;
mod notes;
pub mod pgn;
mod plain;
mod play;
mod record;
mod replay;
mod score;
mod setup;
pub mod sgf;
mod sheet;
mod text;

pub use annotate::annotated;
pub use convert::{read, read_as};
pub use error::RecordError;
pub use format::{BYTES_MAX, Format};
pub use notes::Notes;
pub use record::{Break, BreakCause, Played, Record, RecordEnd, RecordedMove};
pub use score::{By, Score, Winner};
pub use sheet::{Header, SetUp, Sheet, SheetMove};
pub use text::decode;
