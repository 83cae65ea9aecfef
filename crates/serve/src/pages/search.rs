//! A search as a graph.

use maud::{Markup, html};

use super::layout::{PageOfRun, choice_of_boards};

/// The position is chosen on the page. `boards` are those of the run, its own first.
pub(crate) fn search(of: &PageOfRun<'_>, boards: &[&str], playouts_max: u32) -> Markup {
    let body = html! {
        h1 { "Search" }
        p.sub { "One search of a position, drawn as the graph that it is: a node is a position, a "
            "layer is a ply." }
        form.toolbar id="ask" {
            label.wide-label { "moves " input id="moves" autocomplete="off" spellcheck="false"
                placeholder="from the start, as the board names them"; }
            (choice_of_boards(boards))
            label { "evaluator: generation " (of.generations("generation")) }
            label { "playouts " input id="playouts" type="number" min="1"
                max=(playouts_max) value="200"; }
            label { "settings " input id="settings" autocomplete="off" spellcheck="false"
                placeholder="search.c_puct=2" ; }
            button type="submit" { "Search" }
        }
        p.bad id="trouble" role="alert" {}
        div id="result" hidden {
            dl.facts id="facts" {}
            p.sub id="searched" {}
            div.stepper {
                button type="button" id="back" aria-label="One playout back" { "◀" }
                input id="playout" type="range" min="1" value="1" aria-label="Playout";
                button type="button" id="forth" aria-label="One playout on" { "▶" }
                button type="button" id="run" aria-pressed="false" { "Animate" }
                output id="playout-text" {}
            }
            div.search-grid {
                div.of-graph {
                    div.toolbar.zoom role="group" aria-label="What of the graph is shown" {
                        button type="button" id="fit" { "Fit" }
                        button type="button" id="zoom-out" aria-label="Smaller" { "−" }
                        button type="button" id="zoom-in" aria-label="Larger" { "+" }
                        output id="zoom" {}
                        label { "nodes shown " select id="cap" {
                            option value="60" { "60" } option value="200" selected { "200" }
                            option value="600" { "600" } option value="2000" { "2,000" } } }
                        label { input type="checkbox" id="labels" checked; " names of moves" }
                    }
                    div.graph-frame { canvas id="graph" tabindex="0" role="img"
                        aria-label="The graph of the search; the tables have its numbers" {} }
                    ul.legend {
                        li { i.mark.first {} span id="good-first" { "good for the first player" } }
                        li { i.mark.second {} span id="good-second" { "good for the second" } }
                        li { i.mark.large {} "more visits" }
                        li { i.mark.ring {} "transposition: several moves lead to it" }
                        li { i.mark.over {} "the game is over" }
                        li { i.mark.path {} "the playout of the slider" }
                    }
                    p.sub { small { "The nodes with most visits are shown. Click a node for its edges and "
                        "its other children. Keys on the graph: + and − zoom, 0 fits, arrows go from "
                        "node to node." } }
                }
                div.of-node {
                    div.board-frame.small id="board" {}
                    p id="node-text" role="status" {}
                    p.actions { button type="button" id="from-here" hidden { "Search from here" } }
                    div id="edges" {}
                }
                div.of-playout {
                    h2 { "This playout" }
                    div id="choices" {}
                }
            }
        }
    };
    of.page(&["common.js", "pieces.js", "board.js", "graph.js", "search.js"], &body)
}
