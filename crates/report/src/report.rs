//! The report: plain data, folded from the ledger and embedded in the page as JSON.

use dz_config::RunConfig;
use dz_stats::{Difference, Elo, Z95, normal_cdf};
use dz_store::RunState;
use serde::Serialize;

use crate::alarms::Finding;
use crate::curve::{CurvePoint, Marker};
use crate::expected_points::Expected;
use crate::facts::{CycleFacts, Model, PlayerFacts, RunFacts};
use crate::final_match::FinalFacts;
use crate::measures::Measures;
use crate::pairings::Pairing;
use crate::played::Matches;
use crate::scale::Scale;

/// A run, as its ledger and its files show it.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What was run.
    pub run: RunFacts,
    /// Every cycle begun, ascending.
    pub cycles: Vec<CycleFacts>,
    /// Ratings of the champions with the effort spent until then, by generation.
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
    /// Games of every two players that ratings count, beside what their ratings expect.
    pub pairings: Vec<Pairing>,
    /// How ratings are fitted.
    pub model: Model,
    /// The final match of the champion, once it is played.
    pub final_match: Option<FinalFacts>,
    /// What runs of its preset have reached, where somebody has measured it.
    pub expected: Option<Expected>,
    /// What was measured beside the ledger.
    pub measures: Measures,
    /// What the run lacks that a reader would look for, a sentence each.
    pub missing: Vec<String>,
    /// Findings of all checks, the worst first. Empty where only the ledger was read.
    pub findings: Vec<Finding>,
    /// Other runs, drawn over this one.
    pub compared: Vec<Compared>,
    /// Errors of differences between players.
    #[serde(skip)]
    pub(crate) scale: Scale,
    /// Matches that ratings count, of every two players.
    #[serde(skip)]
    pub(crate) rated_matches: Matches,
    /// The fold of the ledger.
    #[serde(skip)]
    pub(crate) state: RunState,
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

/// An earlier champion counts as stronger if luck alone would give as large a loss with a lower
/// probability than this: half of 5 %, since the test is one-sided.
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

    /// The anchor at 0 Elo: the best-connected one ([`dz_store::best_connected`]).
    pub fn zero_anchor(&self) -> Option<&PlayerFacts> {
        self.players.iter().find(|player| player.is_anchor() && player.error95 == 0.0)
    }

    /// Whether an anchor's height belongs into a chart whose curves lie between `low` and `high`
    /// Elo: the one at 0 always does, others only within, since one that every network beats would
    /// press the curve flat.
    pub(crate) fn is_drawn(anchor: &PlayerFacts, low: f64, high: f64) -> bool {
        anchor.error95 == 0.0 || (low..=high).contains(&anchor.elo)
    }

    /// The curve with `anchor` at 0 Elo; `None` where nobody is called so.
    pub(crate) fn curve_above(&self, anchor: &str) -> Option<Vec<CurvePoint>> {
        let zero = self.players.iter().find(|player| player.name == anchor)?;
        let moved = |point: &CurvePoint| {
            let champion = self.players.iter().find(|p| p.cycle == Some(point.cycle))?;
            let gain = self.gain(champion, zero);
            Some(CurvePoint { elo: gain.elo.0, error95: gain.error95.0, ..point.clone() })
        };
        self.curve.iter().map(moved).collect()
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
        let elo = one.elo - other.elo;
        let error95 = self.scale.error95(one, other);
        let sd = error95.0 / Z95;
        let los = if sd > 0.0 { normal_cdf(elo / sd) } else { 0.5 };
        Difference { elo: Elo(elo), error95, los }
    }

    /// The probability that luck alone rates one of the earlier champions as far above the newest
    /// one as the best of them is. This is Bonferroni's bound, because the best of many ratings is
    /// high by chance.
    pub(crate) fn luck(&self, best: &PlayerFacts, newest: &PlayerFacts) -> f64 {
        let earlier = self.champions().len().saturating_sub(1).max(1);
        (earlier as f64 * (1.0 - self.gain(best, newest).los)).min(1.0)
    }

    /// The facts of a cycle.
    pub(crate) fn cycle(&self, cycle: u32) -> Option<&CycleFacts> {
        self.cycles.iter().find(|facts| facts.cycle == cycle)
    }
}

/// Another run.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// Its game.
    pub game: String,
    /// Its champions.
    pub curve: Vec<CurvePoint>,
    /// Anchors of both runs: name, Elo in this report's run, Elo in the other.
    pub anchors: Vec<(String, f64, f64)>,
    /// Why it is not drawn; none where it is.
    pub refused: Option<String>,
}
