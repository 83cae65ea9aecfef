//! What a report knows: plain data, folded from the ledger and embedded in the page as JSON.

use std::collections::BTreeMap;

use dz_config::RunConfig;
use dz_stats::{Difference, Draws, Elo, RatingOptions, Record as Wdl, Z95, normal_cdf};
use dz_store::{GateTest, Losses, MatchResult, ObjectRef, RowsSummary, SelfplaySummary};
use serde::Serialize;

use crate::alarms::Finding;
use crate::compare::Compared;
use crate::curve::{CurvePoint, Marker};
use crate::expected::Expected;
use crate::fold::Files;
use crate::measures::{Health, Measures};
use crate::pairings::Pairing;
use crate::played::{Matches, Played};
use crate::scale::Scale;

/// A run, as its ledger tells it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What was run.
    pub run: RunFacts,
    /// Every cycle begun, ascending.
    pub cycles: Vec<CycleFacts>,
    /// Ratings of the champions with what had been spent until then, by generation.
    pub curve: Vec<CurvePoint>,
    /// Half the width of the 95 % interval of how far the curve as a whole lies above the anchor at
    /// 0.
    pub curve_error95: Option<f64>,
    /// What happened on the way that may bend the curve.
    pub markers: Vec<Marker>,
    /// Every rated player, strongest first; from the newest fit, which rates all of them anew.
    pub players: Vec<PlayerFacts>,
    /// Advantage of moving first in the newest fit, in Elo.
    pub first_mover_elo: Option<f64>,
    /// Probability of a draw between equal players in the newest fit, 0 to 1.
    pub draw_rate: Option<f64>,
    /// Rating games of every two players, beside what their ratings expect.
    pub pairings: Vec<Pairing>,
    /// How ratings are fitted.
    pub model: Model,
    /// What runs of its preset have reached, where somebody has measured it.
    pub expected: Option<Expected>,
    /// What was measured beside the ledger.
    pub measures: Measures,
    /// What a reader would look for and the run does not have, a sentence each.
    pub missing: Vec<String>,
    /// What goes wrong in silence, and what does not: the worst first. Empty where only the ledger
    /// was read.
    pub findings: Vec<Finding>,
    /// Other runs, drawn over this one.
    pub compared: Vec<Compared>,
    /// Errors of differences between players.
    #[serde(skip)]
    pub(crate) scale: Scale,
    /// Rating matches of every two players.
    #[serde(skip)]
    pub(crate) rating_matches: Matches,
    /// Files to look into.
    #[serde(skip)]
    pub(crate) files: Files,
}

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

/// What the ledger does not say.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunContext<'a> {
    /// The run's name: that of its directory.
    pub name: &'a str,
    /// The effective configuration as TOML, where it can be read.
    pub config_toml: Option<&'a str>,
    /// The same, read.
    pub config: Option<&'a RunConfig>,
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
    pub verdict: Option<VerdictFacts>,
    /// Generation that its candidate became, if it was accepted.
    pub promoted: Option<u32>,
    /// Wall time of the cycle, once it is over.
    pub wall_ms: Option<u64>,
    /// Time of its gate and rating matches and of what else the gatekeeper does, once it is over:
    /// what its stages leave of `wall_ms`, or, where stages work side by side, what the gatekeeper
    /// timed.
    pub matches_ms: Option<u64>,
    /// Time spent in cycles up to the end of this one, pauses between processes left out; of a
    /// cycle under way, its stages so far.
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

/// A gate's decision.
#[derive(Clone, Debug, Serialize)]
pub struct VerdictFacts {
    /// The rule.
    pub rule: String,
    /// Whether the candidate became champion.
    pub accepted: bool,
    /// Why.
    pub reason: String,
    /// Candidate's mean score, 0 to 1.
    pub score: Option<f64>,
    /// Lower end of its 95 % interval.
    pub score_lo95: Option<f64>,
    /// Upper end of its 95 % interval.
    pub score_hi95: Option<f64>,
    /// The test, where the rule is one.
    pub test: Option<GateTest>,
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
    /// The same from the scatter of the pairs of games instead of the model's: what a bootstrap
    /// over opening pairs comes to. None for the anchor at 0 Elo and where there is none.
    pub error95_pairs: Option<f64>,
    /// Mean score over its rating games, 0 to 1.
    pub score: f64,
    /// Rating games.
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

/// Chance of as large a loss by luck alone below which an earlier champion counts as stronger: half
/// of 5 %, since only one side is looked at.
pub(crate) const FORGOTTEN: f64 = 0.025;

impl Report {
    /// The newest champion that has a rating.
    pub fn champion(&self) -> Option<&PlayerFacts> {
        self.champions().into_iter().next_back()
    }

    /// Rated champions, by generation.
    pub(crate) fn champions(&self) -> Vec<&PlayerFacts> {
        let mut champions: Vec<&PlayerFacts> =
            self.players.iter().filter(|player| player.generation.is_some()).collect();
        champions.sort_by_key(|player| player.generation);
        champions
    }

    /// The fixed opponents, strongest first.
    pub(crate) fn anchors(&self) -> Vec<&PlayerFacts> {
        self.players.iter().filter(|player| player.is_anchor()).collect()
    }

    /// The anchor at 0 Elo.
    pub(crate) fn zero_anchor(&self) -> Option<&PlayerFacts> {
        self.players.iter().find(|player| player.is_anchor() && player.error95 == 0.0)
    }

    /// The champion with the highest rating.
    pub(crate) fn strongest(&self) -> Option<&PlayerFacts> {
        self.players.iter().find(|player| player.generation.is_some())
    }

    /// The number of the newest champion, 0 before the first.
    pub fn generation(&self) -> u32 {
        self.cycles.iter().filter_map(|cycle| cycle.promoted).max().unwrap_or(0)
    }

    /// How far `one` is above `other`, by the ratings and the joint errors of all games.
    pub(crate) fn gain(&self, one: &PlayerFacts, other: &PlayerFacts) -> Difference {
        let (elo, error95) = (one.elo - other.elo, self.scale.error95(one, other));
        let sd = error95.0 / Z95;
        let los = if sd > 0.0 { normal_cdf(elo / sd) } else { 0.5 };
        Difference { elo: Elo(elo), error95, los }
    }

    /// How likely luck alone would have one of the earlier champions rated as far above the newest
    /// as the best of them is: Bonferroni's bound, for the best of a thousand ratings is high by
    /// chance.
    pub(crate) fn luck(&self, best: &PlayerFacts, newest: &PlayerFacts) -> f64 {
        let earlier = self.champions().len().saturating_sub(1).max(1);
        (earlier as f64 * (1.0 - self.gain(best, newest).los)).min(1.0)
    }

    /// The facts of a cycle.
    pub(crate) fn cycle(&self, cycle: u32) -> Option<&CycleFacts> {
        self.cycles.iter().find(|facts| facts.cycle == cycle)
    }
}
