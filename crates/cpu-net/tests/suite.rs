//! The integration tests of the network on the CPU in one program, because linking each by itself
//! takes many times as long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod any_size;
mod common;
mod evaluator;
mod reference;
mod trunk;
