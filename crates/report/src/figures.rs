//! The figures of a report, all but the curve of ratings and those of solved positions.

use std::collections::BTreeSet;

use dz_config::{RunConfig, ValueLoss};
use dz_store::HeadLoss;

use crate::chart::{Axis, Chart, Curve, CurveStyle, Level, Point};
use crate::facts::CycleFacts;
use crate::palette::Colour;
use crate::report::Report;

/// The candidates' scores in the gate.
pub(crate) fn gate(report: &Report) -> Chart {
    let of = |accepted: bool| {
        report
            .cycles
            .iter()
            .filter_map(|facts| {
                let verdict = facts.verdict.as_ref().filter(|v| v.accepted == accepted)?;
                let interval = verdict.score_lo95.zip(verdict.score_hi95);
                let x = f64::from(facts.cycle);
                let y = verdict.score?;
                Some(Point { x, y, interval, hollow: false })
            })
            .collect()
    };
    let axis = share("score, 0 to 1");
    let curves = vec![
        line("accepted, 95 % interval", Colour::Green, CurveStyle::Bars, of(true)),
        line("refused", Colour::Red, CurveStyle::Bars, of(false)),
    ];
    let levels = vec![Level { name: "even".to_owned(), height: 0.5, colour: Colour::Muted }];
    Chart { levels, ..chart("Score of each candidate in its gate", "cycles.verdict", axis, curves) }
}

/// The newest gates pair by pair: the log-likelihood ratio of a test, or else the mean score.
pub(crate) fn traces(report: &Report) -> Chart {
    const COLOURS: [Colour; 6] =
        [Colour::Muted, Colour::Purple, Colour::Teal, Colour::Green, Colour::Orange, Colour::Blue];
    let traces = &report.measures.traces;
    let tested = traces.iter().any(|trace| !trace.llr.is_empty());
    // The newest gate has the strongest colour, however many there are.
    let skip = COLOURS.len().saturating_sub(traces.len());
    let curves = traces.iter().zip(COLOURS.iter().skip(skip)).map(|(trace, &colour)| {
        let values = if tested { &trace.llr } else { &trace.score };
        let points = values.iter().enumerate();
        let points = points.map(|(pair, &y)| Point::at((pair + 1) as f64, y)).collect();
        line(&format!("cycle {}", trace.cycle), colour, CurveStyle::Plain, points)
    });
    let curves: Vec<Curve> = curves.collect();
    let level = |name: &str, height, colour| Level { name: name.to_owned(), height, colour };
    let (title, axis, levels) = if tested {
        let bounds = traces.iter().rev().find_map(|trace| trace.bounds);
        let levels = bounds.map(|[lower, upper]| {
            vec![level("accepts", upper, Colour::Green), level("refuses", lower, Colour::Red)]
        });
        let axis =
            Axis { label: "log-likelihood ratio".to_owned(), whole: false, include: Some(0.0) };
        ("The newest gates' tests, pair by pair", axis, levels.unwrap_or_default())
    } else {
        let levels = vec![level("even", 0.5, Colour::Muted)];
        ("The newest gates' mean score, pair by pair", share("mean score so far"), levels)
    };
    let x = Axis { label: "pairs of games".to_owned(), whole: true, include: None };
    Chart { x, levels, ..chart(title, "measures.traces", axis, curves) }
}

/// Which part of the loss.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LossPart {
    Policy,
    Value,
}

/// Losses on training and validation rows.
pub(crate) fn losses(report: &Report, part: LossPart) -> Chart {
    let train = over_cycles(report, |facts| {
        let losses = facts.losses.as_ref()?;
        Some(if part == LossPart::Policy { losses.policy } else { losses.value })
    });
    let validation = over_cycles(report, |facts| {
        let losses = facts.losses.as_ref()?;
        if part == LossPart::Policy { losses.validation_policy } else { losses.validation_value }
    });
    let (title, colour) = match part {
        LossPart::Policy => ("Policy loss", Colour::Blue),
        LossPart::Value => ("Value loss", Colour::Orange),
    };
    chart(
        title,
        "cycles.losses",
        if part == LossPart::Policy { nats() } else { value_unit(report) },
        vec![
            line("training rows", colour, CurveStyle::Solid, train),
            line("validation rows", Colour::Ink, CurveStyle::Dashed, validation),
        ],
    )
}

