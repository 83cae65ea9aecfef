//! Runs in a browser: a page of all runs below a folder, live reports, games to step through, a
//! board to play on, and searches drawn as the graphs that they are.
//!
//! [`Server::bind`] takes a port and [`Server::run`] answers requests until the process ends. The
//! server reads runs and never writes into them or takes their locks. It knows no networks:
//! sessions and searches come from a [`Backend`] that the caller passes in.
//!
//! The server listens on loopback unless another address is named. Then it asks for a token.
//! `Host` and `Origin` of every request are checked, scripts come from this server alone, and all
//! text from runs is escaped.

mod app;
mod assets;
mod backend;
mod board_view;
mod cards;
mod connection;
mod difference;
mod follow;
mod games;
mod guard;
mod listen;
mod metrics;
mod outcome_text;
mod pages;
mod play;
mod position;
mod report_view;
mod router;
mod rules;
mod runs;
mod search;
mod secret;
mod stall;
mod trouble;

pub use backend::{Backend, GameFile, LaidOpen, RecordText, SearchRequest};
pub use listen::{Options, ServeError, Server};
pub use rules::Rules;
