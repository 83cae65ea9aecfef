//! The live report of a run.

use maud::{Markup, PreEscaped, html};

use super::layout::PageOfRun;
use crate::report_view::View;

/// The report's parts come escaped from the report.
pub(crate) fn report(of: &PageOfRun<'_>, view: &View) -> Markup {
    let link = |page: &str| of.run.link(page);
    let body = html! {
        div.standing id="standing" role="status" aria-live="polite" data-record=(view.record) {
            span.dot id="standing-dot" {} span id="standing-text" { "Looking at the run ..." }
        }
        div id="progress" {}
        div id="report-head" { (PreEscaped(&view.page.head)) }
        div id="report-contents" { (PreEscaped(&view.page.contents)) }
        div.toolbar role="group" aria-label="Axes of the figures" {
            label { "x axis " select id="axis-x" {
                option value="" { "that of each figure" }
                option value="cycle" { "cycle" } option value="time" { "wall time" }
                option value="games" { "self-play games" } option value="rows" { "rows trained" }
                option value="evaluations" { "network evaluations" }
                option value="generation" { "generation" }
            } }
            label { input type="checkbox" id="axis-log"; " logarithmic x" }
            small { "Drag over a figure to zoom in. Double-click to see all of it." }
        }
        div id="report-body" { (PreEscaped(&view.page.body)) }
        p.sub { "As files: " a href=(link("/report.json")) { "all numbers as JSON" } }
        noscript { p.lacks { "Figures are drawn by a script. " code { "dagzero report" }
            " writes a page that needs none." } }
    };
    of.page(&["uPlot.min.js", "common.js", "chart.js", "report.js"], &body)
}
