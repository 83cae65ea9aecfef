//! Runs over each other, and how their configurations differ.

use dz_report::Figure;
use maud::{Markup, html};

use super::layout::layout;
use super::soft;
use crate::difference::Row;
use crate::runs::FoundRun;

/// Runs, their curves, and the keys in which they differ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compared<'a> {
    pub(crate) runs: &'a [FoundRun],
    pub(crate) figures: &'a [Figure],
    pub(crate) rows: &'a [Row],
}

/// `refused` names runs that are not drawn, and why; `unknown` whose configuration in force is not
/// known, and why.
pub(crate) fn compare(
    compared: &Compared<'_>,
    refused: &[String],
    unknown: &[String],
    post_token: &str,
) -> Markup {
    let Compared { runs, figures, rows } = *compared;
    let names = || runs.iter().map(|run| dz_text::line(&run.name));
    let data = serde_json::to_string(figures).unwrap_or_default();
    let body = html! {
        h1 { "Comparison" }
        p.sub { @for (at, run) in runs.iter().enumerate() {
            @if at > 0 { " · " } a href=(run.link("")) { (dz_text::line(&run.name)) } } }
        (notes("Not drawn", refused))
        h2 { "Elo" }
        @if figures.is_empty() { p.none { "No champion of these runs is rated." } }
        @else {
            div.toolbar { label { "x axis " select id="compare-x" {
                @for (at, figure) in figures.iter().enumerate() {
                    option value=(at) { (figure.x.label) } } } } }
            figure { figcaption { b { "Elo of the champions" } }
                div.plot data-figure="0" id="compare-plot" role="img"
                    aria-label="Elo of the champions" {} }
        }
        h2 { "Configurations" }
        (notes("Compared by config.toml, since the configuration in force is not known", unknown))
        @if rows.is_empty() { p.none { "No key differs." } }
        @else {
            div.scroll { table.diff.stack {
                thead { tr { th { "key" } @for name in names() { th { (name) } } } }
                tbody { @for (key, values) in rows { tr {
                    td { code { (dz_text::line(key)) } }
                    @for (name, value) in names().zip(values) { td data-label=(name) {
                        @if value.is_empty() { small { "not set" } }
                        @else { (soft(value)) }
                    } }
                } } }
            } }
        }
        script type="application/json" id="figures" { (maud::PreEscaped(harmless(&data))) }
    };
    let scripts = ["uPlot.min.js", "common.js", "chart.js", "compare.js"];
    layout("Comparison", None, &scripts, post_token, &body)
}

fn notes(title: &str, lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() {
            div.lacks { b { (title) } ul { @for line in lines { li { (soft(line)) } } } }
        }
    }
}

/// JSON within a `script` element: no text in it can end the element.
fn harmless(json: &str) -> String {
    json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

#[cfg(test)]
mod tests {
    #[test]
    fn json_does_not_end_its_element() {
        let json = super::harmless("{\"a\":\"</script><b>&\"}");
        assert_eq!(json, "{\"a\":\"\\u003c/script\\u003e\\u003cb\\u003e\\u0026\"}");
    }
}
