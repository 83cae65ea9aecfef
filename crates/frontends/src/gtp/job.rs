//! What takes longer than a line, and what a command comes to.

use std::time::Duration;

use dz_game::Player;

use super::options::Options;

/// An analysis that goes on.
pub(super) struct Analysis {
    pub options: Options,
    pub next: Duration,
    /// Nothing is left to search.
    pub rests: bool,
}

/// A move that is being looked for.
pub(super) struct Genmove {
    pub id: Option<String>,
    /// What is told meanwhile.
    pub told: Option<Told>,
    pub player: Player,
    pub plays: bool,
    pub started: Duration,
    pub deadline: Option<Duration>,
}

/// What is told while a move is looked for, and when next.
pub(super) struct Told {
    pub options: Options,
    pub next: Option<Duration>,
}

/// What takes longer than a line.
pub(super) enum Job {
    Genmove(Genmove),
    Analysis(Analysis),
    /// Thinking in the opponent's time, until the next line.
    Ponder,
}

/// What a command comes to.
pub(super) enum Reply {
    /// This text, and it is done.
    Text(String),
    /// This text, with the answer's first line open: more will come.
    Later(Job),
}

pub(super) type Answered = Result<Reply, String>;

/// A command that has nothing to say.
#[allow(clippy::unnecessary_wraps, reason = "what a command returns")]
pub(super) fn done() -> Answered {
    Ok(Reply::Text(String::new()))
}

#[allow(clippy::unnecessary_wraps, reason = "what a command returns")]
pub(super) fn text(text: impl Into<String>) -> Answered {
    Ok(Reply::Text(text.into()))
}
