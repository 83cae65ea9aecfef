//! What is measured beside the ledger: from shards, match files, metrics and the disk.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use dz_play::{ProbedPosition, TruthLine};

/// All measurements. A part that a run lacks is empty, and [`crate::Report::missing`] says so.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Measures {
    /// How the newest cycle's games open.
    pub openings: Option<OpeningNode>,
    /// The trainer's steps, thinned; those of a long run from a sample.
    pub steps: Vec<StepPoint>,
    /// The newest gates, pair by pair.
    pub traces: Vec<GateTrace>,
    /// Value-preserving moves where the game is solved, by cycle.
    pub truth: Vec<TruthLine>,
    /// What the newest champion and an earlier one make of the same positions.
    pub samples: Vec<Sample>,
    /// One self-play game of each of three stages of the run.
    pub stage_games: Vec<StageGame>,
    /// What matches took of the time.
    pub rating_share: Option<RatingShare>,
    /// Turns of the stages, with their peak memory.
    pub turns: Vec<TurnFacts>,
    /// Bytes on disk by folder, now.
    pub disk: BTreeMap<String, u64>,
}

/// What a cycle's self-play games look like; of all its shards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// Games in the shards that were played, not reanalyzed.
    pub games: u64,
    /// Recorded plies.
    pub positions: u64,
    /// Plies of a game, opening included: the shortest tenth is shorter than this.
    pub plies_p10: u32,
    /// The median of the plies.
    pub plies_p50: u32,
    /// The longest tenth is longer than this.
    pub plies_p90: u32,
    /// Mean entropy of the policy targets, nats.
    pub target_entropy: f64,
    /// The same if all legal moves had equal shares: the most that it could be.
    pub target_entropy_even: f64,
    /// Mean of minus log probability that the search's value gave to the outcome, nats.
    pub value_surprise: f64,
    /// Games whose moves repeat another game of the cycle.
    pub duplicates: u64,
    /// Distinct first four plies.
    pub openings: u64,
    /// Games that ended by resignation.
    pub resigned: u64,
    /// Games that the ply limit ended.
    pub at_limit: u64,
}

/// A move of the opening tree and what became of the games that began so.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpeningNode {
    /// The move, in the game's notation; empty at the root.
    pub name: String,
    /// Games.
    pub games: u64,
    /// The first player's mean score, 0 to 1.
    pub score: f64,
    /// The most frequent replies.
    pub replies: Vec<OpeningNode>,
}

/// One step of the trainer, or the mean of several.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepPoint {
    /// The last step of those.
    pub step: u64,
    /// Policy cross-entropy, nats.
    pub policy_loss: f64,
    /// Value loss: cross-entropy in nats, or the squared error with `training.value_loss = "mse"`.
    pub value_loss: f64,
    /// Entropy of the policy targets, nats; `policy_loss` minus this is the surprise of the policy.
    pub policy_entropy: f64,
    /// Share of the steps whose gradients were clipped, 0 to 1; none in metrics of earlier
    /// versions.
    pub clipped: Option<f64>,
}

/// Share of matches in the time of those finished cycles in which they were timed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RatingShare {
    /// The share of playouts that the configuration allows rating games, 0 to 1; none where it
    /// cannot be read.
    pub stated: Option<f64>,
    /// Rating games' share of the wall time, 0 to 1.
    pub rating: f64,
    /// Gate games' share.
    pub gate: f64,
}

/// A gate match, pair by pair, in scheduled order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateTrace {
    /// The cycle.
    pub cycle: u32,
    /// The match file.
    pub path: String,
    /// The candidate's half points of each pair, 0 to 4.
    pub pairs: Vec<u8>,
    /// The candidate's mean score after each pair, 0 to 1.
    pub score: Vec<f64>,
    /// The log-likelihood ratio after each pair that the test counts, where the rule is a test.
    pub llr: Vec<f64>,
    /// The test's bounds.
    pub bounds: Option<[f64; 2]>,
}

/// A position, seen by the newest champion and an earlier one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Moves from the start.
    pub moves: Vec<String>,
    /// The views, older champion first.
    pub views: Vec<SampleView>,
}

/// What one champion makes of a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SampleView {
    /// The cycle that trained it.
    pub cycle: u32,
    /// What it says.
    pub position: ProbedPosition,
}

/// A self-play game of one stage of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StageGame {
    /// The cycle.
    pub cycle: u32,
    /// The generation that played it.
    pub generation: u32,
    /// Its number in the run.
    pub number: u64,
    /// Its first moves, from the start.
    pub moves: Vec<String>,
    /// All its plies.
    pub plies: u32,
    /// Who won and how, in words.
    pub result: String,
}

/// One turn of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnFacts {
    /// The stage.
    #[serde(default)]
    pub stage: String,
    /// The cycle.
    pub cycle: u32,
    /// Wall time of the turn.
    pub turn_ms: u64,
    /// Processor time of the process in the turn; none where the system does not say, or the run
    /// is older than this figure.
    #[serde(default)]
    pub cpu_ms: Option<u64>,
    /// The most memory that the process has held so far, bytes; none where the system does not say.
    pub peak_bytes: Option<u64>,
}
