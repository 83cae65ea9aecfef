//! What a report knows: plain data, folded from the ledger and embedded in the page as JSON.

use std::collections::BTreeMap;

use dz_stats::{Draws, RatingOptions, Record as Wdl};
use dz_store::{Losses, MatchResult, ObjectRef, RowsSummary, SelfplaySummary, VerdictState};
use serde::Serialize;

use crate::measures::Health;

/// The terms of the fit: [`RatingOptions::of_run`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Model {
    /// `davidson`: a draw is a result of its own; `half`: half a win and half a loss.
    pub draws: &'static str,
    /// Whether the first move is worth something.
    pub first_mover: bool,
    /// Virtual draws of every anchor and of the first rated network and raw policy with one virtual
    /// player.
    pub prior_draws: f64,
    /// Virtual draws of each later network and policy with the rated one before it.
    pub lineage_draws: f64,
}

impl Model {
    pub(crate) fn of_run() -> Self {
        let RatingOptions { draws, first_mover, prior_draws, lineage_draws, .. } =
            RatingOptions::of_run(None, Vec::new());
        let draws = match draws {
            Draws::Davidson => "davidson",
            Draws::HalfPoints => "half",
        };
        Self { draws, first_mover, prior_draws, lineage_draws }
    }
}

/// What was run, and with what.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RunFacts {
    /// Name of the run.
    pub name: String,
    /// The game with its parameters; empty before the first entry.
    pub game: String,
    /// Id of the encoding.
    pub encoding: String,
    /// The run's seed.
    pub seed: u64,
    /// Version of the program that began the run.
    pub version: String,
    /// Version of the run directory's format.
    pub format: u32,
    /// BLAKE3 of the newest effective configuration, hex.
    pub config_hash: String,
    /// Changed keys since the start, one line each.
    pub config_changes: Vec<String>,
    /// The effective configuration as TOML.
    pub config_toml: Option<String>,
    /// Wall clock of the first entry, milliseconds since 1970.
    pub started_unix_ms: u64,
    /// Wall clock of the newest entry.
    pub newest_unix_ms: u64,
    /// Entries of the ledger.
    pub entries: u64,
    /// The verdict of a finished run.
    pub finished: Option<String>,
}

/// One turn of the loop, as far as it got.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CycleFacts {
    /// Its number, from 1.
    pub cycle: u32,
    /// Generation of the champion that played its games.
    pub generation: Option<u32>,
    /// Its self-play.
    pub selfplay: Option<SelfplaySummary>,
    /// Window and rows.
    pub rows: Option<RowsSummary>,
    /// Its training.
    pub losses: Option<Losses>,
    /// Optimizer steps since the run began.
    pub step: Option<u64>,
    /// The network that it trained.
    pub network: Option<ObjectRef>,
    /// The gate match, in the candidate's view.
    pub gate: Option<GateFacts>,
    /// The gate's decision.
    pub verdict: Option<VerdictState>,
    /// Generation that its candidate became, if it was accepted.
    pub promoted: Option<u32>,
    /// Wall time of the cycle, once it is over.
    pub wall_ms: Option<u64>,
    /// Time of the gatekeeper, which plays gate and rating matches, once the cycle is over. Where
    /// stages take turns it is what the other stages leave of `wall_ms`. Where they work side by
    /// side the gatekeeper has measured it.
    pub matches_ms: Option<u64>,
    /// Time spent in cycles up to the end of this one, without pauses between processes. A cycle
    /// under way counts the stages that are over.
    pub elapsed_ms: u64,
    /// As `elapsed_ms`, without the time of the shuffler: what a rented device costs.
    pub device_ms: u64,
    /// Wall clock of its newest entry, milliseconds since 1970.
    pub newest_unix_ms: u64,
    /// What its games look like, where its shards are there.
    pub health: Option<Health>,
    /// Bytes that it published, by folder.
    pub bytes: BTreeMap<String, u64>,
    /// Numbers of the ledger's records that these facts are from, by kind of entry.
    pub records: BTreeMap<String, u64>,
}

