//! What runs of a preset have reached before: the band behind a report's curve.

use dz_store::{Run, layout};

use crate::curve::CurvePoint;
use crate::expected_points::{Expected, ExpectedPoint};
use crate::report::Report;

impl Expected {
    /// Sums up these runs, without generations that some of them lack. Elo is measured against
    /// `anchor`. `None` if there are no runs, if their games differ, or if one of them has not met
    /// the anchor.
    pub fn of(machine: &str, anchor: &str, runs: &[Report]) -> Option<Self> {
        let first = runs.first()?;
        if runs.iter().any(|run| run.run.game != first.run.game) {
            return None;
        }
        let curves: Vec<Vec<CurvePoint>> =
            runs.iter().map(|run| run.curve_above(anchor)).collect::<Option<_>>()?;
        let point = |generation: u32| {
            let of = |curve: &Vec<CurvePoint>| {
                curve.iter().find(|point| point.generation == generation).cloned()
            };
            let points: Vec<CurvePoint> = curves.iter().map(of).collect::<Option<_>>()?;
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
            anchor: anchor.to_owned(),
            points,
        })
    }

    /// The same on a scale where its anchor is at `elo` and `zero` is at 0.
    fn moved(self, elo: f64, zero: &str) -> Self {
        let moved = |point: ExpectedPoint| ExpectedPoint {
            elo_lo: point.elo_lo + elo,
            elo_hi: point.elo_hi + elo,
            ..point
        };
        let points = self.points.into_iter().map(moved).collect();
        Self { anchor: zero.to_owned(), points, ..self }
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
        let zero = self.zero_anchor();
        let anchor = self.anchors().into_iter().find(|anchor| anchor.name == expected.anchor);
        let fits = expected.game == self.run.game;
        if !self.run.config_changes.is_empty() {
            let what = "The preset's expected band is not drawn: the configuration was changed.";
            self.missing.push(what.to_owned());
        } else if let (true, Some(zero), Some(anchor)) = (fits, zero, anchor) {
            self.expected = Some(expected.moved(anchor.elo, &zero.name));
        } else if fits && zero.is_some() {
            let anchor = &expected.anchor;
            self.missing.push(format!(
                "The preset's expected band is not drawn yet: it is above {anchor}, which no \
                 network has met."
            ));
        }
    }
}
