//! The board to play on.

use maud::{Markup, html};

use super::layout::{PageOfRun, choice_of_boards};

/// A game against a champion. `boards` are those of the run, its own first.
pub(crate) fn play(of: &PageOfRun<'_>, boards: &[&str]) -> Markup {
    let body = html! {
        h1 { "Play" }
        div.viewer-grid {
            div {
                div.board-frame id="board" {}
                div.score-bar id="score" hidden { div.share-bar { i {} i {} } span {} }
                p.status id="status" role="status" aria-live="polite" { "A new game begins ..." }
                div.choices id="choices" role="group" aria-label="Moves beside the board" {}
                p.actions {
                    button type="button" id="hint" { "Hint" }
                    button type="button" id="undo" { "Undo" }
                    button type="button" id="flip" { "Turn the board" }
                }
                p.bad id="trouble" role="alert" {}
            }
            div {
                form.toolbar.rows id="setup" {
                    (choice_of_boards(boards))
                    label { "opponent: generation " (of.generations("generation")) }
                    label { "you play " select id="side" {
                        option value="first" { "first" } option value="second" { "second" }
                        option value="both" { "both sides" }
                    } }
                    label { "playouts a move " select id="playouts" {
                        @for level in 0..=12_u32 {
                            option value=(1_u32 << level) selected[level == 7] { (1_u32 << level) }
                        }
                    } }
                    button type="submit" { "New game" }
                }
                div id="hints" {}
                h2 { "Moves" }
                ol.moves id="moves" {}
                form.toolbar.typed id="typed" {
                    label { "move " input id="move" autocomplete="off" spellcheck="false"
                        maxlength="20" placeholder="as the board names it"; }
                    button type="submit" class="plain" { "Play it" }
                }
                p.sub { "Keys: the arrows move over the board, Enter plays. "
                    span id="chess-keys" hidden { "Typed moves may be e2e4, e4, Nf3 or O-O." } }
            }
        }
    };
    of.page(&["common.js", "pieces.js", "board.js", "play.js"], &body)
}
