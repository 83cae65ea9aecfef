//! Smart Game Format FF\[4\] (A. Hollosi, <https://www.red-bean.com/sgf/>): Go, Hex, Othello,
//! Gomoku.
//!
//! The format written: one node a line, moves by each game's `record_move`, and the game with every
//! parameter as the first line of `GC` (`game: go:size=9,...`), so nothing is lost.

mod komi;
mod parse;
mod sheet;
mod spec;
mod tree;

pub use parse::parse;
pub(crate) use sheet::{read, tags, write};
pub(crate) use tree::escaped;
pub use tree::{Collection, Node, Property};
