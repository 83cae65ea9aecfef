//! One figure as SVG.

use maud::{Markup, PreEscaped, html};
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::*;

use crate::ReportError;
use crate::palette::Colour;
use crate::ticks::{Ticks, ticks};

type Drawing<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Ticks, Ticks>>;

/// What a figure shows.
#[derive(Default)]
pub(crate) struct Chart {
    pub(crate) title: String,
    /// Key of its numbers in the report's JSON.
    pub(crate) key: &'static str,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) curves: Vec<Curve>,
    /// Horizontal lines: name, height, colour.
    pub(crate) levels: Vec<Level>,
    /// Crosses on the x axis: candidates that were refused there.
    pub(crate) crosses: Vec<f64>,
    /// Vertical lines: other things that happened.
    pub(crate) marks: Vec<Mark>,
    /// What a hollow dot means.
    pub(crate) hollow: &'static str,
}

/// A vertical line.
pub(crate) struct Mark {
    pub(crate) name: &'static str,
    pub(crate) x: f64,
    pub(crate) colour: Colour,
}

/// One axis.
#[derive(Default)]
pub(crate) struct Axis {
    /// Label, with the unit.
    pub(crate) label: String,
    /// Whether it counts things, so that only whole numbers belong on it.
    pub(crate) whole: bool,
    /// A value that the axis must reach, such as 0.
    pub(crate) include: Option<f64>,
}

/// A line through points.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) colour: Colour,
    pub(crate) points: Vec<Point>,
    pub(crate) style: CurveStyle,
}

/// How a curve is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CurveStyle {
    /// A line with dots.
    Solid,
    /// A line without dots.
    Plain,
    /// A broken line with dots.
    Dashed,
    /// A line with dots and its errors as a band.
    Band,
    /// Dots with error bars, no line.
    Bars,
    /// The errors as a band alone.
    Shade,
}

/// A point, with the ends of its 95 % interval where it has one.
#[derive(Clone, Copy)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) interval: Option<(f64, f64)>,
    /// Drawn as a ring: not settled yet.
    pub(crate) hollow: bool,
}

/// A horizontal line.
pub(crate) struct Level {
    pub(crate) name: String,
    pub(crate) height: f64,
    pub(crate) colour: Colour,
}

/// Lines of one name and colour at these places.
pub(crate) fn marks(
    name: &'static str,
    colour: Colour,
    at: impl Iterator<Item = f64>,
) -> Vec<Mark> {
    at.map(|x| Mark { name, x, colour }).collect()
}

/// Pixels of a figure, which are its SVG units.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Numbers that fit along the x axis.
    pub(crate) x_ticks_max: usize,
}

/// For screens and paper.
pub(crate) const WIDE: Size = Size { width: 760, height: 320, x_ticks_max: 12 };
/// For phones: the same letters on a smaller sheet.
pub(crate) const NARROW: Size = Size { width: 360, height: 270, x_ticks_max: 6 };

impl Point {
    /// A point without an interval.
    pub(crate) fn at(x: f64, y: f64) -> Self {
        Self { x, y, interval: None, hollow: false }
    }
}

impl Chart {
    /// Whether there is nothing to draw.
    pub(crate) fn is_empty(&self) -> bool {
        self.curves.iter().all(|curve| curve.points.is_empty())
    }

    /// The figure as an `svg` element.
    pub(crate) fn svg(&self, size: Size) -> Result<Markup, ReportError> {
        let mut out = String::new();
        self.draw(&mut out, size).map_err(|reason| ReportError::Figure {
            figure: self.title.clone(),
            reason: reason.to_string(),
        })?;
        Ok(inline(&out, &self.title))
    }

