//! The text around the board: sides, status, evaluation bar.

use std::fmt::Write;

use dz_game::{BoardKind, Player, Status};

use super::Person;
use super::picture::{Picture, colour};

/// Width of the evaluation bar, in characters.
const BAR: usize = 30;

impl Person {
    /// Returns the board and the text below it.
    pub(super) fn show(&self) -> String {
        let board = Picture::of(&*self.session).text(self.look);
        format!("\n{board}{}{}", self.status_text(), self.bar_line())
    }

    /// Returns whose the signs are, and whose move it is or how the game ended.
    pub fn status_text(&self) -> String {
        let mut text = self.legend() + "\n";
        text += &self.captures().unwrap_or_default();
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
        if self.session.display().board == BoardKind::Pieces {
            format!("capital letters: {first}; small letters: {second}")
        } else {
            let [x, o] = Player::BOTH.map(|player| self.sign(player));
            format!("{x}: {first}; {o}: {second}")
        }
    }

    /// Returns how many stones each player has captured, in Go: stones that were put on the board
    /// and are not there any more. Suicides count for the opponent.
    fn captures(&self) -> Option<String> {
        let session = &*self.session;
        let stones = session.stones().filter(|_| session.has_komi())?;
        let pass = session.pass();
        let captured = Player::BOTH.map(|player| {
            let lost = player.opponent();
            let played = |&&(who, mv): &&(Player, dz_game::Move)| who == lost && Some(mv) != pass;
            let placed = session.log().iter().filter(played).count();
            let left = stones.iter().filter(|&&stone| stone == Some(lost)).count();
            placed.saturating_sub(left)
        });
        let sides = session.display().sides;
        Some(format!(
            "captured by {}: {}, by {}: {}\n",
            sides[0], captured[0], sides[1], captured[1]
        ))
    }

    /// Returns a player's sign on the board.
    fn sign(&self, player: Player) -> String {
        let sign = if player == Player::First { 'X' } else { 'O' };
        let shown = Picture::of(&*self.session).shown(sign, self.look).to_string();
        self.look.paint(colour(player), &shown).into_owned()
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
        let owner = self.owner(player);
        match self.session.display().board {
            BoardKind::Pieces => owner,
            _ => format!("{}, {owner}", self.sign(player)),
        }
    }

    /// Returns the bar of expected scores by the last search; empty without a search or if the bar
    /// is hidden.
    pub fn bar_line(&self) -> String {
        let Some(score) = self.score.filter(|_| self.bar) else { return String::new() };
        let [full, empty] = self.look.bar(score, BAR);
        let [first, second] = self.session.display().sides;
        let [for_first, for_second] = [100.0 * score, 100.0 * (1.0 - score)];
        let full = self.look.paint(colour(Player::First), &full);
        let empty = self.look.paint(colour(Player::Second), &empty);
        format!("{first} {for_first:>3.0} % {full}{empty} {for_second:.0} % {second}\n")
    }
}