/// Losses of the auxiliary heads by cycle; `None` where the network has none.
pub(crate) fn heads(report: &Report) -> Option<Chart> {
    const COLOURS: [Colour; 6] =
        [Colour::Blue, Colour::Orange, Colour::Green, Colour::Purple, Colour::Teal, Colour::Red];
    let losses = report.cycles.iter().filter_map(|facts| facts.losses.as_ref());
    let names: BTreeSet<&String> = losses.flat_map(|losses| losses.heads.keys()).collect();
    let of = |name: &String, value: fn(&HeadLoss) -> Option<f64>| {
        over_cycles(report, |facts| value(facts.losses.as_ref()?.heads.get(name)?))
    };
    let pair = |(name, colour): (&&String, &Colour)| {
        let training = of(name, |h| Some(h.training));
        let validation = of(name, |h| h.validation);
        [
            line(name, *colour, CurveStyle::Solid, training),
            line(&format!("{name}, validation rows"), *colour, CurveStyle::Dashed, validation),
        ]
    };
    let curves: Vec<Curve> = names.iter().zip(COLOURS.iter().cycle()).flat_map(pair).collect();
    let axis = Axis { label: "loss".to_owned(), whole: false, include: Some(0.0) };
    (!curves.is_empty()).then(|| {
        chart("Losses of the heads beside policy and value", "cycles.losses.heads", axis, curves)
    })
}

/// Losses step by step, with the entropy of the policy's targets, below which its loss cannot fall.
pub(crate) fn steps(report: &Report) -> Chart {
    let of = |value: fn(&crate::measures::StepPoint) -> f64| {
        let points = report.measures.steps.iter();
        points.map(|point| Point::at(point.step as f64, value(point))).collect()
    };
    let curves = vec![
        line("policy", Colour::Blue, CurveStyle::Plain, of(|p| p.policy_loss)),
        line(
            "entropy of policy targets",
            Colour::Teal,
            CurveStyle::Plain,
            of(|p| p.policy_entropy),
        ),
        line("value", Colour::Orange, CurveStyle::Plain, of(|p| p.value_loss)),
    ];
    let x = Axis { label: "step".to_owned(), whole: true, include: None };
    let y = value_unit(report);
    Chart { x, ..chart("Losses by step, on training rows", "measures.steps", y, curves) }
}

/// How self-play games ended.
pub(crate) fn results(report: &Report) -> Chart {
    let of = |count: fn(&dz_store::SelfplaySummary) -> u64| {
        over_cycles(report, |facts| {
            let summary = facts.selfplay.as_ref().filter(|s| s.games > 0)?;
            Some(100.0 * count(summary) as f64 / summary.games as f64)
        })
    };
    let axis = Axis { label: "share of games (%)".to_owned(), whole: false, include: Some(0.0) };
    chart(
        "Results of self-play games",
        "cycles.selfplay",
        axis,
        vec![
            line("first player won", Colour::Blue, CurveStyle::Solid, of(|s| s.wins_first)),
            line("drawn", Colour::Green, CurveStyle::Solid, of(|s| s.draws)),
            line("second player won", Colour::Orange, CurveStyle::Solid, of(|s| s.wins_second)),
        ],
    )
}

/// Length of self-play games: the mean, and the middle eight tenths where shards were read.
pub(crate) fn plies(report: &Report) -> Chart {
    let points = report.cycles.iter().filter_map(|facts| {
        let y = facts.selfplay.as_ref()?.plies_mean;
        let health = facts.health.as_ref();
        let interval = health.map(|h| (f64::from(h.plies_p10), f64::from(h.plies_p90)));
        Some(Point { x: f64::from(facts.cycle), y, interval, hollow: false })
    });
    let axis = Axis { label: "length (plies)".to_owned(), whole: false, include: None };
    let known = report.cycles.iter().any(|facts| facts.health.is_some());
    let name = if known { "mean; band: all but the shortest and longest tenth" } else { "mean" };
    let style = if known { CurveStyle::Band } else { CurveStyle::Solid };
    let curve = line(name, Colour::Blue, style, points.collect());
    chart("Length of self-play games", "cycles.health", axis, vec![curve])
}

/// How sure the searches of self-play are, and how wrong.
pub(crate) fn surprise(report: &Report) -> Chart {
    let of = |value: fn(&crate::measures::Health) -> f64| {
        over_cycles(report, |facts| Some(value(facts.health.as_ref()?)))
    };
    let curves = vec![
        line(
            "entropy of policy targets",
            Colour::Teal,
            CurveStyle::Solid,
            of(|h| h.target_entropy),
        ),
        line(
            "surprise at the outcome",
            Colour::Purple,
            CurveStyle::Solid,
            of(|h| h.value_surprise),
        ),
    ];
    let axis = Axis { label: "nats".to_owned(), whole: false, include: Some(0.0) };
    chart("Entropy and surprise of self-play", "cycles.health", axis, curves)
}

