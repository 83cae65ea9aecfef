//! Sample positions as boards, evaluated by an old champion and the newest one.

use std::fmt::Write as _;

use dz_game::Player;

use super::body::Body;
use super::escape;
use crate::board::{board, board_svg};
use crate::count;
use crate::measures::SampleView;
use crate::report::Report;

/// How many moves are listed beside a board.
const MOVES_MAX: usize = 3;

impl Report {
    pub(super) fn samples(&self, out: &mut Body) {
        if self.measures.samples.is_empty() {
            return;
        }
        out.section("Sample positions");
        out.push_str(
            "<p>The same positions in the eyes of the first and \
             the newest champion, without a search: the area of a disc is the policy's share of a \
             move, the number is per cent. Chances are those of the player to move.</p>\n\
             <div class=\"samples\" data-key=\"measures.samples\">\n",
        );
        for sample in &self.measures.samples {
            let Some(drawn) = board(&self.run.game, &sample.moves) else { continue };
            let mover = match drawn.to_move {
                Some(Player::First) => "first player to move",
                Some(Player::Second) => "second player to move",
                None => "over",
            };
            let line = match sample.moves.as_slice() {
                [] => "The start".to_owned(),
                moves => format!("After {}", moves.join(" ")),
            };
            let _ = writeln!(
                out,
                "<div class=\"sample\"><p>{}, {mover}</p><div class=\"views\">",
                escape(&line)
            );
            for view in &sample.views {
                let title = format!("Generation {}", self.generation_of(view.cycle));
                let picture = board_svg(&drawn, &view.position.policy, &title);
                let _ = writeln!(
                    out,
                    "<figure>{picture}<figcaption><b>{title}</b><br>{}</figcaption></figure>",
                    escape(&said(view))
                );
            }
            out.push_str("</div></div>\n");
        }
        out.push_str("</div></section>\n");
    }

    fn generation_of(&self, cycle: u32) -> u32 {
        self.cycle(cycle).and_then(|facts| facts.promoted).unwrap_or(0)
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
