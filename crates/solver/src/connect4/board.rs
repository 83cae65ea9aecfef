//! The bit tricks: where stones land, which points win, which moves do not lose at once.

use dz_game::games::{Connect4, Connect4State};

use crate::SolverError;

/// A board of at most 64 bits. Bit `x * (height + 1) + y` is column `x`, row `y` from the bottom;
/// the bit above each column stays empty, so that lines do not run into the next column (J. Tromp).
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub width: u32,
    /// Points of the board.
    pub cells: u32,
    /// Bits of a key.
    pub key_bits: u32,
    connect: u32,
    /// Bits from a column to the next one.
    rise: u32,
    /// The lowest point of every column.
    bottom: u64,
    /// All points.
    points: u64,
    /// Lines upright fit.
    upright: bool,
    /// Distances of neighbours on the other lines that fit: flat, falling, rising.
    steps: Vec<u32>,
    /// The points of each column, the middle one first.
    columns: Vec<u64>,
}

/// A position in the view of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub mover: u64,
    pub stones: u64,
    pub plies: u32,
}

impl Position {
    /// The position of a state of a game that [`Board::new`] accepted.
    pub fn of(state: &Connect4State) -> Self {
        let mover = state.mover_stones() as u64;
        let stones = state.stones() as u64;
        Self { mover, stones, plies: stones.count_ones() }
    }

    /// The stones of the player who does not move.
    pub fn opponent(self) -> u64 {
        self.stones ^ self.mover
    }

    /// After a stone on `point`.
    #[must_use]
    pub fn play(self, point: u64) -> Self {
        Self { mover: self.opponent(), stones: self.stones | point, plies: self.plies + 1 }
    }

    /// Different for different positions: in a column of n stones the sum lies between 2^n - 1 and
    /// 2^(n+1) - 2.
    pub fn key(self) -> u64 {
        self.mover + self.stones
    }
}

impl Board {
    /// # Errors
    /// [`SolverError::TooManyBits`].
    pub fn new(game: &Connect4) -> Result<Self, SolverError> {
        let width = u32::from(game.width());
        let height = u32::from(game.height());
        let connect = u32::from(game.connect());
        let rise = height + 1;
        let key_bits = width * rise;
        if key_bits > u64::BITS {
            let game = dz_game::Game::spec(game).to_string();
            return Err(SolverError::TooManyBits { game, bits: key_bits });
        }
        let bottom = (0..width).fold(0, |bits, x| bits | 1u64 << (x * rise));
        let column = (1u64 << height) - 1;
        let points = (0..width).fold(0, |bits, x| bits | column << (x * rise));
        let upright = connect <= height;
        let flat = connect <= width;
        let steps = [(rise, flat), (rise - 1, flat && upright), (rise + 1, flat && upright)];
        // The middle, then left and right of it in turn.
        let mut order: Vec<u32> = (0..width).collect();
        order.sort_by_key(|x| (2 * x + 1).abs_diff(width));
        Ok(Self {
            width,
            cells: width * height,
            key_bits,
            connect,
            rise,
            bottom,
            points,
            upright,
            steps: steps.into_iter().filter(|&(_, fits)| fits).map(|(step, _)| step).collect(),
            columns: order.into_iter().map(|x| column << (x * rise)).collect(),
        })
    }

    /// The points of each column, the middle one first.
    pub fn columns(&self) -> &[u64] {
        &self.columns
    }

    /// The points of column `x`, from 0 on the left.
    pub fn column(&self, x: u32) -> u64 {
        self.points & (u64::MAX >> (u64::BITS - self.rise) << (x * self.rise))
    }

    /// Where a stone can land. Adding a column's lowest bit carries to its first empty point.
    #[inline]
    pub fn landings(&self, stones: u64) -> u64 {
        stones.wrapping_add(self.bottom) & self.points
    }

    /// The empty points that complete a line with the stones `own`.
    #[inline]
    pub fn winning(&self, own: u64, stones: u64) -> u64 {
        // Connect Four proper apart, so that its loops are unrolled.
        let found = match self.connect {
            4 => self.completing(own, 4),
            connect => self.completing(own, connect),
        };
        found & self.points & !stones
    }

    #[inline]
    fn completing(&self, own: u64, connect: u32) -> u64 {
        let mut found = 0;
        if self.upright {
            // Upright lines are completed at their top alone.
            found = (1..connect).fold(u64::MAX, |run, below| run & (own << below));
        }
        for &step in &self.steps {
            for gap in 0..connect {
                let down = (0..gap).fold(u64::MAX, |run, i| run & (own << ((gap - i) * step)));
                let up = (gap + 1..connect).fold(down, |run, i| run & (own >> ((i - gap) * step)));
                found |= up;
            }
        }
        found
    }

    /// Moves after which the opponent, who wins on the points `threats`, does not win at once.
    #[inline]
    pub fn safe_moves(&self, position: Position, threats: u64) -> u64 {
        let landings = self.landings(position.stones);
        let forced = landings & threats;
        if forced == 0 {
            return landings & !(threats >> 1);
        }
        // Two threats at once cannot both be met.
        if forced.is_power_of_two() { forced & !(threats >> 1) } else { 0 }
    }

    /// True if these stones have a line.
    pub fn connects(&self, stones: u64) -> bool {
        let upright = self.upright.then_some(1);
        upright
            .into_iter()
            .chain(self.steps.iter().copied())
            .any(|step| (1..self.connect).fold(stones, |run, i| run & (stones >> (i * step))) != 0)
    }

    /// A key that a position shares with its mirror image.
    #[inline]
    pub fn mirror_key(&self, key: u64) -> u64 {
        let column = u64::MAX >> (u64::BITS - self.rise);
        let mirrored = (0..self.width)
            .fold(0, |mirrored, x| mirrored << self.rise | (key >> (x * self.rise) & column));
        key.min(mirrored)
    }
}
