//! What runs of a preset have reached before: the band behind a report's curve.

use dz_store::{Run, layout};
use serde::{Deserialize, Serialize};

use crate::curve::CurvePoint;
use crate::facts::Report;

/// Finished runs of one preset, summed up. `configs/NAME.expected.json` holds one, and a run keeps
/// a copy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Where they were made; times are this machine's.
    pub machine: String,
    /// Their seeds.
    pub seeds: Vec<u64>,
    /// Their game.
    pub game: String,
    /// The anchor at 0 Elo.
    pub anchor: String,
    /// By generation.
    pub points: Vec<ExpectedPoint>,
}

/// Where champions of one generation were: means of what was spent, and the lowest and highest end
/// of the 95 % intervals of their Elo.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedPoint {
    /// The generation.
    pub generation: u32,
    /// As [`CurvePoint::running_ms`].
    pub running_ms: u64,
    /// As [`CurvePoint::device_ms`].
    pub device_ms: u64,
    /// As [`CurvePoint::games`].
    pub games: u64,
    /// As [`CurvePoint::rows`].
    pub rows: u64,
    /// As [`CurvePoint::evaluations`].
    pub evaluations: u64,
    /// Lower end.
    pub elo_lo: f64,
    /// Upper end.
    pub elo_hi: f64,
}

impl Expected {
    /// The file of these runs; generations that not all of them have are left out. `None` without
    /// runs, and where games or anchors at 0 Elo differ.
    pub fn of(machine: &str, runs: &[Report]) -> Option<Self> {
        let first = runs.first()?;
        let anchor = first.zero_anchor()?.name.clone();
        let same = |run: &Report| {
            let zero = run.zero_anchor().map(|zero| zero.name.as_str());
            run.run.game == first.run.game && zero == Some(anchor.as_str())
        };
        if !runs.iter().all(same) {
            return None;
        }
        let point = |generation: u32| {
            let of = |run: &Report| run.curve.iter().find(|p| p.generation == generation).cloned();
            let points: Vec<CurvePoint> = runs.iter().map(of).collect::<Option<_>>()?;
            let mean = |of: fn(&CurvePoint) -> u64| {
                points.iter().map(of).sum::<u64>() / points.len() as u64
            };
            let ends = |sign: f64| points.iter().map(move |p| p.elo + sign * p.error95);
            Some(ExpectedPoint {
                generation,
                running_ms: mean(|p| p.running_ms),
                device_ms: mean(|p| p.device_ms),
                games: mean(|p| p.games),
                rows: mean(|p| p.rows),
                evaluations: mean(|p| p.evaluations),
                elo_lo: ends(-1.0).fold(f64::INFINITY, f64::min).round(),
                elo_hi: ends(1.0).fold(f64::NEG_INFINITY, f64::max).round(),
            })
        };
        let points = first.curve.iter().filter_map(|p| point(p.generation)).collect();
        let seeds = runs.iter().map(|run| run.run.seed).collect();
        Some(Self {
            machine: machine.to_owned(),
            seeds,
            game: first.run.game.clone(),
            anchor,
            points,
        })
    }
}

impl Report {
    /// Reads what the run's preset is expected to reach, where the run keeps it.
    pub(crate) fn add_expected(&mut self, run: &Run) {
        let Ok(bytes) = run.read(layout::EXPECTED) else { return };
        let expected: Expected = match serde_json::from_slice(&bytes) {
            Ok(expected) => expected,
            Err(error) => {
                let why = format!("{} is not drawn: {error}.", layout::EXPECTED);
                return self.missing.push(why);
            }
        };
        let zero = self.zero_anchor().map(|zero| zero.name.as_str());
        let fits = expected.game == self.run.game && zero == Some(expected.anchor.as_str());
        if !self.run.config_changes.is_empty() {
            let what = "The preset's expected band is not drawn: the configuration was changed.";
            self.missing.push(what.to_owned());
        } else if fits {
            self.expected = Some(expected);
        }
    }
}
