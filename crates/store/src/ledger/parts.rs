//! The parts of a run's state. Fields mean what they mean in [`super::Entry`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::entry::MatchPurpose;
use super::player_name::PlayerName;
use super::summary::{GateTest, Losses, MatchResult, RatingRow, RowsSummary, SelfplaySummary};
use crate::ObjectRef;

/// What is known of one cycle. A part is there once its entry is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycleState {
    /// Published shards, by number.
    pub shards: BTreeMap<u32, ShardState>,
    /// Self-play is over.
    pub games_done: Option<GamesDoneState>,
    /// The shuffler is done.
    pub rows: Option<RowsState>,
    /// Checkpoints of this cycle, oldest first.
    pub checkpoints: Vec<CheckpointState>,
    /// Training is over.
    pub candidate: Option<CandidateState>,
    /// Finished matches, in ledger order.
    pub matches: Vec<MatchState>,
    /// The gate's decision.
    pub verdict: Option<VerdictState>,
    /// The champion that the cycle made, where it made one.
    pub champion: Option<ChampionState>,
    /// Whether ratings were fitted after the cycle's matches.
    pub rated: bool,
    /// Wall time of the whole cycle, once it is over.
    pub wall_ms: Option<u64>,
    /// The first record of each kind, by its number; `gate`, `rating_match` and `final_match` are
    /// the kinds of matches. This is where to look in the log.
    pub records: BTreeMap<String, u64>,
    /// Wall clock of the newest record, milliseconds since 1970. Shown to people.
    pub newest_unix_ms: u64,
}

impl CycleState {
    /// Games in the cycle's shards.
    pub fn games(&self) -> u64 {
        self.shards.values().map(|s| s.games).sum()
    }

    /// Positions in the cycle's shards.
    pub fn positions(&self) -> u64 {
        self.shards.values().map(|s| s.positions).sum()
    }

    /// The finished match between `a` and `b` for `purpose`, where there is one.
    pub fn find_match(
        &self,
        purpose: MatchPurpose,
        a: &PlayerName,
        b: &PlayerName,
    ) -> Option<&MatchState> {
        self.matches.iter().find(|m| m.purpose == purpose && m.a == *a && m.b == *b)
    }

    /// Every published object of the cycle.
    pub fn objects(&self) -> impl Iterator<Item = &ObjectRef> {
        let rows = self.rows.iter().flat_map(|r| r.train.iter().chain(&r.validation));
        (self.shards.values().map(|s| &s.object))
            .chain(rows)
            .chain(self.checkpoints.iter().map(|c| &c.object))
            .chain(self.candidate.iter().map(|c| &c.network))
            .chain(self.matches.iter().map(|m| &m.games))
            .chain(self.champion.iter().map(|c| &c.network))
    }
}

/// What the run is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct RunInfo {
    pub format: u32,
    pub seed: u64,
    pub game: String,
    pub encoding: String,
    pub version: String,
    /// When the run began, for people.
    pub time_unix_ms: u64,
}

/// A key of the configuration that was changed after the run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigChange {
    /// The newest cycle at that time; none before the first.
    pub cycle: Option<u32>,
    /// One line, for people.
    pub text: String,
}

/// A champion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ChampionState {
    pub generation: u32,
    pub cycle: u32,
    pub network: ObjectRef,
}

/// A published shard.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct ShardState {
    pub generation: u32,
    pub number: u32,
    pub games: u64,
    pub positions: u64,
    pub object: ObjectRef,
    /// The game with every parameter, where it is on another board than the run's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<String>,
}

/// A cycle's finished self-play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct GamesDoneState {
    pub generation: u32,
    pub summary: SelfplaySummary,
}

/// A cycle's rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct RowsState {
    pub train: Vec<ObjectRef>,
    pub validation: Vec<ObjectRef>,
    pub summary: RowsSummary,
}

/// A checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct CheckpointState {
    pub step: u64,
    pub object: ObjectRef,
}

/// A cycle's candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct CandidateState {
    pub step: u64,
    pub network: ObjectRef,
    pub losses: Losses,
}

/// A finished match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct MatchState {
    pub purpose: MatchPurpose,
    pub a: PlayerName,
    pub b: PlayerName,
    pub result: MatchResult,
    pub games: ObjectRef,
}

/// The gate's decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct VerdictState {
    pub rule: String,
    pub accepted: bool,
    pub reason: String,
    pub score: Option<f64>,
    pub score_lo95: Option<f64>,
    pub score_hi95: Option<f64>,
    pub test: Option<GateTest>,
}

/// The newest ratings, of those that the entry names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct RatingsState {
    pub cycle: u32,
    pub players: Vec<RatingRow>,
    pub first_mover_elo: f64,
    pub draw_rate: f64,
}
