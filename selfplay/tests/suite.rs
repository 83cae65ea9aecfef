//! The integration tests of self-play in one program, because linking each by itself takes many
//! times as long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod ahead;
mod common;
mod komi;
mod policies;
mod reanalysis;
mod recipe;
mod records;
mod resign;
mod stage;
mod targets;
mod threads;
