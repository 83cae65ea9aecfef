//! Exit codes, the same for every command.

use std::{io, process::ExitCode};

use dz_game::GameError;
use dz_selfplay::WorkerRefused;

use crate::drive::RefusedChanges;

/// How a command ended. Outside programs rely on the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// A check found something wrong, or the work failed.
    Wrong = 1,
    /// The command line asks for something that does not exist or is not legal.
    Usage = 2,
    /// Nothing is lost; the same command may be started again.
    TryAgain = 75,
    /// Bad configuration, or one that a run cannot go on with.
    Config = 78,
}

impl Exit {
    /// Returns the exit code that stands for `error`.
    pub fn of(error: &anyhow::Error) -> Self {
        let usage = |cause: &(dyn std::error::Error + 'static)| {
            cause.is::<GameError>() || cause.is::<UsageError>()
        };
        if error.chain().any(usage) {
            return Self::Usage;
        }
        // Whoever read our output has seen enough (`dagzero inspect --batch | head`).
        let closed = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
        if error.chain().filter_map(|cause| cause.downcast_ref()).any(closed) {
            return Self::Done;
        }
        let refused = |cause: &(dyn std::error::Error + 'static)| {
            cause.is::<RefusedChanges>() || cause.is::<WorkerRefused>()
        };
        if error.chain().any(refused) {
            return Self::Config;
        }
        match dz_stage::exit_code_of(error) {
            dz_stage::exit::CONFIG => Self::Config,
            dz_stage::exit::TRY_AGAIN => Self::TryAgain,
            dz_stage::exit::USAGE => Self::Usage,
            _ => Self::Wrong,
        }
    }
}

/// Arguments that do not fit each other or what is there; exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UsageError(pub(crate) String);

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
