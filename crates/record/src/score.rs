//! Results as records state them.

use std::fmt;

use dz_game::{Outcome, Player};

/// Who won, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// Who won.
    pub winner: Winner,
    /// How.
    pub by: By,
}

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    /// This player.
    Player(Player),
    /// Nobody.
    Draw,
    /// The record does not say.
    Unknown,
}

/// How a game was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// By the rules, or the record gives no reason.
    Rules,
    /// By points, komi counted.
    Points {
        /// Half points between the players.
        halves: u32,
    },
    /// The loser resigned.
    Resignation,
    /// The loser's time was up.
    Time,
    /// The loser broke rules or did not come.
    Forfeit,
    /// By somebody's decision, for example at a ply limit.
    Adjudication,
}

impl Score {
    /// No result.
    pub const UNKNOWN: Self = Self { winner: Winner::Unknown, by: By::Rules };

    /// The score of a game that the rules ended. `komi_halves` is what the second player gets on
    /// top of the margin.
    pub fn of(outcome: Outcome, komi_halves: i16) -> Self {
        let Some(player) = outcome.winner else {
            return Self { winner: Winner::Draw, by: By::Rules };
        };
        let by = outcome.margin.map_or(By::Rules, |margin| {
            let halves = 2 * i32::from(margin) - i32::from(komi_halves);
            By::Points { halves: halves.unsigned_abs() }
        });
        Self { winner: Winner::Player(player), by }
    }

    /// What SGF's property `RE` says, empty where nothing is known.
    pub(crate) fn sgf(self) -> String {
        let player = match self.winner {
            Winner::Unknown => return String::new(),
            Winner::Draw => return "0".to_owned(),
            Winner::Player(player) => ["B", "W"][player.index()],
        };
        match self.by {
            By::Rules | By::Adjudication => format!("{player}+"),
            By::Points { halves } => format!("{player}+{}", points(halves)),
            By::Resignation => format!("{player}+R"),
            By::Time => format!("{player}+T"),
            By::Forfeit => format!("{player}+F"),
        }
    }

    /// Reads `RE`; what is no result is [`Score::UNKNOWN`].
    pub(crate) fn of_sgf(text: &str) -> Self {
        let text = text.trim().to_ascii_lowercase();
        if matches!(text.as_str(), "0" | "draw" | "jigo") {
            return Self { winner: Winner::Draw, by: By::Rules };
        }
        let Some((player, how)) = text.split_once('+') else { return Self::UNKNOWN };
        let winner = match player.trim() {
            "b" | "black" => Winner::Player(Player::First),
            "w" | "white" => Winner::Player(Player::Second),
            _ => return Self::UNKNOWN,
        };
        let by = match how.trim() {
            "r" | "resign" | "res" | "resignation" => By::Resignation,
            "t" | "time" => By::Time,
            "f" | "forfeit" => By::Forfeit,
            number => halves(number).map_or(By::Rules, |halves| By::Points { halves }),
        };
        Self { winner, by }
    }

    /// PGN's result.
    pub(crate) fn pgn(self) -> &'static str {
        match self.winner {
            Winner::Player(Player::First) => "1-0",
            Winner::Player(Player::Second) => "0-1",
            Winner::Draw => "1/2-1/2",
            Winner::Unknown => "*",
        }
    }

    /// Reads PGN's result.
    pub(crate) fn of_pgn(text: &str) -> Option<Self> {
        let winner = match text {
            "1-0" | "1:0" => Winner::Player(Player::First),
            "0-1" | "0:1" => Winner::Player(Player::Second),
            "1/2-1/2" | "1/2" | "½-½" => Winner::Draw,
            "*" => Winner::Unknown,
            _ => return None,
        };
        Some(Self { winner, by: By::Rules })
    }

    /// Reads what [`fmt::Display`] writes.
    pub(crate) fn of_plain(text: &str) -> Option<Self> {
        if text == "unknown" {
            return Some(Self::UNKNOWN);
        }
        let (winner, how) = text.split_once(" by ").unwrap_or((text, "rules"));
        let winner = match winner {
            "first wins" => Winner::Player(Player::First),
            "second wins" => Winner::Player(Player::Second),
            "draw" => Winner::Draw,
            _ => return None,
        };
        let by = match how {
            "rules" => By::Rules,
            "resignation" => By::Resignation,
            "time" => By::Time,
            "forfeit" => By::Forfeit,
            "adjudication" => By::Adjudication,
            number => By::Points { halves: halves(number)? },
        };
        Some(Self { winner, by })
    }
}

