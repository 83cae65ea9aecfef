//! Numbers of figures for pages that draw them by script.

use serde::Serialize;

use crate::chart::{Chart, CurveStyle, Point};
use crate::facts::CycleFacts;

/// A report in parts, for a page that draws its figures by script. All markup is escaped.
#[derive(Clone, Debug, Serialize)]
pub struct LivePage {
    /// Heading, verdict, alarms and key figures, as HTML.
    pub head: String,
    /// Links to the sections, as HTML.
    pub contents: String,
    /// The sections, as HTML. An element with `data-figure="N"` stands in the place of figure N.
    pub body: String,
    /// The numbers of the figures.
    pub figures: Vec<Figure>,
    /// What had been spent by the end of each cycle, for axes other than the cycle.
    pub cycles: Vec<SpentByCycle>,
}

/// What had been spent when a cycle ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SpentByCycle {
    /// The cycle, from 1.
    pub cycle: u32,
    /// Time in cycles, milliseconds.
    pub time_ms: u64,
    /// Self-play games.
    pub games: u64,
    /// Rows trained on, each time that one was used.
    pub rows: u64,
    /// Positions that networks evaluated in self-play.
    pub evaluations: u64,
    /// The newest generation.
    pub generation: u32,
}

/// The numbers of one figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Title.
    pub title: String,
    /// Key of the numbers in the report's JSON.
    pub key: &'static str,
    /// The x axis.
    pub x: FigureAxis,
    /// The y axis.
    pub y: FigureAxis,
    /// Lines, dots and bands, in the order in which they are drawn.
    pub curves: Vec<FigureCurve>,
    /// Horizontal lines.
    pub levels: Vec<NamedLevel>,
    /// Places on the x axis of refused candidates.
    pub crosses: Vec<f64>,
    /// Vertical lines.
    pub marks: Vec<NamedMark>,
    /// What a hollow dot means; empty where there is none.
    pub hollow: &'static str,
}

/// An axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureAxis {
    /// Label with its unit.
    pub label: String,
    /// Whether it counts things.
    pub whole: bool,
    /// A value that the axis reaches.
    pub include: Option<f64>,
}

/// A line through points. The lists have one length.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FigureCurve {
    /// Its name.
    pub name: String,
    /// Name of its colour in the style sheet.
    pub colour: &'static str,
    /// `solid`, `plain` (no dots), `dashed`, `band` (errors as a band), `bars` (dots with error
    /// bars and no line) or `shade` (a band alone).
    pub style: &'static str,
    /// Places on the x axis, ascending.
    pub x: Vec<f64>,
    /// Heights.
    pub y: Vec<f64>,
    /// Lower ends of the 95 % intervals; empty where no point has one.
    pub low: Vec<f64>,
    /// Upper ends.
    pub high: Vec<f64>,
    /// Indices of hollow points.
    pub hollow: Vec<usize>,
}

/// A horizontal line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedLevel {
    /// Its name.
    pub name: String,
    /// Its height.
    pub height: f64,
    /// Name of its colour.
    pub colour: &'static str,
}

/// A vertical line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedMark {
    /// What happened there.
    pub name: &'static str,
    /// Its place.
    pub x: f64,
    /// Name of its colour.
    pub colour: &'static str,
}

impl Figure {
    /// The numbers of a chart, rounded to six significant digits.
    pub(crate) fn of(chart: &Chart) -> Self {
        let axis = |axis: &crate::chart::Axis| FigureAxis {
            label: axis.label.clone(),
            whole: axis.whole,
            include: axis.include,
        };
        let has_hollow = chart.curves.iter().any(|c| c.points.iter().any(|p| p.hollow));
        Self {
            title: chart.title.clone(),
            key: chart.key,
            x: axis(&chart.x),
            y: axis(&chart.y),
            curves: chart.curves.iter().filter(|c| !c.points.is_empty()).map(curve).collect(),
            levels: chart
                .levels
                .iter()
                .map(|level| NamedLevel {
                    name: level.name.clone(),
                    height: rounded(level.height),
                    colour: level.colour.name(),
                })
                .collect(),
            crosses: chart.crosses.iter().copied().map(rounded).collect(),
            marks: chart
                .marks
                .iter()
                .map(|mark| NamedMark {
                    name: mark.name,
                    x: rounded(mark.x),
                    colour: mark.colour.name(),
                })
                .collect(),
            hollow: if has_hollow { chart.hollow } else { "" },
        }
    }
}

