//! The games, one file or folder each.

mod breakthrough;
mod chess;
mod connect4;
mod go;
mod gomoku;
mod grid;
mod hex;
mod othello;
mod pattern;
mod points;
mod sgf_point;
mod shuttle;
mod tictactoe;
mod vertex;

pub use breakthrough::{Breakthrough, BreakthroughEncoding, BreakthroughState};
pub use chess::{Chess, ChessEncoding, ChessHistory, ChessState};
pub use connect4::{Connect4, Connect4Encoding, Connect4State};
pub use go::{Go, GoEncoding, GoHistory, GoState, Superko};
pub use gomoku::{Gomoku, GomokuEncoding, GomokuOpening, GomokuRule, GomokuState};
pub use hex::{Hex, HexEncoding, HexState};
pub use othello::{Othello, OthelloEncoding, OthelloState};
pub use shuttle::{Shuttle, ShuttleEncoding, ShuttleHistory, ShuttleState};
pub use tictactoe::{TicTacToe, TicTacToeEncoding, TicTacToeState};
pub use vertex::{parse_vertex, vertex_name};

/// A number written with digits alone: no sign, no blank.
pub(crate) fn parse_number(text: &str) -> Option<u16> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}
