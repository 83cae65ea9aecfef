//! How a stage ended.

use crate::exit::{DONE, TRY_AGAIN};

/// How a stage's life ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageEnd {
    /// The run is finished.
    Finished,
    /// The one turn that was asked for is done.
    TurnDone,
    /// The stage waits for another one, and only one turn was asked for.
    NotOurs,
    /// Somebody asked to stop, between two turns.
    Stopped,
    /// Somebody asked to stop, and the turn goes on at the next start.
    Interrupted,
    /// Another configuration was entered in the ledger, which counts from the next start on.
    Reconfigured,
}

impl StageEnd {
    /// The process's exit code.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Finished | Self::TurnDone => DONE,
            // The run is not over: a driver that did not ask for the stop starts the stage again.
            Self::NotOurs | Self::Stopped | Self::Interrupted | Self::Reconfigured => TRY_AGAIN,
        }
    }

    pub(crate) const fn reason(self) -> &'static str {
        match self {
            Self::Finished => "the run is finished",
            Self::TurnDone => "one turn is done",
            Self::NotOurs => "it is another stage's turn",
            Self::Stopped => "asked to stop",
            Self::Interrupted => "asked to stop; the turn goes on at the next start",
            Self::Reconfigured => "the run has another configuration now; start the stage again",
        }
    }
}
