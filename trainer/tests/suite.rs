//! The integration tests of the trainer in one program, because linking each by itself takes many
//! times as long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod boards;
mod common;
mod heads;
mod resume;
mod rows;
mod trial;
mod turn;
