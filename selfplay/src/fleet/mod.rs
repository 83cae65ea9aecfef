//! Games over several machines: the home's part, and the worker's.
//!
//! `home` publishes the units to play, takes units from the mailbox beside those that it plays
//! itself, and hands whole shards to the collector. `match_home` does the same with segments of the
//! gatekeeper's matches. `worker` plays units of both kinds. Home and worker make a unit by the
//! same code from the same plan, so its bytes do not depend on who played it.

mod audit;
mod cache;
mod excluded;
mod home;
mod lease;
mod look;
mod mail;
mod match_context;
mod match_home;
mod match_players;
mod match_scheduler;
mod match_worker;
mod metrics;
mod options;
mod orders;
mod past_file;
mod plan;
mod ready_matches;
mod segment;
mod session;
mod shared_plan;
mod shelf;
mod task;
mod unit;
mod waiting;
mod worker;

pub(crate) use home::play_with_workers;
pub use lease::{HomeLease, check_home_is_gone};
pub use match_home::share_matches;
pub use options::{WorkerEnd, WorkerOptions, WorkerRefused};
pub use plan::finish_mailbox;
pub use worker::work;
