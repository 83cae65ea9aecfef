//! Scripts and style sheets, part of the program.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Name, content type, content.
const ASSETS: [(&str, &str, &str); 13] = [
    ("uPlot.min.js", SCRIPT, include_str!("../assets/uplot/uPlot.min.js")),
    ("uPlot.min.css", STYLE, include_str!("../assets/uplot/uPlot.min.css")),
    ("common.js", SCRIPT, include_str!("../assets/common.js")),
    ("index.js", SCRIPT, include_str!("../assets/index.js")),
    ("chart.js", SCRIPT, include_str!("../assets/chart.js")),
    ("report.js", SCRIPT, include_str!("../assets/report.js")),
    ("compare.js", SCRIPT, include_str!("../assets/compare.js")),
    ("pieces.js", SCRIPT, include_str!("../assets/pieces.js")),
    ("board.js", SCRIPT, include_str!("../assets/board.js")),
    ("games.js", SCRIPT, include_str!("../assets/games.js")),
    ("play.js", SCRIPT, include_str!("../assets/play.js")),
    ("graph.js", SCRIPT, include_str!("../assets/graph.js")),
    ("search.js", SCRIPT, include_str!("../assets/search.js")),
];

/// The style sheet of this crate's pages, behind that of the report.
const OWN_STYLE: &str = include_str!("../assets/style.css");

/// The address of an asset. It changes with the version of the program.
pub(crate) fn link(name: &str) -> String {
    format!("/assets/{name}?v={}", env!("CARGO_PKG_VERSION"))
}

/// An asset as an answer; none where there is no such file.
pub(crate) fn answer(name: &str) -> Option<Response> {
    // Another build of one version may have other scripts, so they are asked for again.
    let cached = (CACHE_CONTROL, "no-cache");
    if name == "style.css" {
        let text = dz_report::page_style() + OWN_STYLE;
        return Some(([(CONTENT_TYPE, STYLE), cached], text).into_response());
    }
    let (_, kind, text) = ASSETS.iter().find(|(own, ..)| *own == name)?;
    Some(([(CONTENT_TYPE, *kind), cached], *text).into_response())
}
