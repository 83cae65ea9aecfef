//! Figures with their keys.

use std::fmt::Write as _;

use super::body::Body;
use super::escape;
use crate::ReportError;
use crate::chart::{Chart, CurveStyle, NARROW, WIDE};
use crate::live::Figure;

/// A figure in both sizes with its key. Nothing where there are no points: the table beside it says
/// so.
pub(super) fn figure(out: &mut Body, chart: &Chart) -> Result<(), ReportError> {
    if chart.is_empty() {
        return Ok(());
    }
    let title = escape(&chart.title);
    if let Some(figures) = out.live_figures() {
        let place = figures.len();
        figures.push(Figure::of(chart));
        let key = chart.key;
        let _ = writeln!(
            out,
            "<figure data-key=\"{key}\"><figcaption><b>{title}</b></figcaption>\
             <div class=\"plot\" data-figure=\"{place}\" role=\"img\" aria-label=\"{title}\"></div></figure>"
        );
        return Ok(());
    }
    let _ = write!(
        out,
        "<figure data-key=\"{}\"><figcaption><b>{title}</b><span class=\"key\">",
        chart.key
    );
    let mut key = |sign: &str, colour: &str, name: &str| {
        let _ = write!(out, "<span><i class=\"key-{colour}\">{sign}</i> {}</span>", escape(name));
    };
    for curve in chart.curves.iter().filter(|curve| !curve.points.is_empty()) {
        let sign = match curve.style {
            CurveStyle::Dashed => "╌●╌",
            CurveStyle::Bars => "●",
            CurveStyle::Plain => "──",
            CurveStyle::Shade => "▒▒",
            CurveStyle::Solid | CurveStyle::Band => "─●─",
        };
        key(sign, curve.colour.name(), &curve.name);
    }
    if let Some(curve) = chart.curves.iter().find(|c| c.points.iter().any(|p| p.hollow)) {
        key("○", curve.colour.name(), chart.hollow);
    }
    for level in &chart.levels {
        key("┄┄┄", level.colour.name(), &level.name);
    }
    if !chart.crosses.is_empty() {
        key("✕", "red", "candidate refused");
    }
    let mut named: Vec<&str> = Vec::new();
    for mark in &chart.marks {
        if !named.contains(&mark.name) {
            named.push(mark.name);
            key("┆", mark.colour.name(), mark.name);
        }
    }
    out.push_str("</span></figcaption>\n");
    for (class, size) in [("wide", WIDE), ("narrow", NARROW)] {
        let _ = writeln!(out, "<div class=\"{class}\">{}</div>", chart.svg(size)?);
    }
    out.push_str("</figure>\n");
    Ok(())
}

/// Figures side by side, where the screen is wide enough.
pub(super) fn pair(out: &mut Body, charts: &[Chart]) -> Result<(), ReportError> {
    if charts.iter().all(Chart::is_empty) {
        return Ok(());
    }
    out.push_str("<div class=\"pair\">\n");
    for chart in charts {
        figure(out, chart)?;
    }
    out.push_str("</div>\n");
    Ok(())
}
