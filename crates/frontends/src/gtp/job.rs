//! Jobs that outlive their command's line, and results of commands.

use std::time::Duration;

use dz_game::Player;

use super::options::Options;

/// An analysis in progress.
pub(super) struct Analysis {
    pub options: Options,
    pub next: Duration,
    /// Whether nothing is left to search.
    pub finished: bool,
}

/// The search of a move in progress.
pub(super) struct Genmove {
    pub id: Option<String>,
    /// The reports during the search, if the command asks for them.
    pub progress: Option<Progress>,
    pub player: Player,
    pub plays: bool,
    pub started: Duration,
    pub deadline: Option<Duration>,
}

/// Reports during the search of a move, and the time of the next one.
pub(super) struct Progress {
    pub options: Options,
    pub next: Option<Duration>,
}

/// A job that goes on after its command's line.
pub(super) enum Job {
    Genmove(Genmove),
    Analysis(Analysis),
    /// A search in the opponent's time, until the next line.
    Ponder,
}

/// What a command returns.
pub(super) enum Reply {
    /// The whole answer.
    Text(String),
    /// A job, which writes the answer later.
    Job(Job),
}

pub(super) type CommandResult = Result<Reply, String>;

/// Returns an empty answer.
#[allow(clippy::unnecessary_wraps, reason = "what a command returns")]
pub(super) fn done() -> CommandResult {
    Ok(Reply::Text(String::new()))
}

#[allow(clippy::unnecessary_wraps, reason = "what a command returns")]
pub(super) fn text(text: impl Into<String>) -> CommandResult {
    Ok(Reply::Text(text.into()))
}
