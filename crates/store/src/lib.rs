//! Where bytes live: run layout, create-only ledger, locks.

mod ledger;
mod object;

pub use ledger::{
    Entry, Losses, MatchPurpose, MatchResult, PlayerName, RatingRow, Record, RowsSummary,
    SelfplaySummary, Stage,
};
pub use object::ObjectRef;

/// Version of the run directory's format, written by [`Entry::RunStarted`].
pub const RUN_FORMAT: u32 = 1;
