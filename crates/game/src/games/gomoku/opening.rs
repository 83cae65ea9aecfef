//! Openings in which players choose their colours once some stones lie on the board.
//!
//! As Gomoku World Championships play them (www.vint.ee/gomoku-rules has the text): placing the
//! next stone, which is a white one, takes white; `swap` takes black and leaves that stone to the
//! opponent; `more` puts two more stones first.

use crate::Player;

/// How a game begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GomokuOpening {
    /// The first player has black.
    None,
    /// The first player places three stones, black, white and black; the second chooses a colour.
    Swap,
    /// As swap, but the second player may also place two more stones, white and black, and leave
    /// the choice to the first.
    Swap2,
}

impl GomokuOpening {
    pub(super) const ALL: [Self; 3] = [Self::None, Self::Swap, Self::Swap2];

    /// "none", "swap" or "swap2".
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Swap => "swap",
            Self::Swap2 => "swap2",
        }
    }

    /// One line on the notation of moves.
    pub(super) fn notation(self) -> &'static str {
        match self {
            Self::None => "points by column and row, a1 top left, no letter skipped",
            Self::Swap => {
                "points by column and row, a1 top left, no letter skipped; the first player places black, \
                 white, black; then the second takes white by placing a stone, or black by swap"
            }
            Self::Swap2 => {
                "points by column and row, a1 top left, no letter skipped; the first player places black, \
                 white, black; then the second takes white by placing a stone, or black by swap, or by \
                 more places white and black and leaves that choice to the first"
            }
        }
    }

    /// Moves that place no stone.
    pub(super) fn choices(self) -> u16 {
        self as u16
    }

    pub(super) fn first_stage(self) -> Stage {
        if self == Self::None { Stage::Settled } else { Stage::Three }
    }
}

/// How far an opening has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Everybody has a colour.
    Settled,
    /// The first player places the first three stones.
    Three,
    /// The second player chooses.
    SecondChooses,
    /// The second player places two more stones.
    TwoMore,
    /// The first player chooses.
    FirstChooses,
}

impl Stage {
    /// A colour can be taken now.
    #[inline]
    pub fn is_choice(self) -> bool {
        matches!(self, Self::SecondChooses | Self::FirstChooses)
    }

    /// Who moves before colours are settled.
    #[inline]
    pub fn mover(self) -> Option<Player> {
        match self {
            Self::Settled => None,
            Self::Three | Self::FirstChooses => Some(Player::First),
            Self::SecondChooses | Self::TwoMore => Some(Player::Second),
        }
    }

    /// The stage after a stone was placed, with which `placed` stones lie on the board.
    pub fn after_stone(self, placed: u16) -> Self {
        match (self, placed) {
            (Self::Three, 3) => Self::SecondChooses,
            (Self::TwoMore, 5) => Self::FirstChooses,
            (Self::Three | Self::TwoMore, _) => self,
            _ => Self::Settled,
        }
    }
}
