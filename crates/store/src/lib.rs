//! Where bytes live: run layout, create-only ledger, locks; mailboxes and mirrors.
//!
//! A run is one directory ([`Run`]). Stages meet only through what is published in it: immutable
//! objects, named by [`ObjectRef`]s in the one ledger ([`Ledger`]), a numbered log of records that
//! are created once and never changed. The state of a run ([`RunState`]) is the fold of that log,
//! and determines whose [`StageTurn`] it is. Any process may be killed at any instant. Published
//! files are whole, and the successor sweeps unpublished ones.

mod belongs;
mod block;
mod clock;
mod error;
mod faults;
mod foreign;
mod hash;
pub mod layout;
mod ledger;
mod lock;
mod mailbox;
mod metrics;
mod mirror;
mod object;
pub mod remedy;
mod retention;
mod run;
mod seal;
mod staged;
mod sweep;
mod unfinished;
mod ways;

pub use belongs::match_cycle;
pub use clock::{host, utc};
pub use error::{Result, StoreError};
pub use faults::{DRIVER_ENV, FAULTS_ENV, Faults};
pub use ledger::{
    Audit, AuditFault, Bottleneck, CandidateState, ChampionState, CheckpointState, ConfigChange,
    CycleState, Entry, GamesDoneState, GateTest, HeadLoss, Ledger, LoadSummary, Losses,
    MatchPurpose, MatchResult, MatchState, PlayerName, RECORDS, RatingRow, RatingsState, Record,
    ResignSummary, RowsState, RowsSummary, RunInfo, RunState, SNAPSHOT_EVERY, SelfplaySummary,
    ShardState, Stage, StageTurn, VerdictState, best_connected,
};
pub use lock::{Holder, LOCK_WAIT, Pause, RunLock, TurnProgress};
pub use mailbox::{Created, Listed, Mailbox, MailboxError, StoreProof, prove};
pub use metrics::MetricsWriter;
pub use mirror::{Mirror, MirrorError, Restored, restore};
pub use object::ObjectRef;
pub use remedy::Remedy;
pub use retention::CHECKPOINTS_KEPT_MIN;
pub use run::Run;
pub use seal::{SEAL_DIGITS, SEAL_DIGITS_LINE, seal, unseal};
pub use staged::Staged;
pub use sweep::{Fate, Leftovers, Swept};
pub use unfinished::{begin_unfinished, end_unfinished, remove_unfinished};
pub use ways::{Writes, open_own, remove_own, rename_own, write_own};

/// Version of the run directory's format, written by [`Entry::RunStarted`].
pub const RUN_FORMAT: u32 = 1;
