//! The integration tests of inference in one program, because linking each by itself takes many
//! times as long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;
mod encoded;
mod in_turns;
mod instant;
mod lockstep;
mod ownership;
mod workers;
