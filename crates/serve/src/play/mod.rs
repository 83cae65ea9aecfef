//! Games of people against champions.

mod at_board;
mod tables;

pub(crate) use at_board::{Command, Position, SideChoice};
pub(crate) use tables::{Setup, TableError, Tables};