    fn draw(&self, out: &mut String, size: Size) -> Result<(), Box<dyn std::error::Error>> {
        let x = self.x_ticks(size);
        let y = self.y_ticks();
        let root = SVGBackend::with_string(out, (size.width, size.height)).into_drawing_area();
        let widest = y.at.iter().map(|&v| y.label(v).len()).max().unwrap_or(1) as u32;
        let last_label = x.at.last().map_or(0, |&v| x.label(v).len()) as u32;
        let mut chart = ChartBuilder::on(&root)
            .margin_top(10)
            // Half of the last number stands beyond the end of the axis.
            .margin_right(u32::max(14, 4 * last_label))
            .margin_left(2)
            .x_label_area_size(40)
            // Digits are about 8 pixels wide at this size; the axis' own label stands beside them.
            .y_label_area_size(30 + 8 * widest)
            .build_cartesian_2d(x.clone(), y.clone())?;
        let label = |colour: Colour| ("sans-serif", 15).into_font().color(&colour.rgb());
        chart
            .configure_mesh()
            .disable_x_mesh()
            .bold_line_style(Colour::Grid.rgb())
            .light_line_style(TRANSPARENT)
            .axis_style(Colour::Muted.rgb())
            .label_style(label(Colour::Muted))
            .axis_desc_style(label(Colour::Ink))
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .draw()?;
        for mark in &self.marks {
            let ends = [(mark.x, y.low), (mark.x, y.high)];
            let style = mark.colour.rgb().stroke_width(1);
            chart.draw_series(DashedLineSeries::new(ends, 2, 3, style))?;
        }
        for level in &self.levels {
            let ends = [(x.low, level.height), (x.high, level.height)];
            let style = level.colour.rgb().stroke_width(1);
            chart.draw_series(DashedLineSeries::new(ends, 3, 4, style))?;
        }
        for curve in &self.curves {
            let colour = curve.colour.rgb();
            let line = || curve.points.iter().map(|p| (p.x, p.y));
            match curve.style {
                CurveStyle::Solid | CurveStyle::Plain => {
                    chart.draw_series(LineSeries::new(line(), colour.stroke_width(2)))?;
                }
                CurveStyle::Dashed => {
                    let series = DashedLineSeries::new(line(), 7, 4, colour.stroke_width(2));
                    chart.draw_series(series)?;
                }
                CurveStyle::Band => {
                    let band = Polygon::new(curve.outline(), colour.mix(0.18));
                    chart.draw_series(std::iter::once(band))?;
                    chart.draw_series(LineSeries::new(line(), colour.stroke_width(2)))?;
                }
                CurveStyle::Shade => {
                    let band = Polygon::new(curve.outline(), colour.mix(0.22));
                    chart.draw_series(std::iter::once(band))?;
                }
                CurveStyle::Bars => {}
            }
            curve.dots(&mut chart)?;
        }
        let red = Colour::Red.rgb().stroke_width(2);
        chart.draw_series(self.crosses.iter().map(|&at| {
            EmptyElement::at((at, y.low))
                + PathElement::new(vec![(-4, -11), (4, -3)], red)
                + PathElement::new(vec![(-4, -3), (4, -11)], red)
        }))?;
        root.present()?;
        Ok(())
    }

    fn x_ticks(&self, size: Size) -> Ticks {
        let points = self.curves.iter().flat_map(|curve| &curve.points).map(|p| p.x);
        let marks = self.marks.iter().map(|mark| mark.x);
        let xs = points.chain(self.crosses.iter().copied()).chain(marks);
        axis(&self.x, xs, size.x_ticks_max)
    }

    fn y_ticks(&self) -> Ticks {
        let points = self.curves.iter().flat_map(|curve| &curve.points);
        let heights = points.flat_map(|p| {
            let (low, high) = p.interval.unwrap_or((p.y, p.y));
            [p.y, low, high]
        });
        axis(&self.y, heights.chain(self.levels.iter().map(|level| level.height)), 6)
    }
}

impl Curve {
    /// Error bars, dots and rings.
    fn dots(&self, chart: &mut Drawing<'_, '_>) -> Result<(), Box<dyn std::error::Error>> {
        let colour = self.colour.rgb();
        let lone = self.style == CurveStyle::Band && self.points.len() == 1;
        if lone || self.style == CurveStyle::Bars {
            chart.draw_series(self.points.iter().filter_map(|p| {
                let (low, high) = p.interval?;
                Some(PathElement::new(vec![(p.x, low), (p.x, high)], colour.stroke_width(2)))
            }))?;
        }
        if matches!(self.style, CurveStyle::Plain | CurveStyle::Shade) {
            return Ok(());
        }
        // Dots on a long curve would hide it, and make the page large.
        let long = self.points.len() > 60;
        let radius = if long { 2 } else { 3 };
        let dotted = !long || self.style == CurveStyle::Bars;
        let full = self.points.iter().filter(|p| dotted && !p.hollow).map(|p| (p.x, p.y));
        chart.draw_series(full.map(|at| Circle::new(at, radius, colour.filled())))?;
        let rings = self.points.iter().filter(|p| p.hollow).map(|p| (p.x, p.y));
        chart.draw_series(rings.map(|at| {
            EmptyElement::at(at)
                + Circle::new((0, 0), radius + 1, Colour::Page.rgb().filled())
                + Circle::new((0, 0), radius + 1, colour.stroke_width(2))
        }))?;
        Ok(())
    }

    /// Lower ends from left to right, then upper ends back.
    fn outline(&self) -> Vec<(f64, f64)> {
        let ends = |p: &Point| p.interval.unwrap_or((p.y, p.y));
        let low = self.points.iter().map(|p| (p.x, ends(p).0));
        let high = self.points.iter().rev().map(|p| (p.x, ends(p).1));
        low.chain(high).collect()
    }
}

fn axis(axis: &Axis, values: impl Iterator<Item = f64>, ticks_max: usize) -> Ticks {
    let values = values.chain(axis.include).filter(|v| v.is_finite());
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high {
        ticks(0.0, 1.0, ticks_max, axis.whole)
    } else {
        ticks(low, high, ticks_max, axis.whole)
    }
}

/// The drawing as part of a page: sized by the style sheet, without the name space that HTML
/// implies, and with its title for those who do not see it.
fn inline(svg: &str, title: &str) -> Markup {
    let view = svg.split_once("viewBox=\"").and_then(|(_, rest)| rest.split_once('"'));
    let (view, rest) = view.unwrap_or(("", svg));
    let shapes = rest.split_once('>').map_or("", |(_, shapes)| shapes).trim_end();
    let shapes = shapes.strip_suffix("</svg>").unwrap_or(shapes);
    html! {
        svg viewBox=(view) role="img" aria-label=(title) { (PreEscaped(shapes)) }
    }
}
