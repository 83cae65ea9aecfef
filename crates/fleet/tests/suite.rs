//! The integration tests of the fleet in one program.

#![allow(clippy::unwrap_used, reason = "tests")]

mod objects;
mod simulation;
