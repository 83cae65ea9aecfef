//! The entries of the ledger, by which the stages of a run communicate.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::player_name::PlayerName;
use super::summary::{GateTest, Losses, MatchResult, RatingRow, RowsSummary, SelfplaySummary};
use crate::ObjectRef;

/// One numbered record of the ledger, stored as `log/<number, 20 digits>.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Place in the log, from 1, without gaps.
    pub number: u64,
    /// Number of the writer's claim; a record below the stage's newest claim is ignored by the
    /// fold.
    pub epoch: u64,
    /// Who wrote it.
    pub stage: Stage,
    /// The writer's wall clock, milliseconds since 1970. Shown to people; decides nothing.
    pub time_unix_ms: u64,
    /// Random word of the writer, by which it knows its own record again after an unclear write.
    pub nonce: String,
    /// What happened.
    pub entry: Entry,
}

/// The content of one record. Cycles count from 1, generations from 0 (no network yet).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Entry {
    /// What the run is: appended once, by the driver after its first claim.
    RunStarted {
        /// Version of the run directory's format: [`crate::RUN_FORMAT`].
        format: u32,
        /// BLAKE3 of the effective configuration, hex.
        config_hash: String,
        /// The run's seed.
        seed: u64,
        /// The game with its parameters, as `connect4:width=7,height=6,connect=4`.
        game: String,
        /// Id of the encoding.
        encoding: String,
        /// Version of the program.
        version: String,
    },
    /// The run goes on under another configuration; a finished run is open again.
    ConfigChanged {
        /// BLAKE3 of the new effective configuration, hex.
        config_hash: String,
        /// One line a changed key, for people.
        changes: Vec<String>,
    },
    /// A process takes a stage over: from here on, earlier claimants are fenced out.
    Claim {
        /// The stage claimed; equal to the record's.
        stage: Stage,
        /// Random word of the claimant.
        nonce: String,
        /// Its process id, for people.
        process_id: u32,
    },
    /// A shard of whole games is published.
    Shard {
        /// Cycle that the games belong to.
        cycle: u32,
        /// Generation of the champion that played.
        generation: u32,
        /// Number of the shard in its cycle, from 0.
        number: u32,
        /// Games in it.
        games: u64,
        /// Positions in it.
        positions: u64,
        /// The file.
        object: ObjectRef,
        /// The game with every parameter, where it is on another board than the run's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        board: Option<String>,
    },
    /// All games of the cycle are published.
    GamesDone {
        /// The cycle.
        cycle: u32,
        /// Generation of the champion that played.
        generation: u32,
        /// What was played, and how fast.
        summary: SelfplaySummary,
    },
    /// The cycle's rows are published, in the order in which the trainer reads them.
    Rows {
        /// The cycle.
        cycle: u32,
        /// Files of training rows, in reading order.
        train: Vec<ObjectRef>,
        /// Files of validation rows.
        validation: Vec<ObjectRef>,
        /// Sizes of window and files.
        summary: RowsSummary,
    },
    /// The trainer's whole state at a step.
    Checkpoint {
        /// The cycle.
        cycle: u32,
        /// Optimizer steps since the run began.
        step: u64,
        /// The file.
        object: ObjectRef,
    },
    /// The cycle's training is over: this network asks to become champion.
    Candidate {
        /// The cycle.
        cycle: u32,
        /// Optimizer steps since the run began.
        step: u64,
        /// The network file.
        network: ObjectRef,
        /// Losses and how they came about.
        losses: Losses,
    },
    /// A match has been played to its end.
    Match {
        /// The cycle.
        cycle: u32,
        /// What it was for.
        purpose: MatchPurpose,
        /// First named player; results are in its view.
        a: PlayerName,
        /// Second named player.
        b: PlayerName,
        /// The counts.
        result: MatchResult,
        /// The games.
        games: ObjectRef,
    },
    /// The gate's decision about the cycle's candidate.
    Verdict {
        /// The cycle.
        cycle: u32,
        /// Name of the gate rule, as in the configuration.
        rule: String,
        /// Whether the candidate becomes champion.
        accepted: bool,
        /// Why, in one sentence.
        reason: String,
        /// Candidate's mean score in the gate, 0 to 1; absent where no gate was played.
        score: Option<f64>,
        /// Lower end of the score's 95 % interval.
        score_lo95: Option<f64>,
        /// Upper end of the score's 95 % interval.
        score_hi95: Option<f64>,
        /// The test, where the rule is one; absent in ledgers of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        test: Option<GateTest>,
    },
    /// A new champion.
    Champion {
        /// Its number, one more than the last champion's.
        generation: u32,
        /// Cycle whose candidate it was.
        cycle: u32,
        /// The network file.
        network: ObjectRef,
    },
    /// Ratings, fitted anew to all players' games after the cycle's matches.
    Ratings {
        /// The cycle.
        cycle: u32,
        /// One row a player: the anchors, the champion and the players of the newest cycles.
        players: Vec<RatingRow>,
        /// Advantage of moving first, in Elo.
        first_mover_elo: f64,
        /// Probability of a draw between equal players, 0 to 1.
        draw_rate: f64,
    },
    /// The cycle is over; the next one may begin.
    CycleDone {
        /// The cycle.
        cycle: u32,
        /// Wall time of the whole cycle.
        wall_ms: u64,
    },
    /// Published files that the disk budget has no room for, and that training no longer needs:
    /// they are about to be removed.
    Expired {
        /// The cycle in which they were given up.
        cycle: u32,
        /// Their paths.
        paths: Vec<String>,
    },
    /// The run is finished.
    Finished {
        /// One paragraph for people.
        verdict: String,
    },
}

