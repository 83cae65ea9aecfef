//! What a position is worth under perfect play.

use dz_game::{Move, Outcome, Player};

/// What perfect play leads to, for the player to move. Ordered: loss, draw, win.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// The opponent wins.
    Loss,
    /// Nobody wins.
    Draw,
    /// The player to move wins.
    Win,
}

impl Value {
    /// The value of a finished game for `player`.
    pub fn of(outcome: Outcome, player: Player) -> Self {
        match outcome.winner {
            None => Self::Draw,
            Some(winner) if winner == player => Self::Win,
            Some(_) => Self::Loss,
        }
    }

    /// The same for the opponent.
    #[must_use]
    pub fn flip(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// -1, 0 or 1.
    pub fn sign(self) -> i8 {
        self as i8 - 1
    }
}

/// Value and speed of the result, for the player to move: positive for a win, negative for a loss,
/// 0 for a draw. The size is 1 plus the stones that the winner has not played when the line is
/// complete, so that fast wins and slow losses score higher (Pascal Pons' convention: on 7x6, 22
/// minus the number of the winner's stones).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(pub i8);

impl Score {
    /// Win, draw or loss.
    pub fn value(self) -> Value {
        match self.0.signum() {
            1 => Value::Win,
            0 => Value::Draw,
            _ => Value::Loss,
        }
    }
}

/// A legal move and what it leads to, for the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolvedMove {
    /// The move.
    pub mv: Move,
    /// What perfect play leads to after it.
    pub value: Value,
    /// With speed, where the solver knows it.
    pub score: Option<Score>,
}

/// A position with the truth about all its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solved {
    /// For the player to move; for the loser or nobody if the game is over.
    pub value: Value,
    /// With speed, where the solver knows it.
    pub score: Option<Score>,
    /// Every legal move, ascending; empty if the game is over.
    pub moves: Vec<SolvedMove>,
}

impl Solved {
    /// The moves that keep the value, ascending.
    pub fn preserving(&self) -> Vec<Move> {
        let keeping = self.moves.iter().filter(|solved| solved.value == self.value);
        keeping.map(|solved| solved.mv).collect()
    }
}
