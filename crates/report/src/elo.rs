//! The curve of ratings over everything that a run spends.

use crate::chart::{Axis, Chart, Curve, CurveStyle, Level, Mark, Point, marks};
use crate::curve::{CurvePoint, MarkerKind};
use crate::facts::{CycleFacts, Report};
use crate::palette::Colour;

/// What the curve is drawn over.
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
const OTHERS: [Colour; 4] = [Colour::Orange, Colour::Teal, Colour::Purple, Colour::Green];

/// Ratings of the champions with their errors, the anchors' heights, what happened, and other runs.
pub(crate) fn elo(report: &Report, over: Over) -> Chart {
    let drawn: Vec<_> = report.compared.iter().filter(|other| other.refused.is_none()).collect();
    let all = report.curve.iter().chain(drawn.iter().flat_map(|other| &other.curve));
    let (label, unit) = over.unit(all.map(|point| over.of(point)).fold(0.0, f64::max));
    let points = |curve: &[CurvePoint]| {
        let point = |point: &CurvePoint| Point {
            x: over.of(point) / unit,
            y: point.elo,
            interval: Some((point.elo - point.error95, point.elo + point.error95)),
            hollow: point.preliminary,
        };
        curve.iter().map(point).collect()
    };
    let own = if drawn.is_empty() {
        "champions, 95 % band".to_owned()
    } else {
        format!("{}, 95 % band", report.run.name)
    };
    let mut curves = vec![Curve {
        name: own,
        colour: Colour::Blue,
        points: points(&report.curve),
        style: CurveStyle::Band,
    }];
    curves.extend(drawn.iter().zip(OTHERS.iter().cycle()).map(|(other, &colour)| Curve {
        name: other.name.clone(),
        colour,
        points: points(&other.curve),
        style: CurveStyle::Band,
    }));
    let anchors = report.anchors();
    let zero = anchors.iter().find(|anchor| anchor.error95 == 0.0);
    let levels = anchors.iter().zip(LEVELS.iter().cycle()).map(|(anchor, &colour)| Level {
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
            label: zero.map_or("Elo".to_owned(), |anchor| format!("Elo above {}", anchor.name)),
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

/// Vertical lines for what changed on the way.
fn changes(report: &Report, place: &dyn Fn(u32) -> f64) -> Vec<Mark> {
    let drops = happened(report, MarkerKind::LearningRate).map(place);
    let config = happened(report, MarkerKind::Configuration).map(place);
    let mut all = marks("learning rate lowered", Colour::Purple, drops);
    all.extend(marks("configuration changed", Colour::Teal, config));
    // Several keys change at once, but one line says it.
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