/// A gate match.
#[derive(Clone, Debug, Serialize)]
pub struct GateFacts {
    /// The champion that the candidate played.
    pub opponent: String,
    /// The counts, in the candidate's view.
    pub result: MatchResult,
}

/// A rated player.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerFacts {
    /// Its name in matches.
    pub name: String,
    /// Its generation; none for an anchor and for a candidate that was refused.
    pub generation: Option<u32>,
    /// The cycle that trained it; none for an anchor.
    pub cycle: Option<u32>,
    /// The cycle whose candidate plays here by its raw policy, without a search; none for all
    /// others.
    pub policy_cycle: Option<u32>,
    /// Optimizer steps behind it; none for an anchor.
    pub step: Option<u64>,
    /// Elo on the anchors' scale.
    pub elo: f64,
    /// Half the width of its 95 % interval.
    pub error95: f64,
    /// The same, estimated from the scatter of pairs of games instead of the model. A bootstrap
    /// over opening pairs gives the same. None for the anchor at 0 Elo, and where there is no such
    /// anchor.
    pub error95_pairs: Option<f64>,
    /// Mean score over the games that ratings count, 0 to 1.
    pub score: f64,
    /// Games that ratings count: rating games and, where it counts, the final match.
    pub games: u64,
    /// What it has played.
    #[serde(flatten)]
    pub played: Played,
    /// Elo minus the newest champion's; none for that one and where there is none.
    pub behind: Option<f64>,
    /// Half the width of the 95 % interval of `behind`, from the joint covariance.
    pub behind_error95: Option<f64>,
    /// Probability of being stronger than the newest champion, 0 to 1.
    pub behind_los: Option<f64>,
}

impl PlayerFacts {
    /// Whether it is a fixed opponent.
    pub fn is_anchor(&self) -> bool {
        self.cycle.is_none() && self.policy_cycle.is_none()
    }
}

impl CycleFacts {
    /// Positions that a network evaluated in its self-play; generation 0 has none.
    pub(crate) fn network_evaluations(&self) -> u64 {
        let by_network = self.selfplay.as_ref().filter(|_| self.generation > Some(0));
        by_network.map_or(0, |s| s.evaluations)
    }

    /// Time of its stages that reported one.
    pub(crate) fn stages_ms(&self) -> u64 {
        let selfplay = self.selfplay.as_ref().map_or(0, |s| s.wall_ms);
        let rows = self.rows.as_ref().map_or(0, |r| r.wall_ms);
        let training = self.losses.as_ref().map_or(0, |l| l.wall_ms);
        selfplay + rows + training
    }
}

impl GateFacts {
    /// Wins, draws and losses of the candidate.
    pub(crate) fn record(&self) -> Wdl {
        let MatchResult { wins, draws, losses, .. } = self.result;
        Wdl { wins, draws, losses }
    }
}

/// The games of a player that ratings count. Repeated ones are left out of `wins`, `draws`,
/// `losses` and `by_first`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Played {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Wins, draws and losses of the games in which it moved first, and of those in which it moved
    /// second.
    pub by_first: [[u64; 3]; 2],
    /// Pairs (same opening, colours swapped) by its score: 0, 0.5, 1, 1.5, 2. Repeated games are
    /// among them.
    pub pairs: [u64; 5],
    /// Games that repeat an earlier one of their match.
    pub duplicates: u64,
    /// How many independent games, with the same wins, draws and losses, would give the same error
    /// as its pairs. An opening that favours one side makes the two games of a pair cancel each
    /// other's noise.
    pub effective_games: f64,
    /// Distance of its mean score from a half in standard deviations of a game, on the scale of
    /// normalised Elo, against the opponents that it had; none with fewer than two pairs.
    pub normalised_elo: Option<f64>,
    /// Half the width of the 95 % interval of `normalised_elo`.
    pub normalised_error95: Option<f64>,
    /// Mean Elo of its opponents, by games.
    pub opponents_elo: Option<f64>,
    /// Mean plies of a game; none in ledgers of earlier versions.
    pub plies_mean: Option<f64>,
    /// Games that the ply limit ended.
    pub adjudicated: u64,
    /// Games that another program lost by a crash, a time-out, an illegal move or by resigning.
    pub forfeits: u64,
}
