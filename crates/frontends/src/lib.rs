//! Protocols by which front ends play with a player of ours, GTP and UCI; a person at the board
//! ([`Person`]); and games with what a player thinks of them ([`review`]).
//!
//! A protocol is a state machine: a line goes in, text comes out ([`Protocol`]). What it plays with
//! is a [`Session`], a game in progress with its player, and the time is told by a [`Clock`]; so
//! nothing here reads a file, starts a thread or looks at a clock by itself, but for [`converse`]
//! and [`SystemClock`], which join a protocol to a channel of lines and to the machine's clock.

mod clock;
mod converse;
mod gtp;
mod limits;
mod person;
mod position;
mod review;
mod search_report;
mod searcher;
mod session;
mod search_slice;
mod uci;

pub use clock::{Clock, SystemClock};
pub use converse::{Activity, LINE_BYTES_MAX, Protocol, converse, read_lines};
pub use gtp::{Files, Gtp};
pub use limits::{Limits, Resignation};
pub use person::{Choice, Direction, LEVEL_MAX, Mark, Person, Pointer, Said, playouts_of};
pub use position::Refusal;
pub use review::{Judgement, ReviewError, ReviewedPly, comment, review};
pub use search_report::{MoveReport, Report};
pub use searcher::COLLISIONS_MAX;
pub use session::{Evaluated, GameSession, Maker, Session};
pub use uci::Uci;
