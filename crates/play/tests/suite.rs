//! The integration tests of play in one program, because linking each by itself takes many times as
//! long.

#![allow(clippy::unwrap_used, reason = "tests")]

mod accuracy;
mod external;
mod heuristic;
mod leaves;
mod matches;
mod openspiel;
mod rollouts;
mod scheduler;
mod settings;
