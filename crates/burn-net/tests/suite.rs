//! The integration tests of the network in Burn in one program, because linking each by itself
//! takes many times as long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod agreement;
mod boards;
mod canary;
mod common;
mod evaluator;
mod heads;
mod learner;
mod optimizers;
mod precision;
mod reference;
