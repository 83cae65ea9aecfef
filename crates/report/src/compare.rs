//! Other runs, laid over a report's curve.

use crate::report::{Compared, Report};

impl Report {
    /// Lays another run over this one. Its ratings are drawn as they are: both runs must have the
    /// same anchor at 0 Elo, and play the same game.
    pub fn compare(&mut self, other: &Self) {
        let zero = |report: &Self| report.zero_anchor().map(|anchor| anchor.name.clone());
        let refused = if other.run.game != self.run.game {
            Some(format!("it plays {}, not {}", other.run.game, self.run.game))
        } else if other.curve.is_empty() {
            Some("none of its champions is rated".to_owned())
        } else {
            match (zero(self), zero(other)) {
                (Some(ours), Some(theirs)) if ours == theirs => None,
                (Some(ours), Some(theirs)) => {
                    Some(format!("{theirs} is its anchor at 0 Elo, not {ours}"))
                }
                _ => Some("one of the two has no anchor at 0 Elo".to_owned()),
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
            curve: other.curve.clone(),
            anchors,
            refused,
        });
    }
}