fn curve(curve: &crate::chart::Curve) -> FigureCurve {
    let finite = |p: &&Point| p.x.is_finite() && p.y.is_finite();
    let mut points: Vec<&Point> = curve.points.iter().filter(finite).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let has_interval = points.iter().any(|p| p.interval.is_some());
    let ends = |end: fn((f64, f64)) -> f64| -> Vec<f64> {
        let of = |p: &&Point| rounded(end(p.interval.unwrap_or((p.y, p.y))));
        if has_interval { points.iter().map(of).collect() } else { Vec::new() }
    };
    let hollow = points.iter().enumerate().filter(|(_, p)| p.hollow).map(|(at, _)| at);
    FigureCurve {
        name: curve.name.clone(),
        colour: curve.colour.name(),
        style: match curve.style {
            CurveStyle::Solid => "solid",
            CurveStyle::Plain => "plain",
            CurveStyle::Dashed => "dashed",
            CurveStyle::Band => "band",
            CurveStyle::Bars => "bars",
            CurveStyle::Shade => "shade",
        },
        x: points.iter().map(|p| rounded(p.x)).collect(),
        y: points.iter().map(|p| rounded(p.y)).collect(),
        low: ends(|(low, _)| low),
        high: ends(|(_, high)| high),
        hollow: hollow.collect(),
    }
}

/// Six significant digits: more than a screen shows, and short as JSON.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// What had been spent by the end of each cycle.
pub(crate) fn spent(cycles: &[CycleFacts]) -> Vec<SpentByCycle> {
    let mut sum = SpentByCycle::default();
    let mut add = |facts: &CycleFacts| {
        sum.cycle = facts.cycle;
        sum.time_ms = facts.elapsed_ms;
        sum.games += facts.selfplay.as_ref().map_or(0, |s| s.games);
        sum.rows += facts.losses.as_ref().map_or(0, |l| l.rows);
        sum.evaluations += facts.network_evaluations();
        sum.generation = facts.promoted.unwrap_or(sum.generation);
        sum.clone()
    };
    cycles.iter().map(&mut add).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::Curve;
    use crate::palette::Colour;

    #[test]
    fn numbers_keep_six_digits_and_points_their_order() {
        assert_eq!(rounded(1_234.567_891), 1_234.57);
        assert_eq!(rounded(-0.000_012_345_678), -0.000_012_345_7);
        assert_eq!(rounded(0.0), 0.0);
        let point = |x: f64| Point { x, y: 2.0 * x, interval: Some((x, 3.0 * x)), hollow: x > 1.5 };
        let points = vec![point(2.0), point(1.0), Point::at(f64::NAN, 1.0)];
        let style = CurveStyle::Band;
        let drawn = curve(&Curve { name: "a".to_owned(), colour: Colour::Blue, points, style });
        assert_eq!((drawn.x, drawn.y), (vec![1.0, 2.0], vec![2.0, 4.0]));
        assert_eq!((drawn.low, drawn.high), (vec![1.0, 2.0], vec![3.0, 6.0]));
        assert_eq!((drawn.hollow, drawn.style, drawn.colour), (vec![1], "band", "blue"));
    }

    #[test]
    fn what_was_spent_adds_up() {
        let selfplay =
            dz_store::SelfplaySummary { games: 10, evaluations: 5, ..Default::default() };
        let first = CycleFacts { cycle: 1, selfplay: Some(selfplay), ..CycleFacts::default() };
        let generation = Some(1);
        let second = CycleFacts { cycle: 2, generation, promoted: Some(2), ..first.clone() };
        let spent = spent(&[first, second]);
        assert_eq!((spent[1].games, spent[1].evaluations, spent[1].generation), (20, 5, 2));
    }
}
