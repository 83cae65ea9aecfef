//! What runs of a preset have reached before: the band behind a report's curve.

use dz_store::{Run, layout};

use crate::curve::CurvePoint;
use crate::expected_points::{Expected, ExpectedPoint};
use crate::report::Report;

impl Expected {
    /// Sums up these runs, without generations that some of them lack. `None` if there are no runs,
    /// or if their games or anchors at 0 Elo differ.
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
