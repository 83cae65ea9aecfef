//! What hostile input may not do: panic, hang, take memory without bound, or be half accepted.
//!
//! Each function takes any bytes and panics if something is wrong. The fuzz targets call them, and
//! so do tests of the crates that they are about, on the inputs in `seeds/` and on mutations of
//! them.

/// Engines without networks, and a clock for them.
#[path = "../../crates/frontends/tests/protocols/common.rs"]
pub mod common;
pub mod config;
pub mod files;
pub mod games;
pub mod graphs;
pub mod ledger;
pub mod networks;
pub mod protocols;
pub mod records;
