//! Games of stages of the run, to step through without a script: each position is the sibling of a
//! radio button, and arrow keys go from one to the next.

use std::fmt::Write as _;

use super::body::Body;
use super::escape;
use crate::board::{board, ground_svg, pieces_svg};
use crate::count;
use crate::measures::StageGame;
use crate::report::Report;

impl Report {
    pub(super) fn stage_games(&self, out: &mut Body) {
        let games = &self.measures.stage_games;
        if games.is_empty() {
            return;
        }
        out.heading("Games of the run's stages");
        out.push_str(
            "<p>The first self-play game of an early, a middle and the newest cycle. \
             The links under a board, or the arrow keys after a click on one, go to the next \
             position.</p>\n<div class=\"samples\" data-key=\"measures.stage_games\">\n",
        );
        for (number, game) in games.iter().enumerate() {
            self.stage_game(out, number, game);
        }
        out.push_str("</div>\n");
    }

    fn stage_game(&self, out: &mut Body, number: usize, game: &StageGame) {
        let id = format!("game-{number}");
        let Some(start) = board(&self.run.game, &[]) else { return };
        let _ = writeln!(
            out,
            "<div class=\"sample\"><p>Cycle {}, generation {}, game {}: {} plies, {}</p>{}\
             <div class=\"steps\" role=\"radiogroup\" aria-label=\"Positions of game {}\">",
            game.cycle,
            game.generation,
            count::whole(game.number),
            game.plies,
            escape(&game.result),
            ground_svg(&start, &format!("{id}-board")),
            game.number,
        );
        let last = game.moves.len();
        for ply in 0..=last {
            let Some(now) = board(&self.run.game, &game.moves[..ply]) else { break };
            let played = ply.checked_sub(1).map(|before| game.moves[before].as_str());
            let title = match played {
                None => "The start".to_owned(),
                Some(mv) => format!("Ply {ply}: {mv}"),
            };
            let checked = if ply == last { " checked" } else { "" };
            let title = escape(&title);
            let _ = write!(
                out,
                "<input type=\"radio\" name=\"{id}\" id=\"{id}-{ply}\" aria-label=\"{title}\"{checked}>\
                 <figure>{}<figcaption>{title} ",
                pieces_svg(&now, &format!("{id}-board"), played, &title),
            );
            for (to, word) in
                [(ply.checked_sub(1), "back"), ((ply < last).then_some(ply + 1), "on")]
            {
                if let Some(to) = to {
                    let _ = write!(out, "<label for=\"{id}-{to}\">{word}</label> ");
                }
            }
            out.push_str("</figcaption></figure>\n");
        }
        out.push_str("</div></div>\n");
    }
}
