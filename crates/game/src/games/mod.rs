//! The games, one file or folder each.

mod connect4;
mod shuttle;
mod tictactoe;

pub use connect4::{Connect4, Connect4Encoding, Connect4State};
pub use shuttle::{Shuttle, ShuttleEncoding, ShuttleHistory, ShuttleState};
pub use tictactoe::{TicTacToe, TicTacToeEncoding, TicTacToeState};
