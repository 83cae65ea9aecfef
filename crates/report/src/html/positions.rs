//! Sample positions as boards, evaluated by an old champion and the newest one.

use dz_game::Player;
use maud::{Markup, html};

use super::section::{Section, Title};
use crate::board::{Board, board, board_svg};
use crate::count;
use crate::measures::SampleView;
use crate::report::Report;

/// How many moves are listed beside a board.
const MOVES_MAX: usize = 3;

impl Report {
    pub(super) fn samples(&self) -> Option<Section> {
        let samples = &self.measures.samples;
        if samples.is_empty() {
            return None;
        }
        let content = html! {
            p {
                "The same positions in the eyes of the first and the newest champion, without a \
                 search: the area of a disc is the policy's share of a move, the number is per \
                 cent. Chances are those of the player to move."
            }
            div.samples data-key="measures.samples" {
                @for sample in samples {
                    @if let Some(drawn) = board(&self.run.game, &sample.moves) {
                        div.sample {
                            p { (line(&sample.moves)) ", " (mover(&drawn)) }
                            div.views {
                                @for view in &sample.views { (self.view(&drawn, view)) }
                            }
                        }
                    }
                }
            }
        };
        Some(Title("Sample positions").section(content))
    }

    /// A board as a champion sees it.
    fn view(&self, drawn: &Board, view: &SampleView) -> Markup {
        let title = format!("Generation {}", self.generation_of(view.cycle));
        html! {
            figure {
                (board_svg(drawn, &view.position.policy, &title))
                figcaption { b { (title) } br; (said(view)) }
            }
        }
    }

    fn generation_of(&self, cycle: u32) -> u32 {
        self.cycle(cycle).and_then(|facts| facts.promoted).unwrap_or(0)
    }
}

fn line(moves: &[String]) -> String {
    match moves {
        [] => "The start".to_owned(),
        moves => format!("After {}", moves.join(" ")),
    }
}

fn mover(board: &Board) -> &'static str {
    match board.to_move {
        Some(Player::First) => "first player to move",
        Some(Player::Second) => "second player to move",
        None => "over",
    }
}

/// Value and best moves in words.
fn said(view: &SampleView) -> String {
    let [win, draw, loss] = view.position.value.map(count::whole_percent);
    let moves = view.position.policy.iter().take(MOVES_MAX);
    let moves: Vec<String> =
        moves.map(|(name, share)| format!("{name} ({} %)", count::whole_percent(*share))).collect();
    format!("win {win} %, draw {draw} %, loss {loss} %; {}", moves.join(", "))
}
