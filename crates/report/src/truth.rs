//! Figures of solved positions.

use dz_play::TruthAtPly;

use crate::chart::{Axis, Chart, CurveStyle, Point};
use crate::figures::{chart, line};
use crate::palette::Colour;
use crate::report::Report;

/// Positions behind a point by ply: fewer would show chance.
const POSITIONS_MIN: u64 = 12;

/// Value-preserving moves of the candidates where the game is solved, by cycle.
pub(crate) fn truth(report: &Report) -> Chart {
    let curves = truth_kinds(report).map(|(playouts, colour)| {
        let lines = report.measures.truth.iter().filter(|line| line.truth_playouts == playouts);
        let points = lines.map(|line| {
            let found = dz_stats::wilson(line.nontrivial_preserving, line.nontrivial);
            Point {
                x: f64::from(line.cycle),
                y: 100.0 * found.share,
                interval: Some((100.0 * found.lo95, 100.0 * found.hi95)),
                hollow: false,
            }
        });
        line(&thinking(playouts), colour, CurveStyle::Band, points.collect())
    });
    let axis =
        Axis { label: "non-trivial positions (%)".to_owned(), whole: false, include: Some(100.0) };
    chart("Moves that keep the solved value", "measures.truth", axis, curves.collect())
}

/// How often the candidates' values are right where the game is solved, by cycle.
pub(crate) fn truth_value(report: &Report) -> Chart {
    let of = |playouts: u32| {
        let lines = report.measures.truth.iter().filter(move |l| l.truth_playouts == playouts);
        lines.filter_map(|line| {
            let found = dz_stats::wilson(line.value_right?, line.positions);
            Some(Point {
                x: f64::from(line.cycle),
                y: 100.0 * found.share,
                interval: Some((100.0 * found.lo95, 100.0 * found.hi95)),
                hollow: false,
            })
        })
    };
    let curves = truth_kinds(report).map(|(playouts, colour)| {
        line(&thinking(playouts), colour, CurveStyle::Band, of(playouts).collect())
    });
    let axis = Axis { label: "all positions (%)".to_owned(), whole: false, include: Some(100.0) };
    chart("Values with the true outcome", "measures.truth", axis, curves.collect())
}

/// Every kind of thinking in the lines of solved positions, with its colour.
fn truth_kinds(report: &Report) -> impl Iterator<Item = (u32, Colour)> {
    let mut kinds: Vec<u32> = report.measures.truth.iter().map(|l| l.truth_playouts).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let colours = [Colour::Orange, Colour::Blue, Colour::Teal, Colour::Purple];
    kinds.into_iter().zip(colours.into_iter().cycle())
}

/// Value-preserving moves of the newest candidate, by ply.
pub(crate) fn truth_by_ply(report: &Report) -> Chart {
    let newest = report.measures.truth.iter().map(|line| line.cycle).max();
    let lines = report.measures.truth.iter().filter(|line| Some(line.cycle) == newest);
    let colours = truth_kinds(report).collect::<Vec<_>>();
    let curves = lines.map(|facts| {
        let of = |kind: &&(u32, Colour)| kind.0 == facts.truth_playouts;
        let colour = colours.iter().find(of).map_or(Colour::Ink, |&(_, colour)| colour);
        let points = stretches(&facts.by_ply).into_iter().map(|(ply, positions, preserving)| {
            let found = dz_stats::wilson(preserving, positions);
            let interval = Some((100.0 * found.lo95, 100.0 * found.hi95));
            Point { x: ply, y: 100.0 * found.share, interval, hollow: false }
        });
        line(&thinking(facts.truth_playouts), colour, CurveStyle::Band, points.collect())
    });
    let axis =
        Axis { label: "non-trivial positions (%)".to_owned(), whole: false, include: Some(100.0) };
    let title = newest
        .map_or(String::new(), |cycle| format!("Moves that keep the value, by ply, cycle {cycle}"));
    let x = Axis { label: "plies from the start".to_owned(), whole: true, include: None };
    Chart { x, ..chart(&title, "measures.truth.by_ply", axis, curves.collect()) }
}

fn thinking(playouts: u32) -> String {
    if playouts == 0 { "raw policy".to_owned() } else { format!("{playouts} playouts") }
}

/// Neighbouring plies taken together until they have [`POSITIONS_MIN`] positions: mean ply,
/// positions, those in which the move keeps the value. What is left at the end goes to the last
/// stretch.
fn stretches(by_ply: &[TruthAtPly]) -> Vec<(f64, u64, u64)> {
    let mut stretches: Vec<(u64, u64, u64)> = Vec::new();
    for at in by_ply {
        let full = stretches.last().is_none_or(|last| last.1 >= POSITIONS_MIN);
        if full {
            stretches.push((0, 0, 0));
        }
        let Some(last) = stretches.last_mut() else { break };
        last.0 += u64::from(at.ply) * at.positions;
        last.1 += at.positions;
        last.2 += at.preserving;
    }
    if let Some(short) = stretches.pop_if(|last| last.1 < POSITIONS_MIN) {
        match stretches.last_mut() {
            Some(last) => *last = (last.0 + short.0, last.1 + short.1, last.2 + short.2),
            None => stretches.push(short),
        }
    }
    let mean = |&(plies, positions, preserving): &(u64, u64, u64)| {
        (positions > 0).then(|| (plies as f64 / positions as f64, positions, preserving))
    };
    stretches.iter().filter_map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_positions_are_taken_together() {
        let at = |ply, positions, preserving| TruthAtPly { ply, positions, preserving };
        let plies = [at(4, 6, 3), at(5, 6, 6), at(6, 20, 10), at(7, 3, 0)];
        assert_eq!(stretches(&plies), [(4.5, 12, 9), (141.0 / 23.0, 23, 10)]);
        assert_eq!(stretches(&plies[3..]), [(7.0, 3, 0)]);
        assert!(stretches(&[at(1, 0, 0)]).is_empty());
    }
}
