//! The integration tests of the server in one program.

#![allow(clippy::unwrap_used, reason = "tests")]

mod bars;
mod browser;
mod common;
mod games;
mod http;
mod metrics;
mod numbers;
mod pages;
mod play;
