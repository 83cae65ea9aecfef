//! Self-play over several machines: the home's part, and the worker's.
//!
//! `home` publishes the units to play, takes units from the mailbox beside those that it plays
//! itself, and hands whole shards to the collector. `worker` plays units. Both make a unit by the
//! same code from the same plan, so its bytes do not depend on who played it.

mod audit;
mod cache;
mod excluded;
mod home;
mod lease;
mod mail;
mod metrics;
mod options;
mod orders;
mod past_file;
mod plan;
mod session;
mod shelf;
mod unit;
mod waiting;
mod worker;

pub(crate) use home::play_with_workers;
pub use lease::{HomeLease, check_home_is_gone};
pub use options::{WorkerEnd, WorkerOptions, WorkerRefused};
pub use plan::finish_mailbox;
pub use worker::work;
