//! The ledger: a numbered, create-only log of JSON records, and the state that it folds to.

mod anchor;
mod audit;
mod bottleneck;
mod entry;
mod log;
mod parts;
mod plausible;
mod player_name;
mod schedule;
mod snapshot;
mod state;
mod summary;

pub use anchor::best_connected;
pub use audit::{Audit, AuditFault};
pub use bottleneck::Bottleneck;
pub use entry::{Entry, MatchPurpose, Record, Stage};
pub use log::Ledger;
pub use parts::{
    CandidateState, ChampionState, CheckpointState, ConfigChange, CycleState, GamesDoneState,
    MatchState, RatingsState, RowsState, RunInfo, ShardState, VerdictState,
};
pub use player_name::PlayerName;
pub use schedule::StageTurn;
pub use snapshot::SNAPSHOT_EVERY;
pub use state::RunState;
pub use summary::{
    GateTest, HeadLoss, LoadSummary, Losses, MatchResult, RECORDS, RatingRow, ResignSummary,
    RowsSummary, SelfplaySummary,
};
