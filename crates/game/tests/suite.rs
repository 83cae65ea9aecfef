//! The integration tests of the games in one program, because linking each by itself takes many
//! times as long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod any;
mod breakthrough_array;
mod chess;
mod chess_array;
mod chess_perft;
mod connect4_array;
mod faulty;
mod go_array;
mod go_laws;
mod go_mogo;
mod go_random;
mod go_sgfmill;
mod gomoku;
mod gomoku_array;
mod hex;
mod hex_array;
mod hostile;
mod illegal;
mod informed;
mod laws;
mod literal;
mod mutations;
mod othello;
mod othello_array;
mod peers;
mod perft;
mod protocol_moves;
mod records;
mod specs;
mod square;
mod surroundings;
mod transcripts;
