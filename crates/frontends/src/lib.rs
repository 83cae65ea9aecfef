//! Front ends: GTP and UCI, by which other programs play with our players; a person at the board
//! ([`Person`]); and reviews of finished games ([`review`]).
//!
//! A protocol is a state machine: a line goes in, text comes out ([`Protocol`]). It plays with a
//! [`Session`], a game in progress with its player, and reads the time from a [`Clock`]. Nothing
//! here reads a file, starts a thread or reads the machine's clock, except [`converse`] and
//! [`SystemClock`], which connect a protocol to a channel of lines and to the machine's clock.

mod clock;
mod converse;
mod game_session;
mod gtp;
mod limits;
mod person;
mod position;
mod review;
mod search_report;
mod search_slice;
mod searcher;
mod session;
mod uci;

pub use clock::{Clock, SystemClock};
pub use converse::{Activity, LINE_BYTES_MAX, Protocol, converse, read_lines};
pub use game_session::GameSession;
pub use gtp::{Files, Gtp, WrittenFiles};
pub use limits::{Limits, ResignRule, Resignation};
pub use person::{
    Choice, Direction, LEVEL_MAX, Mark, MarkKind, Person, Pointer, Response, playouts_of,
};
pub use position::Refusal;
pub use review::{Judgement, ReviewError, ReviewedPly, comment, review};
pub use search_report::{MoveReport, Report};
pub use searcher::COLLISIONS_MAX;
pub use session::{Evaluated, Session, SessionMaker};
pub use uci::Uci;
