//! Helpers that tests of several crates share. Only dev-dependencies name this crate.
//!
//! It names no other crate, so the tests of every crate may use it. Fixtures that need a run are in
//! `dz-testkit-runs`. A helper of one crate's tests stays in that crate's `tests/common`.
//!
//! Helpers panic where a test would: they say what was missing.

mod golden;
mod lcg;
mod process;
mod python;
mod repository;
mod wait;

pub use golden::golden;
pub use lcg::Lcg;
pub use process::{Process, output_with_input};
pub use python::{python, python_with, script_output};
pub use repository::{preset, repository};
pub use wait::wait_until;
