//! Other runs, laid over a report's curve.

use crate::report::{Compared, Report};

impl Report {
    /// Whether the ledgers name different games. A ledger without entries names none.
    pub fn plays_another_game(&self, other: &Self) -> bool {
        let [own, theirs] = [self, other].map(|report| report.run.game.as_str());
        !own.is_empty() && !theirs.is_empty() && own != theirs
    }

    /// Lays another run over this one, with the same anchor at 0 Elo. Both runs must play the same
    /// game, and the other one must have met this one's anchor at 0 Elo.
    pub fn compare(&mut self, other: &Self) {
        let zero = self.zero_anchor().map(|anchor| anchor.name.as_str());
        let moved = zero.and_then(|zero| other.curve_above(zero));
        let refused = if self.plays_another_game(other) {
            Some(format!("it plays {}, not {}", other.run.game, self.run.game))
        } else if other.curve.is_empty() {
            Some("none of its champions is rated".to_owned())
        } else {
            match (zero, &moved) {
                (Some(_), Some(_)) => None,
                (Some(zero), None) => {
                    Some(format!("it has no games against {zero}, which is at 0 Elo here"))
                }
                (None, _) => Some("this run has no anchor at 0 Elo".to_owned()),
            }
        };
        let anchors = self.anchors().into_iter().filter_map(|anchor| {
            let theirs = other.players.iter().find(|p| p.is_anchor() && p.name == anchor.name)?;
            Some((anchor.name.clone(), anchor.elo, theirs.elo))
        });
        let anchors = anchors.collect();
        self.compared.push(Compared {
            name: other.run.name.clone(),
            game: other.run.game.clone(),
            curve: moved.unwrap_or_else(|| other.curve.clone()),
            anchors,
            refused,
        });
    }
}
