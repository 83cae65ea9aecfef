//! Figures with their keys.

use maud::{Markup, html};

use crate::ReportError;
use crate::chart::{Chart, CurveStyle, NARROW, WIDE};
use crate::live::Figure;

/// Who draws the figures of a page.
pub(super) enum Figures<'a> {
    /// They are drawn into the page.
    Drawn,
    /// A script draws them from these numbers; the page has a place for each.
    Live(&'a mut Vec<Figure>),
}

impl Figures<'_> {
    /// A figure in both sizes with its key. Nothing where there are no points: the table beside it
    /// says so.
    pub(super) fn figure(&mut self, chart: &Chart) -> Result<Markup, ReportError> {
        if chart.is_empty() {
            return Ok(Markup::default());
        }
        let (title, key) = (&chart.title, chart.key);
        if let Self::Live(figures) = self {
            let place = figures.len();
            figures.push(Figure::of(chart));
            return Ok(html! {
                figure data-key=(key) {
                    figcaption { b { (title) } }
                    div.plot data-figure=(place) role="img" aria-label=(title) {}
                }
            });
        }
        Ok(html! {
            figure data-key=(key) {
                figcaption {
                    b { (title) }
                    span.key {
                        @for (sign, colour, name) in signs(chart) {
                            span { i class={ "key-" (colour) } { (sign) } " " (name) }
                        }
                    }
                }
                div.wide { (chart.svg(WIDE)?) }
                div.narrow { (chart.svg(NARROW)?) }
            }
        })
    }

    /// Figures side by side, where the screen is wide enough.
    pub(super) fn pair(&mut self, charts: &[Chart]) -> Result<Markup, ReportError> {
        if charts.iter().all(Chart::is_empty) {
            return Ok(Markup::default());
        }
        Ok(html! {
            div.pair { @for chart in charts { (self.figure(chart)?) } }
        })
    }
}

/// Sign, colour and name of all that is drawn.
fn signs(chart: &Chart) -> Vec<(&'static str, &'static str, &str)> {
    let mut signs: Vec<(_, _, &str)> = Vec::new();
    for curve in chart.curves.iter().filter(|curve| !curve.points.is_empty()) {
        let sign = match curve.style {
            CurveStyle::Dashed => "╌●╌",
            CurveStyle::Bars => "●",
            CurveStyle::Plain => "──",
            CurveStyle::Shade => "▒▒",
            CurveStyle::Solid | CurveStyle::Band => "─●─",
        };
        signs.push((sign, curve.colour.name(), &curve.name));
    }
    if let Some(curve) = chart.curves.iter().find(|c| c.points.iter().any(|p| p.hollow)) {
        signs.push(("○", curve.colour.name(), chart.hollow));
    }
    for level in &chart.levels {
        signs.push(("┄┄┄", level.colour.name(), &level.name));
    }
    if !chart.crosses.is_empty() {
        signs.push(("✕", "red", "candidate refused"));
    }
    let mut named: Vec<&str> = Vec::new();
    for mark in &chart.marks {
        if !named.contains(&mark.name) {
            named.push(mark.name);
            signs.push(("┆", mark.colour.name(), mark.name));
        }
    }
    signs
}
