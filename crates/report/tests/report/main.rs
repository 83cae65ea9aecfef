//! The report from outside, on made-up ledgers.

#![allow(clippy::unwrap_used)]

mod alarms;
mod bad_input;
mod browser;
mod fold;
mod health;
mod ledger;
mod live;
mod long;
mod page;
mod tensorboard;
mod watch;
