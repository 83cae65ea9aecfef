//! What goes wrong with an engine.

use std::{io, time::Duration};

use thiserror::Error;

/// Why an engine gave no move.
#[derive(Debug, Error)]
pub enum EngineError {
    /// The command line names no program.
    #[error("the command line {command:?} cannot be read: {what}")]
    Command {
        /// The command line.
        command: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// There is no such program, or it may not be run.
    #[error("{program} cannot be started: {source}; is it installed, and is its path right?")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// It ended in the middle of a game.
    #[error("the engine ended ({how}) when asked {asked:?}{}", stderr_note(.stderr_tail))]
    Ended {
        /// What it was asked.
        asked: String,
        /// Exit code or signal.
        how: String,
        /// The end of its standard error.
        stderr_tail: String,
    },
    /// It did not answer in time.
    #[error("no answer to {asked:?} within {:.1} s{}", .within.as_secs_f64(), stderr_note(.stderr_tail))]
    Late {
        /// What it was asked.
        asked: String,
        /// How long was waited.
        within: Duration,
        /// The end of its standard error.
        stderr_tail: String,
    },
    /// It answered with a refusal, or with what the protocol does not have.
    #[error("{asked:?} was answered {answer:?}")]
    Refused {
        /// What it was asked.
        asked: String,
        /// What it said.
        answer: String,
    },
}

fn stderr_note(stderr_tail: &str) -> String {
    if stderr_tail.is_empty() {
        String::new()
    } else {
        format!("; its last output was {stderr_tail:?}")
    }
}
