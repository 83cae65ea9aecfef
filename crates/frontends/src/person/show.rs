//! The text around the board: sides, status, evaluation bar.

use std::fmt::Write;

use dz_game::{BoardKind, Player, Status};

use super::Person;

/// Width of the evaluation bar, in characters.
const BAR: usize = 30;

impl Person {
    /// Returns the board and the text below it.
    pub(super) fn show(&self) -> String {
        format!("\n{}{}{}", self.session.board(), self.status_text(), self.bar_line())
    }

    /// Returns whose the signs are, and whose move it is or how the game ended.
    pub fn status_text(&self) -> String {
        let mut text = self.legend() + "\n";
        match self.session.status() {
            Status::ToMove(player) => {
                let _ = writeln!(text, "{} to move", self.name(player));
            }
            Status::Over(outcome) => {
                let points = outcome.margin.map_or(String::new(), |margin| {
                    format!(" (first minus second player, before komi: {margin})")
                });
                let _ = match outcome.winner {
                    Some(winner) => writeln!(text, "over: {} wins{points}", self.name(winner)),
                    None => writeln!(text, "over: a draw{points}"),
                };
                text.push_str("new begins again, undo takes back, quit leaves\n");
            }
        }
        text
    }

    /// Returns which player has which signs on the board.
    fn legend(&self) -> String {
        let [first, second] = Player::BOTH.map(|player| self.owner(player));
        match self.session.display().board {
            BoardKind::Pieces => format!("capital letters: {first}; small letters: {second}"),
            _ => format!("X: {first}; O: {second}"),
        }
    }

    fn owner(&self, player: Player) -> String {
        let side = self.session.display().sides[player.index()];
        let who = match self.side {
            None => "you",
            Some(person) if person == player => "you",
            Some(_) => self.session.player(),
        };
        format!("{side} ({who})")
    }

    fn name(&self, player: Player) -> String {
        let sign = match (self.session.display().board, player) {
            (BoardKind::Pieces, _) => "",
            (_, Player::First) => "X, ",
            (_, Player::Second) => "O, ",
        };
        format!("{sign}{}", self.owner(player))
    }

    /// Returns the bar of expected scores by the last search; empty without a search or if the bar
    /// is hidden.
    pub fn bar_line(&self) -> String {
        let Some(score) = self.score.filter(|_| self.bar) else { return String::new() };
        let full = (score * BAR as f64).round() as usize;
        let [first, second] = self.session.display().sides;
        format!(
            "{first} {:>3.0} % {}{} {:.0} % {second}\n",
            100.0 * score,
            "#".repeat(full),
            "-".repeat(BAR.saturating_sub(full)),
            100.0 * (1.0 - score)
        )
    }
}
