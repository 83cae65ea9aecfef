//! The curve of ratings over everything that a run spends.

use crate::chart::{Axis, Chart, Curve, CurveStyle, Level, Mark, Point, marks};
use crate::curve::{CurvePoint, MarkerKind};
use crate::expected_points::ExpectedPoint;
use crate::facts::CycleFacts;
use crate::palette::Colour;
use crate::report::Report;

/// The quantity on the x axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    Time,
    Device,
    Games,
    Rows,
    Evaluations,
    Generation,
}

impl Over {
    pub(crate) const ALL: [Self; 6] =
        [Self::Time, Self::Device, Self::Games, Self::Rows, Self::Evaluations, Self::Generation];

    /// A word for the page's elements.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Device => "device",
            Self::Games => "games",
            Self::Rows => "rows",
            Self::Evaluations => "evaluations",
            Self::Generation => "generation",
        }
    }

    /// Its name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Time => "wall time",
            Self::Device => "device time",
            Self::Games => "self-play games",
            Self::Rows => "rows trained",
            Self::Evaluations => "network evaluations",
            Self::Generation => "generation",
        }
    }

    /// The value of a point, before units.
    fn of(self, point: &CurvePoint) -> f64 {
        match self {
            Self::Time => point.running_ms as f64,
            Self::Device => point.device_ms as f64,
            Self::Games => point.games as f64,
            Self::Rows => point.rows as f64,
            Self::Evaluations => point.evaluations as f64,
            Self::Generation => f64::from(point.generation),
        }
    }

    /// The same of the expected band.
    fn of_expected(self, point: &ExpectedPoint) -> f64 {
        match self {
            Self::Time => point.running_ms as f64,
            Self::Device => point.device_ms as f64,
            Self::Games => point.games as f64,
            Self::Rows => point.rows as f64,
            Self::Evaluations => point.evaluations as f64,
            Self::Generation => f64::from(point.generation),
        }
    }

    /// The axis' label and how much one of its units is, for values up to `most`.
    fn unit(self, most: f64) -> (String, f64) {
        const HOUR_MS: f64 = 3_600_000.0;
        let (word, unit) = match self {
            // Two hours still read well in minutes.
            Self::Time | Self::Device if most < 2.0 * HOUR_MS => ("minutes", 60_000.0),
            Self::Time | Self::Device => ("hours", HOUR_MS),
            Self::Generation => return (self.name().to_owned(), 1.0),
            _ if most >= 2e9 => ("billions", 1e9),
            _ if most >= 2e6 => ("millions", 1e6),
            _ if most >= 2e4 => ("thousands", 1e3),
            _ => return (self.name().to_owned(), 1.0),
        };
        (format!("{} ({word})", self.name()), unit)
    }
}

const LEVELS: [Colour; 4] = [Colour::Orange, Colour::Purple, Colour::Green, Colour::Muted];
const OTHERS: [Colour; 4] = [Colour::Orange, Colour::Purple, Colour::Green, Colour::Red];

/// Ratings of the champions with their errors, the anchors' heights, what happened, and other runs.
pub(crate) fn elo(report: &Report, over: Over) -> Chart {
    let drawn: Vec<_> = report.compared.iter().filter(|other| other.refused.is_none()).collect();
    let all = report.curve.iter().chain(drawn.iter().flat_map(|other| &other.curve));
    let most = all.map(|point| over.of(point)).fold(0.0, f64::max);
    let far = report.expected.iter().flat_map(|band| &band.points);
    let most = far.map(|point| over.of_expected(point)).fold(most, f64::max);
    let (label, unit) = over.unit(most);
    // A single curve shows its course. A comparison of runs must include the error that all points
    // of a curve share.
    let within = drawn.is_empty() && report.curve_error95.is_some();
    let points = |curve: &[CurvePoint]| {
        let point = |point: &CurvePoint| {
            let error95 = if within { point.error95_within } else { point.error95 };
            Point {
                x: over.of(point) / unit,
                y: point.elo,
                interval: Some((point.elo - error95, point.elo + error95)),
                hollow: point.preliminary,
            }
        };
        curve.iter().map(point).collect()
    };
    let own = if within {
        "champions, 95 % band of their places in the curve".to_owned()
    } else if drawn.is_empty() {
        "champions, 95 % band".to_owned()
    } else {
        format!("{}, 95 % band", report.run.name)
    };
    // It is drawn first, so that it lies behind the others.
    let mut curves: Vec<Curve> = expected(report, over, unit).into_iter().collect();
    curves.push(Curve {
        name: own,
        colour: Colour::Blue,
        points: points(&report.curve),
        style: CurveStyle::Band,
    });
    curves.extend(Some(policy(report, over, unit)).filter(|curve| !curve.points.is_empty()));
    curves.extend(drawn.iter().zip(OTHERS.iter().cycle()).map(|(other, &colour)| Curve {
        name: other.name.clone(),
        colour,
        points: points(&other.curve),
        style: CurveStyle::Band,
    }));
    let (low, high) = heights(&curves);
    let anchors = report.anchors().into_iter().filter(|a| Report::is_drawn(a, low, high));
    let zero = report.zero_anchor();
    let levels = anchors.zip(LEVELS.iter().cycle()).map(|(anchor, &colour)| Level {
        name: format!("{} ({})", anchor.name, crate::count::elo(anchor.elo)),
        height: anchor.elo,
        colour,
    });
    let place = |cycle: u32| place(report, over, cycle) / unit;
    let refused = happened(report, MarkerKind::Refused).filter(|_| over != Over::Generation);
    Chart {
        title: format!("Elo over {}", over.name()),
        key: "curve",
        x: Axis {
            label,
            whole: over == Over::Generation,
            include: (over != Over::Generation).then_some(0.0),
        },
        y: Axis {
            label: zero.map_or("Elo".to_owned(), |anchor| format!("Elo against {}", anchor.name)),
            whole: false,
            include: None,
        },
        curves,
        levels: levels.collect(),
        crosses: refused.map(place).collect(),
        marks: changes(report, &place),
        hollow: "preliminary",
    }
}

