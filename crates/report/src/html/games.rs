//! Games of stages of the run, to step through without a script: each position is the sibling of a
//! radio button, and arrow keys go from one to the next.

use maud::{Markup, html};

use super::section::Title;
use crate::board::{board, ground_svg, pieces_svg};
use crate::count;
use crate::measures::StageGame;
use crate::report::Report;

impl Report {
    pub(super) fn stage_games(&self, section: Title) -> Markup {
        let games = &self.measures.stage_games;
        if games.is_empty() {
            return Markup::default();
        }
        html! {
            (section.heading("Games of the run's stages"))
            p {
                "The first self-play game of an early, a middle and the newest cycle. The links \
                 under a board, or the arrow keys after a click on one, go to the next position."
            }
            div.samples data-key="measures.stage_games" {
                @for (number, game) in games.iter().enumerate() { (self.stage_game(number, game)) }
            }
        }
    }

    fn stage_game(&self, number: usize, game: &StageGame) -> Markup {
        let id = format!("game-{number}");
        let ground = format!("{id}-board");
        let Some(start) = board(&self.run.game, &[]) else { return Markup::default() };
        let boards = (0..=game.moves.len()).map_while(|ply| {
            let played = ply.checked_sub(1).map(|before| game.moves[before].as_str());
            Some((ply, played, board(&self.run.game, &game.moves[..ply])?))
        });
        html! {
            div.sample {
                p {
                    "Cycle " (game.cycle) ", generation " (game.generation) ", game "
                    (count::whole(game.number)) ": " (game.plies) " plies, " (game.result)
                }
                (ground_svg(&start, &ground))
                div.steps role="radiogroup" aria-label={ "Positions of game " (game.number) } {
                    @for (ply, played, now) in boards {
                        @let title = title(ply, played);
                        input type="radio" name=(id) id={ (id) "-" (ply) } aria-label=(title)
                            checked[ply == game.moves.len()];
                        figure {
                            (pieces_svg(&now, &ground, played, &title))
                            figcaption { (title) " " (links(&id, ply, game.moves.len())) }
                        }
                    }
                }
            }
        }
    }
}

fn title(ply: usize, played: Option<&str>) -> String {
    match played {
        None => "The start".to_owned(),
        Some(mv) => format!("Ply {ply}: {mv}"),
    }
}

/// What leads from a position to its neighbours.
fn links(id: &str, ply: usize, last: usize) -> Markup {
    let back = ply.checked_sub(1).map(|to| (to, "back"));
    let on = (ply < last).then_some((ply + 1, "on"));
    html! {
        @for (to, word) in back.into_iter().chain(on) {
            label for={ (id) "-" (to) } { (word) } " "
        }
    }
}
