//! The integration tests of the linear functions in one program.

#![allow(clippy::unwrap_used, reason = "tests")]

mod learning;
mod policy;
mod shapes;