impl Entry {
    /// The entry's kind, as records have it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::ConfigChanged { .. } => "config_changed",
            Self::Claim { .. } => "claim",
            Self::Shard { .. } => "shard",
            Self::GamesDone { .. } => "games_done",
            Self::Rows { .. } => "rows",
            Self::Checkpoint { .. } => "checkpoint",
            Self::Candidate { .. } => "candidate",
            Self::Match { .. } => "match",
            Self::Verdict { .. } => "verdict",
            Self::Champion { .. } => "champion",
            Self::Ratings { .. } => "ratings",
            Self::CycleDone { .. } => "cycle_done",
            Self::Expired { .. } => "expired",
            Self::Finished { .. } => "finished",
        }
    }

    /// The hash of the configuration that it brings into force, if it does.
    pub fn config_hash(&self) -> Option<&str> {
        match self {
            Self::RunStarted { config_hash, .. } | Self::ConfigChanged { config_hash, .. } => {
                Some(config_hash)
            }
            _ => None,
        }
    }
}

/// A process that writes to the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The loop's own process.
    Driver,
    /// Plays games.
    Selfplay,
    /// Makes rows of games.
    Shuffler,
    /// Trains on rows.
    Trainer,
    /// Judges candidates and rates players.
    Gatekeeper,
}

impl Stage {
    /// The four stages of a cycle, in their order.
    pub const WORKERS: [Self; 4] =
        [Self::Selfplay, Self::Shuffler, Self::Trainer, Self::Gatekeeper];

    /// The name used in files, on the command line and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Driver => "driver",
            Self::Selfplay => "selfplay",
            Self::Shuffler => "shuffler",
            Self::Trainer => "trainer",
            Self::Gatekeeper => "gatekeeper",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a match is for. Rating games are separate from gate games, since promotion inflates.
/// Versions without a final match refuse a ledger that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchPurpose {
    /// Decides whether the candidate becomes champion.
    Gate,
    /// Feeds the ratings only.
    Rating,
    /// Ends the run: its champion against an anchor. No part of the ratings.
    Final,
}