/// The lowest and the highest Elo of curves, errors included.
fn heights(curves: &[Curve]) -> (f64, f64) {
    let points = curves.iter().flat_map(|curve| &curve.points);
    let ends = points.flat_map(|point| {
        let (low, high) = point.interval.unwrap_or((point.y, point.y));
        [low, high]
    });
    ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)))
}

/// The champions' raw policies; empty where they are not rated.
fn policy(report: &Report, over: Over, unit: f64) -> Curve {
    let point = |at: &CurvePoint| {
        let player = report.players.iter().find(|p| p.policy_cycle == Some(at.cycle))?;
        Some(Point::at(over.of(at) / unit, player.elo))
    };
    let points = report.curve.iter().filter_map(point).collect();
    let name = "without a search".to_owned();
    Curve { name, colour: Colour::Teal, points, style: CurveStyle::Dashed }
}

/// What runs of the preset have reached.
fn expected(report: &Report, over: Over, unit: f64) -> Option<Curve> {
    let band = report.expected.as_ref()?;
    let point = |at: &ExpectedPoint| Point {
        x: over.of_expected(at) / unit,
        y: 0.5 * (at.elo_lo + at.elo_hi),
        interval: Some((at.elo_lo, at.elo_hi)),
        hollow: false,
    };
    let name = match over {
        Over::Time | Over::Device => format!("expected, on {}", band.machine),
        _ => "expected".to_owned(),
    };
    let points = band.points.iter().map(point).collect();
    Some(Curve { name, colour: Colour::Muted, points, style: CurveStyle::Shade })
}

/// Vertical lines for what changed on the way.
fn changes(report: &Report, place: &dyn Fn(u32) -> f64) -> Vec<Mark> {
    let drops = happened(report, MarkerKind::LearningRate).map(place);
    let config = happened(report, MarkerKind::Configuration).map(place);
    let mut all = marks("learning rate lowered", Colour::Purple, drops);
    all.extend(marks("configuration changed", Colour::Teal, config));
    // Several keys may change at once. One line is enough.
    all.dedup_by(|a, b| a.name == b.name && a.x == b.x);
    all
}

fn happened(report: &Report, kind: MarkerKind) -> impl Iterator<Item = u32> {
    report.markers.iter().filter(move |marker| marker.kind == kind).map(|marker| marker.cycle)
}

/// Where the end of a cycle lies, before units.
fn place(report: &Report, over: Over, cycle: u32) -> f64 {
    let until = || report.cycles.iter().take_while(|facts| facts.cycle <= cycle);
    let sum = |of: fn(&CycleFacts) -> u64| until().map(of).sum::<u64>() as f64;
    match over {
        Over::Time => until().last().map_or(0.0, |facts| facts.elapsed_ms as f64),
        Over::Device => until().last().map_or(0.0, |facts| facts.device_ms as f64),
        Over::Games => sum(|facts| facts.selfplay.as_ref().map_or(0, |s| s.games)),
        Over::Rows => sum(|facts| facts.losses.as_ref().map_or(0, |l| l.rows)),
        Over::Evaluations => sum(CycleFacts::network_evaluations),
        Over::Generation => {
            f64::from(until().filter_map(|facts| facts.promoted).max().unwrap_or(0))
        }
    }
}
