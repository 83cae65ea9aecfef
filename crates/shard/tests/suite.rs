//! The integration tests of shards in one program, because linking each by itself takes many times
//! as long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod common;
mod hostile;
mod komi;
mod refusal;
mod round_trip;
mod targets;
