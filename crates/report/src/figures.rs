//! The figures of a report.

use crate::chart::{Axis, Chart, Curve, CurveStyle, Level, Point};
use crate::facts::{CycleFacts, Report};
use crate::palette::Colour;

/// What the curve of ratings is drawn over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Over {
    Cycles,
    Time,
}

const LEVELS: [Colour; 4] = [Colour::Orange, Colour::Purple, Colour::Green, Colour::Muted];

/// Ratings of the champions with their errors, and the anchors' heights.
pub(crate) fn elo(report: &Report, over: Over) -> Chart {
    let clock = Clock::of(report);
    let place = |cycle: u32| match over {
        Over::Cycles => f64::from(cycle),
        Over::Time => clock.at(report, cycle),
    };
    let points = report
        .champions()
        .into_iter()
        .filter_map(|player| {
            let interval = (player.elo - player.error95, player.elo + player.error95);
            Some(Point { x: place(player.cycle?), y: player.elo, interval: Some(interval) })
        })
        .collect();
    let refused = report.cycles.iter().filter(|c| c.verdict.as_ref().is_some_and(|v| !v.accepted));
    let anchors = report.anchors();
    let levels = anchors.iter().zip(LEVELS.iter().cycle()).map(|(anchor, &colour)| Level {
        name: format!("{} ({})", anchor.name, crate::count::elo(anchor.elo)),
        height: anchor.elo,
        colour,
    });
    let zero = anchors.iter().find(|anchor| anchor.error95 == 0.0);
    Chart {
        title: match over {
            Over::Cycles => "Elo of the champions over cycles".to_owned(),
            Over::Time => "Elo of the champions over running time".to_owned(),
        },
        x: match over {
            Over::Cycles => cycles(),
            Over::Time => Axis { label: clock.label.to_owned(), whole: false, include: Some(0.0) },
        },
        y: Axis {
            label: zero.map_or("Elo".to_owned(), |anchor| format!("Elo above {}", anchor.name)),
            whole: false,
            include: None,
        },
        curves: vec![Curve {
            name: "new champion, 95 % band".to_owned(),
            colour: Colour::Blue,
            points,
            style: CurveStyle::Band,
        }],
        levels: levels.collect(),
        crosses: refused.map(|cycle| place(cycle.cycle)).collect(),
    }
}

/// The candidates' scores in the gate.
pub(crate) fn gate(report: &Report) -> Chart {
    let of = |accepted: bool| {
        report
            .cycles
            .iter()
            .filter_map(|facts| {
                let verdict = facts.verdict.as_ref().filter(|v| v.accepted == accepted)?;
                let interval = verdict.score_lo95.zip(verdict.score_hi95);
                Some(Point { x: f64::from(facts.cycle), y: verdict.score?, interval })
            })
            .collect()
    };
    let bars = |name: &str, colour, points| Curve {
        name: name.to_owned(),
        colour,
        points,
        style: CurveStyle::Bars,
    };
    Chart {
        title: "Score of each candidate in its gate".to_owned(),
        x: cycles(),
        y: share("score, 0 to 1"),
        curves: vec![
            bars("accepted, 95 % interval", Colour::Green, of(true)),
            bars("refused", Colour::Red, of(false)),
        ],
        levels: vec![Level { name: "even".to_owned(), height: 0.5, colour: Colour::Muted }],
        crosses: Vec::new(),
    }
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
        Axis { label: "cross-entropy (nats)".to_owned(), whole: false, include: None },
        vec![
            line("training rows", colour, CurveStyle::Solid, train),
            line("validation rows", Colour::Ink, CurveStyle::Dashed, validation),
        ],
    )
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
        axis,
        vec![
            line("first player won", Colour::Blue, CurveStyle::Solid, of(|s| s.wins_first)),
            line("drawn", Colour::Green, CurveStyle::Solid, of(|s| s.draws)),
            line("second player won", Colour::Orange, CurveStyle::Solid, of(|s| s.wins_second)),
        ],
    )
}

/// Length of self-play games.
pub(crate) fn plies(report: &Report) -> Chart {
    let points = over_cycles(report, |facts| Some(facts.selfplay.as_ref()?.plies_mean));
    let axis = Axis { label: "mean length (plies)".to_owned(), whole: false, include: None };
    let curve = line("self-play games", Colour::Blue, CurveStyle::Solid, points);
    chart("Length of self-play games", axis, vec![curve])
}

/// The window and what was trained of it.
pub(crate) fn window(report: &Report) -> Chart {
    let of = |count: fn(&dz_store::RowsSummary) -> u64| {
        over_cycles(report, |facts| Some(count(facts.rows.as_ref()?) as f64 / 1000.0))
    };
    let axis = Axis { label: "rows (thousands)".to_owned(), whole: false, include: Some(0.0) };
    chart(
        "Rows",
        axis,
        vec![
            line("in the window", Colour::Blue, CurveStyle::Solid, of(|r| r.window_rows)),
            line("trained", Colour::Orange, CurveStyle::Solid, of(|r| r.train_rows)),
            line("new", Colour::Green, CurveStyle::Dashed, of(|r| r.new_rows)),
        ],
    )
}

fn chart(title: &str, y: Axis, mut curves: Vec<Curve>) -> Chart {
    curves.retain(|curve| !curve.points.is_empty());
    let title = title.to_owned();
    Chart { title, x: cycles(), y, curves, levels: Vec::new(), crosses: Vec::new() }
}

fn line(name: &str, colour: Colour, style: CurveStyle, points: Vec<Point>) -> Curve {
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

fn share(label: &str) -> Axis {
    Axis { label: label.to_owned(), whole: false, include: Some(0.5) }
}

/// The unit in which a run's time is told.
struct Clock {
    label: &'static str,
    unit_ms: f64,
}

impl Clock {
    fn of(report: &Report) -> Self {
        let total_ms = report.cycles.last().map_or(0, |facts| facts.elapsed_ms);
        // Two hours still read well in minutes.
        if total_ms < 2 * 3_600_000 {
            Self { label: "running time (minutes)", unit_ms: 60_000.0 }
        } else {
            Self { label: "running time (hours)", unit_ms: 3_600_000.0 }
        }
    }

    fn at(&self, report: &Report, cycle: u32) -> f64 {
        let facts = report.cycles.iter().find(|facts| facts.cycle == cycle);
        facts.map_or(0.0, |facts| facts.elapsed_ms as f64 / self.unit_ms)
    }
}
