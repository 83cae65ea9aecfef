//! Whose move it is, how a game ended, and what that is worth to whom.

use serde::{Deserialize, Serialize};

/// Which player: the one who makes the game's first move, or the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Player {
    /// Moves first.
    First,
    /// Moves second.
    Second,
}

impl Player {
    /// The first player, then the second.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The other player.
    #[must_use]
    pub fn opponent(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
    /// 0 for the first player, 1 for the second.
    pub fn index(self) -> usize {
        self as usize
    }
    /// "first" or "second".
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Second => "second",
        }
    }
}

/// How a game ended, absolute: nobody's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Outcome {
    /// The winner (komi counted), or `None` for a draw.
    pub winner: Option<Player>,
    /// Points of the first player minus those of the second (komi not counted), where the game
    /// counts points.
    pub margin: Option<i16>,
}

impl Outcome {
    /// A draw without points.
    pub const DRAW: Self = Self { winner: None, margin: None };

    /// A win without points.
    pub fn win_of(player: Player) -> Self {
        Self { winner: Some(player), margin: None }
    }
    /// What this outcome is worth to `player`: the only bridge from outcomes to values.
    pub fn wdl_for(self, player: Player) -> Wdl {
        match self.winner {
            None => Wdl::DRAW,
            Some(winner) if winner == player => Wdl::WIN,
            Some(_) => Wdl::LOSS,
        }
    }
}

/// Whether play goes on. A finished game has no mover to read by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// This player moves.
    ToMove(Player),
    /// The game is over.
    Over(Outcome),
}

/// Probabilities of win, draw and loss of somebody whom the owner of the value names.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wdl {
    /// Probability of a win.
    pub win: f32,
    /// Probability of a draw.
    pub draw: f32,
    /// Probability of a loss.
    pub loss: f32,
}

impl Wdl {
    /// Certain win.
    pub const WIN: Self = Self { win: 1.0, draw: 0.0, loss: 0.0 };
    /// Certain draw.
    pub const DRAW: Self = Self { win: 0.0, draw: 1.0, loss: 0.0 };
    /// Certain loss.
    pub const LOSS: Self = Self { win: 0.0, draw: 0.0, loss: 1.0 };
    /// Nothing known: value 0 without claiming a draw.
    pub const UNKNOWN: Self = Self { win: 0.5, draw: 0.0, loss: 0.5 };

    /// The same for the opponent.
    #[must_use]
    pub fn flip(self) -> Self {
        Self { win: self.loss, draw: self.draw, loss: self.win }
    }
    /// Win minus loss, in [-1, 1], for the same somebody.
    pub fn value(self) -> f32 {
        self.win - self.loss
    }
    /// Expected score, win + draw / 2, in [0, 1].
    pub fn score(self) -> f32 {
        self.win + 0.5 * self.draw
    }
    /// `[win, draw, loss]`, the order of every array of three.
    pub fn to_array(self) -> [f32; 3] {
        [self.win, self.draw, self.loss]
    }
    /// From `[win, draw, loss]`.
    pub fn from_array([win, draw, loss]: [f32; 3]) -> Self {
        Self { win, draw, loss }
    }
}
