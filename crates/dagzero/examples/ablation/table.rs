//! The tables, in Markdown.

use dz_search::Budget;

use crate::{
    BUDGETS, CURVE, Kind, Measured, Position, at_evaluations,
    exam::Outcome,
    resample::{Interval, interval, mean},
};

/// A measure of move quality.
type Quality = fn(&Outcome) -> f64;

pub(crate) fn print(positions: &[Position], measured: &[Measured]) {
    let count = positions.len();
    let plies: usize = positions.iter().map(|position| position.moves.len()).sum();
    println!(
        "{count} non-trivial positions, {:.1} plies on average\n",
        plies as f64 / count as f64
    );
    every_search(count, measured);
    let qualities: [(&str, Quality); 2] = [
        ("value-preserving moves", |outcome| outcome.preserved),
        ("visits on value-preserving moves", |outcome| outcome.mass),
    ];
    for (name, quality) in qualities {
        saved(count, measured, name, quality);
    }
    stop_or_continue(count, measured);
}

fn every_search(count: usize, measured: &[Measured]) {
    println!("| search | budget | preserving | visits preserving | evaluations | distinct | cut |");
    println!("|---|---|---|---|---|---|---|");
    for Measured { kind, budget, outcomes } in measured {
        let of = |field: Quality| interval(count, |draw| mean(outcomes, draw, field));
        let (evaluations, distinct) = (of(|o| o.evaluations).value, of(|o| o.distinct).value);
        println!(
            "| {kind:?} | {} | {} | {} | {evaluations:.0} | {distinct:.0} | {:.0} |",
            name(*budget),
            percent(of(|o| o.preserved)),
            percent(of(|o| o.mass)),
            of(|o| o.cut).value,
        );
    }
    println!();
}

/// How many evaluations the tree needs for the graph's quality, and what share of them the graph
/// saves.
fn saved(count: usize, measured: &[Measured], name: &str, quality: Quality) {
    println!("Evaluations saved against the tree at equal {name}:\n");
    println!("| graph | playouts | saved | saved, tree with a cache of its own |");
    println!("|---|---|---|---|");
    let curve: Vec<&[Outcome]> = CURVE
        .iter()
        .map(|&playouts| find(measured, Kind::Tree, Budget::Playouts(playouts)))
        .collect();
    for kind in [Kind::Continue, Kind::Stop] {
        for playouts in BUDGETS {
            let graph = find(measured, kind, Budget::Playouts(playouts));
            let against = |cost: Quality| {
                interval(count, |draw| {
                    let points: Vec<(f64, f64)> = curve
                        .iter()
                        .map(|tree| (mean(tree, draw, quality), mean(tree, draw, cost)))
                        .collect();
                    let needed = cost_at(&points, mean(graph, draw, quality));
                    // The graph never evaluates a position twice.
                    1.0 - mean(graph, draw, |o| o.distinct) / needed
                })
            };
            let (plain, cached) = (against(|o| o.evaluations), against(|o| o.distinct));
            println!("| {kind:?} | {playouts} | {} | {} |", percent(plain), percent(cached));
        }
    }
    println!();
}

fn stop_or_continue(count: usize, measured: &[Measured]) {
    println!("At equal evaluations, difference in points of the share of preserving moves:\n");
    println!("| evaluations | stop - continue | continue - tree | stop - tree |");
    println!("|---|---|---|---|");
    for evaluations in BUDGETS {
        let of = |kind: Kind| find(measured, kind, at_evaluations(evaluations));
        let difference = |a: Kind, b: Kind| {
            let (a, b) = (of(a), of(b));
            let quality: Quality = |outcome| outcome.preserved;
            percent(interval(count, |draw| mean(a, draw, quality) - mean(b, draw, quality)))
        };
        println!(
            "| {evaluations} | {} | {} | {} |",
            difference(Kind::Stop, Kind::Continue),
            difference(Kind::Continue, Kind::Tree),
            difference(Kind::Stop, Kind::Tree),
        );
    }
}

/// The cost at which a curve of (quality, cost) reaches a quality: straight lines over the
/// logarithm of the cost, the first crossing; beyond its ends the last line goes on.
fn cost_at(points: &[(f64, f64)], quality: f64) -> f64 {
    let last = points.len() - 2;
    for (place, pair) in points.windows(2).enumerate() {
        let ((q0, c0), (q1, c1)) = (pair[0], pair[1]);
        if (q1 >= quality || place == last) && q1 != q0 {
            return (c0.ln() + (quality - q0) / (q1 - q0) * (c1.ln() - c0.ln())).exp();
        }
    }
    f64::NAN
}

fn find(measured: &[Measured], kind: Kind, budget: Budget) -> &[Outcome] {
    let found = measured.iter().find(|m| m.kind == kind && m.budget == budget);
    &found.expect("it was planned").outcomes
}

fn name(budget: Budget) -> String {
    match budget {
        Budget::Evaluations { evaluations, .. } => format!("{evaluations} evaluations"),
        Budget::Playouts(playouts) => format!("{playouts} playouts"),
        Budget::Visits(visits) => format!("{visits} visits"),
        Budget::Open => "none".to_owned(),
    }
}

fn percent(interval: Interval) -> String {
    let [value, lo, hi] = [interval.value, interval.lo95, interval.hi95].map(|share| 100.0 * share);
    format!("{value:.1} % ({lo:.1} to {hi:.1})")
}
