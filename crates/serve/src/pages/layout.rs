//! What all pages have in common.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::assets;
use crate::runs::FoundRun;

/// A page of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tab {
    Report,
    Games,
    Play,
    Search,
}

impl Tab {
    const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Report, "Report", ""),
        (Self::Games, "Games", "/games"),
        (Self::Play, "Play", "/play"),
        (Self::Search, "Search", "/search"),
    ];
}

/// Which page of which run, and the generations that it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageOfRun<'a> {
    pub(crate) run: &'a FoundRun,
    pub(crate) tab: Tab,
    /// The token that the page sends with what it asks for.
    pub(crate) post_token: &'a str,
    /// The newest generation.
    pub(crate) generation: u32,
}

impl PageOfRun<'_> {
    /// The page around `body`.
    pub(crate) fn page(&self, scripts: &[&str], body: &Markup) -> Markup {
        let title = dz_text::line(&self.run.name);
        layout(&title, Some(self), scripts, self.post_token, body)
    }

    /// A choice of the champions, newest first.
    pub(crate) fn generations(&self, id: &str) -> Markup {
        html! {
            select id=(id) {
                @for generation in (0..=self.generation).rev() {
                    option value=(generation) {
                        @if generation == 0 { "0 (no network)" } @else { (generation) }
                        @if generation == self.generation { ", newest" }
                    }
                }
            }
        }
    }
}

/// A choice of the boards of a run. Hidden where there is one.
pub(crate) fn choice_of_boards(boards: &[&str]) -> Markup {
    html! {
        label hidden[boards.len() < 2] { "board " select id="rules" {
            @for board in boards { option value=(board) { (dz_text::line(board)) } }
        } }
    }
}

/// A page. `scripts` are names of assets, run in their order once the page is read.
pub(crate) fn layout(
    title: &str,
    of_run: Option<&PageOfRun<'_>>,
    scripts: &[&str],
    post_token: &str,
    body: &Markup,
) -> Markup {
    let charts = scripts.contains(&"chart.js");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                @if !post_token.is_empty() { meta name="dagzero-token" content=(post_token); }
                @if let Some(of_run) = of_run {
                    meta name="dagzero-run" content=(of_run.run.link(""));
                }
                title { (title) " - DagZero" }
                link rel="icon" href=(ICON);
                link rel="stylesheet" href=(assets::link("style.css"));
                @if charts { link rel="stylesheet" href=(assets::link("uPlot.min.css")); }
                @for script in scripts { script src=(assets::link(script)) defer {} }
            }
            body {
                a.skip href="#main" { "To the content" }
                header.bar {
                    a.home href="/" { (PreEscaped(LOGO)) "DagZero" }
                    @if let Some(PageOfRun { run, tab, .. }) = of_run {
                        span.where title=(dz_text::line(&run.name)) { (dz_text::line(&run.name)) }
                        nav.tabs aria-label="Pages of the run" {
                            @for (own, name, page) in Tab::ALL {
                                @let current = if own == *tab { Some("page") } else { None };
                                a href=(run.link(page)) aria-current=[current] { (name) }
                            }
                        }
                    }
                }
                main id="main" { (body) }
            }
        }
    }
}

/// The logo as the icon of a tab, in the blue of both schemes' middle.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'%3E\
    %3Cpath d='M12 5 6 12l6 7 6-7z' fill='none' stroke='rgb(74,144,220)' stroke-width='1.8'/%3E\
    %3Cg fill='rgb(74,144,220)'%3E%3Ccircle cx='12' cy='5' r='3.4'/%3E%3Ccircle cx='6' cy='12' r='3'/%3E\
    %3Ccircle cx='18' cy='12' r='3'/%3E%3Ccircle cx='12' cy='19' r='3.4'/%3E%3C/g%3E%3C/svg%3E";

/// Three nodes of a graph that share a child.
const LOGO: &str = "<svg viewBox=\"0 0 24 24\" width=\"22\" height=\"22\" aria-hidden=\"true\">\
    <g fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.6\">\
    <path d=\"M12 5 6 12l6 7 6-7z\"/></g><g fill=\"currentColor\">\
    <circle cx=\"12\" cy=\"5\" r=\"3\"/>\
    <circle cx=\"6\" cy=\"12\" r=\"2.6\"/><circle cx=\"18\" cy=\"12\" r=\"2.6\"/>\
    <circle cx=\"12\" cy=\"19\" r=\"3\"/></g></svg>";
