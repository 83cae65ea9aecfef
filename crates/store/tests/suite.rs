//! The integration tests of the store in one program, because linking each by itself takes many
//! times as long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod audit;
#[cfg(feature = "cloud")]
mod bucket;
mod bursts;
mod foreign;
mod hostile;
mod ledger;
mod locks;
mod mailbox;
mod mirror;
mod objects;
