//! The numbers that stages report with their entries.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::player_name::PlayerName;

/// [`SelfplaySummary::evaluator`] of a cycle whose games were read from records.
pub const RECORDS: &str = "records";

/// A cycle's self-play, tail included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfplaySummary {
    /// Finished games.
    pub games: u64,
    /// Positions recorded.
    pub positions: u64,
    /// Playouts walked.
    pub playouts: u64,
    /// Network (or bootstrap) evaluations computed.
    pub evaluations: u64,
    /// Evaluations answered by the cache.
    pub cache_hits: u64,
    /// Playouts that met a node by another path.
    pub transpositions: u64,
    /// Batches sent to the device.
    pub batches: u64,
    /// Mean share of a batch's places that were filled, 0 to 1.
    pub batch_fill: f64,
    /// Games won by the first player.
    pub wins_first: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games won by the second player.
    pub wins_second: u64,
    /// Mean plies a game.
    pub plies_mean: f64,
    /// Wall time.
    pub wall_ms: u64,
    /// Id of the evaluator: backend, instruction set, precision.
    pub evaluator: String,
    /// Resignation, where it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<ResignSummary>,
    /// What time went into, where batches were evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadSummary>,
}

impl SelfplaySummary {
    /// Whether the games were read from records of others.
    pub fn is_of_records(&self) -> bool {
        self.evaluator == RECORDS
    }
}

/// How the process that ended the turn spent its playing time, as shares of running time summed
/// over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadSummary {
    /// With a batch or more being evaluated, 0 to 1: what the evaluator was busy at most.
    pub device_share: f64,
    /// Waiting for evaluations, 0 to 1.
    pub waiting_share: f64,
    /// Microseconds of the processor's own work, search and making batches, for each evaluation.
    pub host_us: f64,
}

/// What a cycle's games show of resigning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResignSummary {
    /// The threshold, in [-1, 1]; none where too few games were measured for an adaptive one.
    pub value_min: Option<f64>,
    /// Games that an adaptive threshold was, or would have been, measured on; none of a fixed one.
    pub measured: Option<u64>,
    /// Games that ended by resignation.
    pub resigned: u64,
    /// Games that were played to their ends to measure.
    pub played_on: u64,
    /// Games of those in which somebody would have resigned.
    pub would_resign: u64,
    /// Games of those in which the first who would have resigned did not lose.
    pub wrong: u64,
    /// `wrong` as a share of `played_on`, 0 to 1; 0 without games.
    pub wrong_share: f64,
    /// Lower end of its 95 % interval (Wilson's).
    pub wrong_lo95: f64,
    /// Upper end of its 95 % interval.
    pub wrong_hi95: f64,
}

/// What the shuffler made for one cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsSummary {
    /// Rows of games that this cycle added.
    pub new_rows: u64,
    /// Rows that the window holds.
    pub window_rows: u64,
    /// Games that the window holds.
    pub window_games: u64,
    /// Rows written for training.
    pub train_rows: u64,
    /// Rows written for validation.
    pub validation_rows: u64,
    /// Wall time.
    pub wall_ms: u64,
}

/// A cycle's training: mean losses over its steps and on the validation rows, cross-entropies in
/// nats.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Losses {
    /// Policy cross-entropy on training rows.
    pub policy: f64,
    /// What the value learns by (`training.value_loss`) on training rows: cross-entropy of win,
    /// draw and loss, or squared error.
    pub value: f64,
    /// Policy cross-entropy on validation rows, where there were any.
    pub validation_policy: Option<f64>,
    /// What the value learns by on validation rows.
    pub validation_value: Option<f64>,
    /// Squared error of win less loss on training rows, scaled by 1/4 to 0 to 1 (Silver et al.
    /// 2016, 2017); none in ledgers of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value_mse: Option<f64>,
    /// The same on validation rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validation_value_mse: Option<f64>,
    /// Losses of the network's heads beside policy and value, by the head's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub heads: BTreeMap<String, HeadLoss>,
    /// Share of rows whose most likely move is the target's, 0 to 1 (validation rows if any).
    pub policy_accuracy: Option<f64>,
    /// Share of rows whose target is among the five most likely moves, 0 to 1 (validation rows).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_top5_accuracy: Option<f64>,
    /// Share of rows whose most likely outcome is the target's, 0 to 1 (validation rows if any).
    pub value_accuracy: Option<f64>,
    /// Mean global gradient norm before clipping.
    pub gradient_norm: Option<f64>,
    /// Learning rate at the last step.
    pub learning_rate: f64,
    /// Optimizer steps of this cycle.
    pub steps: u64,
    /// Rows trained on in this cycle.
    pub rows: u64,
    /// Wall time.
    pub wall_ms: u64,
}

/// What a head loses, on average: nats, or the Huber loss of plies left and margin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadLoss {
    /// On training rows.
    pub training: f64,
    /// On validation rows, where there were any that have the target.
    pub validation: Option<f64>,
}

/// The counts of a match, in the view of its first named player, A.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchResult {
    /// Games played: `wins + draws + losses`.
    pub games: u64,
    /// Games that A won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games that A lost.
    pub losses: u64,
    /// Pairs (same opening, colours swapped) by A's score: 0, 0.5, 1, 1.5, 2.
    pub pairs: [u64; 5],
    /// Games whose moves repeat an earlier game's of the match.
    pub duplicates: u64,
    /// What ratings are fitted to: the games that A, then B, moved first in, each as the first
    /// mover's wins, draws and losses. Duplicates are left out.
    pub by_first: [[u64; 3]; 2],
    /// Plies of all games, openings included; 0 in ledgers of earlier versions.
    #[serde(default)]
    pub plies: u64,
    /// Games that the ply limit ended.
    #[serde(default)]
    pub adjudicated: u64,
    /// Games that another program lost by a crash, a time-out, an illegal move or by resigning.
    #[serde(default)]
    pub forfeits: u64,
}

impl MatchResult {
    /// A's mean score a game, 0 to 1; one half where no game was played.
    pub fn score(&self) -> f64 {
        if self.games == 0 {
            return 0.5;
        }
        (self.wins as f64 + 0.5 * self.draws as f64) / self.games as f64
    }
}

/// A gate's sequential test, in normalised Elo.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateTest {
    /// The difference that is not enough.
    pub elo0: f64,
    /// The difference that is.
    pub elo1: f64,
    /// Probability of accepting a candidate no better than `elo0`.
    pub alpha: f64,
    /// Probability of refusing a candidate as good as `elo1`.
    pub beta: f64,
    /// The log-likelihood ratio at which the test refuses.
    pub lower: f64,
    /// The log-likelihood ratio at which it accepts.
    pub upper: f64,
    /// The log-likelihood ratio after each pair, in scheduled order.
    pub llr: Vec<f64>,
    /// Why it ended: `accepted`, `refused` (a bound was reached), `exhausted` (all games were
    /// played) or `out_of_reach` (winning every game left would not have been enough).
    pub stop: String,
    /// Median-unbiased estimate of the difference; none without games.
    pub elo: Option<f64>,
    /// Lower end of its 95 % interval.
    pub elo_lo95: Option<f64>,
    /// Upper end.
    pub elo_hi95: Option<f64>,
}

/// One player's rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingRow {
    /// The player.
    pub player: PlayerName,
    /// Elo on the anchors' scale (400 / ln 10).
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub error95: f64,
    /// Mean score over its games, 0 to 1.
    pub score: f64,
    /// Games that it played.
    pub games: u64,
}
