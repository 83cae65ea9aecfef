//! The curve of the champions' ratings, and what happened beside it.

use std::collections::BTreeMap;

use dz_store::ConfigChange;
use serde::Serialize;

use crate::count;
use crate::facts::{CycleFacts, PlayerFacts};
use crate::played::Matches;

/// A champion's rating and all that had been spent when its cycle ended.
#[derive(Clone, Debug, Serialize)]
pub struct CurvePoint {
    /// Its generation.
    pub generation: u32,
    /// The cycle that trained it.
    pub cycle: u32,
    /// Elo on the anchors' scale.
    pub elo: f64,
    /// Half the width of its 95 % interval, above whoever is at 0.
    pub error95: f64,
    /// The same for its distance from the mean of the curve. This leaves out the error that all
    /// points share, which is that of the distance between the whole curve and the anchor. Equals
    /// `error95` where the fit does not give it.
    pub error95_within: f64,
    /// Fewer than [`LATER_OPPONENTS_MIN`] later networks have played it, so its rating will move.
    pub preliminary: bool,
    /// Time spent in cycles, pauses left out.
    pub running_ms: u64,
    /// The same without the shuffler's time, in which the device is idle.
    pub device_ms: u64,
    /// Self-play games.
    pub games: u64,
    /// Rows trained on, each time that one was used.
    pub rows: u64,
    /// Positions that networks evaluated in self-play; rollouts of generation 0 are none.
    pub evaluations: u64,
}

/// A rating is drawn as preliminary until so many later networks have played it. Lc0's ratings by
/// Ordo wait for ten, but a run here may have one neighbour a cycle.
pub const LATER_OPPONENTS_MIN: usize = 1;

/// Something that happened in a cycle.
#[derive(Clone, Debug, Serialize)]
pub struct Marker {
    /// The cycle in which, or after which, it happened; 0 before the first.
    pub cycle: u32,
    /// What kind of thing.
    pub kind: MarkerKind,
    /// What happened, for people.
    pub text: String,
}

/// Kinds of [`Marker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkerKind {
    /// The gate refused the cycle's candidate.
    Refused,
    /// The learning rate fell to half that of the cycle before, or less.
    LearningRate,
    /// The run went on under another configuration.
    Configuration,
}

/// A learning rate of at most this share of the previous one is a drop. Schedules that fall slowly
/// have none.
const DROP: f64 = 0.5;

/// The champions' points, by generation.
pub(crate) fn curve(
    cycles: &[CycleFacts],
    players: &[PlayerFacts],
    matches: &Matches,
) -> Vec<CurvePoint> {
    let cycle_of: BTreeMap<&str, u32> =
        players.iter().filter_map(|player| Some((player.name.as_str(), player.cycle?))).collect();
    let mut later: BTreeMap<u32, usize> = BTreeMap::new();
    for (a, b) in matches.keys() {
        if let (Some(a), Some(b)) = (cycle_of.get(a.as_str()), cycle_of.get(b.as_str())) {
            *later.entry(*a.min(b)).or_default() += 1;
        }
    }
    let by_cycle: BTreeMap<u32, &PlayerFacts> =
        players.iter().filter_map(|player| Some((player.cycle?, player))).collect();
    let mut games = 0;
    let mut rows = 0;
    let mut evaluations = 0;
    let mut points = Vec::new();
    for facts in cycles {
        games += facts.selfplay.as_ref().map_or(0, |s| s.games);
        evaluations += facts.network_evaluations();
        rows += facts.losses.as_ref().map_or(0, |l| l.rows);
        let Some(player) = by_cycle.get(&facts.cycle) else { continue };
        let Some(generation) = player.generation else { continue };
        points.push(CurvePoint {
            generation,
            cycle: facts.cycle,
            elo: player.elo,
            error95: player.error95,
            error95_within: player.error95,
            preliminary: later.get(&facts.cycle).copied().unwrap_or(0) < LATER_OPPONENTS_MIN,
            running_ms: facts.elapsed_ms,
            device_ms: facts.device_ms,
            games,
            rows,
            evaluations,
        });
    }
    points
}

/// Refusals, drops of the learning rate and changes of the configuration, by cycle.
pub(crate) fn markers(cycles: &[CycleFacts], changes: &[ConfigChange]) -> Vec<Marker> {
    let mut markers: Vec<Marker> = changes
        .iter()
        .map(|change| Marker {
            cycle: change.cycle.unwrap_or(0),
            kind: MarkerKind::Configuration,
            text: change.text.clone(),
        })
        .collect();
    let mut before: Option<f64> = None;
    for facts in cycles {
        let cycle = facts.cycle;
        if let Some(verdict) = facts.verdict.as_ref().filter(|verdict| !verdict.accepted) {
            let text = verdict.reason.clone();
            markers.push(Marker { cycle, kind: MarkerKind::Refused, text });
        }
        let Some(losses) = &facts.losses else { continue };
        if let Some(old) = before.filter(|old| losses.learning_rate <= DROP * old) {
            let text = format!(
                "learning rate {} to {}",
                count::learning_rate(old),
                count::learning_rate(losses.learning_rate)
            );
            markers.push(Marker { cycle, kind: MarkerKind::LearningRate, text });
        }
        before = Some(losses.learning_rate);
    }
    markers.sort_by_key(|marker| marker.cycle);
    markers
}