/// `first wins by 3.5`, `draw`, `second wins by resignation`, `unknown`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Winner::Unknown => return f.write_str("unknown"),
            Winner::Draw => f.write_str("draw")?,
            Winner::Player(player) => write!(f, "{} wins", player.name())?,
        }
        match self.by {
            By::Rules => Ok(()),
            By::Points { halves } => write!(f, " by {}", points(halves)),
            By::Resignation => f.write_str(" by resignation"),
            By::Time => f.write_str(" by time"),
            By::Forfeit => f.write_str(" by forfeit"),
            By::Adjudication => f.write_str(" by adjudication"),
        }
    }
}

/// `3` or `3.5`.
fn points(halves: u32) -> String {
    format!("{}{}", halves / 2, if halves.is_multiple_of(2) { "" } else { ".5" })
}

/// Half points, to the nearest one: some servers write quarters.
fn halves(text: &str) -> Option<u32> {
    let number: f64 = text.parse().ok().filter(|n: &f64| (0.0..=1e6).contains(n))?;
    Some((2.0 * number).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_read_back() {
        let winners = [Winner::Player(Player::First), Winner::Player(Player::Second), Winner::Draw];
        let ways = [
            By::Rules,
            By::Points { halves: 7 },
            By::Points { halves: 24 },
            By::Resignation,
            By::Time,
            By::Forfeit,
            By::Adjudication,
        ];
        for (winner, by) in winners.into_iter().flat_map(|w| ways.map(|by| (w, by))) {
            let score = Score { winner, by };
            assert_eq!(Score::of_plain(&score.to_string()), Some(score));
            assert_eq!(Score::of_pgn(score.pgn()).map(|s| s.winner), Some(winner));
            let sgf = Score::of_sgf(&score.sgf());
            assert_eq!(sgf.winner, winner);
            if winner != Winner::Draw && by != By::Adjudication {
                assert_eq!(sgf, score);
            }
        }
        assert_eq!(Score::of_plain("unknown"), Some(Score::UNKNOWN));
        assert_eq!(Score::of_sgf(&Score::UNKNOWN.sgf()), Score::UNKNOWN);
    }

    #[test]
    fn komi_counts() {
        let win = |player, margin| Outcome { winner: Some(player), margin: Some(margin) };
        for (outcome, komi, text) in [
            (win(Player::First, 11), 15, "B+3.5"),
            (win(Player::Second, 3), 14, "W+4"),
            (win(Player::Second, -12), 0, "W+12"),
            (win(Player::First, -1), -5, "B+1.5"),
            (Outcome::win_of(Player::Second), 0, "W+"),
            (Outcome { winner: None, margin: Some(7) }, 14, "0"),
        ] {
            assert_eq!(Score::of(outcome, komi).sgf(), text);
        }
    }

    #[test]
    fn results_as_others_write_them() {
        let first = Winner::Player(Player::First);
        let second = Winner::Player(Player::Second);
        for (text, winner, by) in [
            ("B+Resign", first, By::Resignation),
            ("w+t", second, By::Time),
            ("Black + 2.50", first, By::Points { halves: 5 }),
            ("W+0.75", second, By::Points { halves: 2 }),
            ("B+what", first, By::Rules),
            ("Draw", Winner::Draw, By::Rules),
            ("Void", Winner::Unknown, By::Rules),
            ("?", Winner::Unknown, By::Rules),
            ("X+3", Winner::Unknown, By::Rules),
        ] {
            assert_eq!(Score::of_sgf(text), Score { winner, by }, "{text}");
        }
    }
}
