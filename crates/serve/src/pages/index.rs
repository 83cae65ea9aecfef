//! The page of all runs.

use dz_report::count;
use maud::{Markup, html};

use super::layout::layout;
use super::soft;
use super::spark::sparkline;
use crate::cards::Card;
use crate::runs::FoundRun;

/// Runs below `folder`, each with its card.
pub(crate) fn index(folder: &str, runs: &[(FoundRun, Card)], post_token: &str) -> Markup {
    let body = html! {
        h1 { "Runs" }
        p.sub { (count::plural(runs.len() as u64, "run")) " below "
            code { (dz_text::line(folder)) } }
        @if runs.is_empty() {
            p.verdict { "There is no run here yet. " code { "dagzero run connect4-quick" }
                " makes one; this page then shows it." }
        } @else {
            form action="/compare" method="get" {
                div.cards id="cards" data-folder="1" {
                    @for (run, card) in runs { (card_of(run, card)) }
                }
                @if runs.len() > 1 {
                    p.actions.compare { button type="submit" { "Compare picked runs" }
                        small id="picked" { "Pick two or more: their Elo curves over each other, "
                            "and the keys in which their configurations differ." } }
                }
            }
        }
    };
    layout("Runs", None, &["common.js", "index.js"], post_token, &body)
}

/// Text in which commands stand between backticks.
fn with_code(text: &str) -> Markup {
    html! {
        @for (at, part) in dz_text::line(text).split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

fn card_of(run: &FoundRun, card: &Card) -> Markup {
    let name = dz_text::line(&run.name);
    html! {
        article.card data-run=(run.id) {
            div.card-head {
                label.pick-run title="Pick it for a comparison" {
                    input type="checkbox" name="run" value=(run.id)
                        aria-label=(format!("Pick {name}"));
                }
                h2 { a href=(run.link("")) { (name) } }
                span class=(format!("state {}", card.state)) { (card.state) }
            }
            @if let Some(error) = &card.error {
                p.bad { "This run cannot be read: " (dz_text::lines(error)) }
            } @else {
                p.sub { (soft(&card.game)) }
                div.card-elo {
                    div {
                        @match card.elo {
                            Some([elo, error]) => {
                                span.elo { strong { (count::elo_error(elo, error)) } " Elo" }
                                @if let Some(against) = &card.against {
                                    br; small { "against " (dz_text::line(against)) }
                                }
                            }
                            None => { small { "no champion is rated" } }
                        }
                    }
                    @if card.curve.len() > 1 {
                        (sparkline(&card.curve, "Elo of the champions over running time"))
                    }
                }
                dl.card-facts {
                    div { dt { "cycles" } dd {
                        (card.cycles_done) @if card.cycles > 0 { " of " (card.cycles) }
                    } }
                    div { dt { "generation" } dd { (card.generation) } }
                    div { dt { "games" } dd { (count::whole(card.games)) } }
                    div { dt { "running time" } dd { (count::duration(card.elapsed_ms)) } }
                    div { dt { "positions" } dd { (count::whole(card.positions)) } }
                    div { dt { "disk" } dd { (count::bytes(card.disk_bytes())) } }
                }
                @for alarm in &card.alarms { p.alarm { (with_code(alarm)) } }
            }
            p.card-links {
                a href=(run.link("")) { "Report" } a href=(run.link("/games")) { "Games" }
                a href=(run.link("/play")) { "Play" } a href=(run.link("/search")) { "Search" }
            }
        }
    }
}
