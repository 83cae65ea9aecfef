//! The ledger: a numbered, create-only log of JSON records.

mod entry;
mod summary;

pub use entry::{Entry, MatchPurpose, PlayerName, Record, Stage};
pub use summary::{Losses, MatchResult, RatingRow, RowsSummary, SelfplaySummary};
