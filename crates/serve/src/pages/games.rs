//! The page of recorded games.

use maud::{Markup, html};

use super::layout::PageOfRun;

/// `cycles` are those that have games.
pub(crate) fn games(of: &PageOfRun<'_>, cycles: &[u32]) -> Markup {
    let body = html! {
        h1 { "Games" }
        section.ages aria-label="Through the ages" {
            h2 { "Through the ages" }
            p { "One self-play game of each stage of the run. Pick one to step through it." }
            div.strip id="ages" {}
        }
        section.viewer id="viewer" hidden {
            h2 id="game-title" tabindex="-1" { "Game" }
            p.sub id="game-note" {}
            div.viewer-grid {
                div {
                    div.board-frame id="board" {}
                    div.stepper {
                        button type="button" id="first" aria-label="To the start" { "«" }
                        button type="button" id="back" aria-label="One move back" { "◀" }
                        input id="ply" type="range" min="0" value="0" aria-label="Move";
                        button type="button" id="forth" aria-label="One move on" { "▶" }
                        button type="button" id="last" aria-label="To the end" { "»" }
                    }
                    p id="ply-text" role="status" {}
                }
                div {
                    div.toolbar {
                        label { "on the board " select id="overlay" {
                            option value="visits" { "visits of the search" }
                            option value="target" { "policy target" }
                            option value="policy" { "raw policy of the champion" }
                            option value="network-ownership" { "ownership, by the champion" }
                            option value="ownership" { "ownership at the end" }
                            option value="" { "nothing" }
                        } }
                        label { "champion " (of.generations("generation")) }
                    }
                    figure { figcaption { b id="curve-title" { "Expected score" } }
                        div.curve id="curve" role="img"
                            aria-label="Expected score of the first player" {} }
                    div id="shares" {}
                    p.actions { a.button id="download" href="#" { "Download the record" }
                        a.button id="to-search" href="#" { "Search this position" } }
                    p.sub { "Keys: ← and → step, Home and End go to the ends." }
                }
            }
        }
        section {
            h2 { "All games" }
            form.toolbar id="filter" {
                label { "kind " select id="kind" {
                    option value="selfplay" { "self-play" } option value="gate" { "gate" }
                    option value="rating" { "rating" } option value="final" { "final match" }
                } }
                label { "cycle " select id="cycle" {
                    option value="" { "all" }
                    @for cycle in cycles.iter().rev() { option value=(cycle) { (cycle) } }
                } }
                label { "result " select id="result" {
                    option value="" { "all" } option value="first" { "first player won" }
                    option value="second" { "second player won" } option value="draw" { "draw" }
                } }
                label { "plies from " input id="plies-min" type="number" min="0" max="100000"; }
                label { "to " input id="plies-max" type="number" min="0" max="100000"; }
            }
            p.bad id="list-trouble" role="status" {}
            div id="list" {}
            p.actions { button type="button" id="earlier" disabled { "Previous page" }
                button type="button" id="later" disabled { "Next page" } }
        }
    };
    of.page(&["common.js", "pieces.js", "board.js", "games.js"], &body)
}