/// Repeated games, and resignations.
pub(crate) fn sameness(report: &Report) -> Chart {
    let of = |count: fn(&crate::measures::Health) -> u64| {
        over_cycles(report, |facts| {
            let health = facts.health.as_ref().filter(|health| health.games > 0)?;
            Some(100.0 * count(health) as f64 / health.games as f64)
        })
    };
    let curves = vec![
        line("repeat another game", Colour::Red, CurveStyle::Solid, of(|h| h.duplicates)),
        line("resigned", Colour::Purple, CurveStyle::Dashed, of(|h| h.resigned)),
        line("ended by the ply limit", Colour::Muted, CurveStyle::Dashed, of(|h| h.at_limit)),
    ];
    let axis = Axis { label: "share of games (%)".to_owned(), whole: false, include: Some(0.0) };
    chart("Repeated and cut short", "cycles.health", axis, curves)
}

/// Rows of the window, and rows trained on.
pub(crate) fn window(report: &Report) -> Chart {
    let of = |count: fn(&dz_store::RowsSummary) -> u64| {
        over_cycles(report, |facts| Some(count(facts.rows.as_ref()?) as f64 / 1000.0))
    };
    let axis = Axis { label: "rows (thousands)".to_owned(), whole: false, include: Some(0.0) };
    chart(
        "Rows",
        "cycles.rows",
        axis,
        vec![
            line("in the window", Colour::Blue, CurveStyle::Solid, of(|r| r.window_rows)),
            line("trained", Colour::Orange, CurveStyle::Solid, of(|r| r.train_rows)),
            line("new", Colour::Green, CurveStyle::Dashed, of(|r| r.new_rows)),
        ],
    )
}

/// Where each cycle's time went.
pub(crate) fn times(report: &Report) -> Chart {
    let of = |part: fn(&CycleFacts) -> Option<u64>| {
        over_cycles(report, |facts| Some(part(facts)? as f64 / 1000.0))
    };
    let axis = Axis { label: "seconds".to_owned(), whole: false, include: Some(0.0) };
    let selfplay = of(|facts| Some(facts.selfplay.as_ref()?.wall_ms));
    let curves = vec![
        line("self-play", Colour::Blue, CurveStyle::Solid, selfplay),
        line(
            "training",
            Colour::Orange,
            CurveStyle::Solid,
            of(|f| Some(f.losses.as_ref()?.wall_ms)),
        ),
        line("gate, ratings, rest", Colour::Green, CurveStyle::Solid, of(|f| f.matches_ms)),
        line("shuffling", Colour::Muted, CurveStyle::Solid, of(|f| Some(f.rows.as_ref()?.wall_ms))),
    ];
    chart("Time of each stage", "cycles.wall_ms", axis, curves)
}

pub(crate) fn chart(title: &str, key: &'static str, y: Axis, mut curves: Vec<Curve>) -> Chart {
    curves.retain(|curve| !curve.points.is_empty());
    Chart { title: title.to_owned(), key, x: cycles(), y, curves, ..Chart::default() }
}

pub(crate) fn line(name: &str, colour: Colour, style: CurveStyle, points: Vec<Point>) -> Curve {
    Curve { name: name.to_owned(), colour, points, style }
}

fn over_cycles(report: &Report, value: impl Fn(&CycleFacts) -> Option<f64>) -> Vec<Point> {
    let points = report.cycles.iter().filter_map(|facts| {
        let y = value(facts).filter(|y| y.is_finite())?;
        Some(Point::at(f64::from(facts.cycle), y))
    });
    points.collect()
}

fn cycles() -> Axis {
    Axis { label: "cycle".to_owned(), whole: true, include: None }
}

fn nats() -> Axis {
    Axis { label: "cross-entropy (nats)".to_owned(), whole: false, include: None }
}

/// The axis of a value loss, alone or beside a policy loss.
fn value_unit(report: &Report) -> Axis {
    let config = report.run.config_toml.as_deref().map(|text| RunConfig::from_text(text, &[]));
    match config {
        Some(Ok(config)) if config.training.value_loss == ValueLoss::Mse => {
            let label = "policy: cross-entropy (nats); value: squared error".to_owned();
            Axis { label, whole: false, include: None }
        }
        _ => nats(),
    }
}

fn share(label: &str) -> Axis {
    Axis { label: label.to_owned(), whole: false, include: Some(0.5) }
}
