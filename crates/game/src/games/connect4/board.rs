//! The board's geometry and the bit tricks on it.
//!
//! Bit `x * (height + 1) + y` is the point in column `x`, row `y` from the bottom. The row above
//! the board stays empty, so that shifted boards do not run into the next column (J. Tromp's
//! layout). Boards are kept as `u128`; where the bits fit, the arithmetic is done on `u64`.

use std::ops::{BitAnd, BitOr, Shr};

/// A board of given sides and length to connect, with precomputed masks for play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub width: u8,
    pub height: u8,
    pub connect: u8,
    /// All bits, the row above the board included, fit 64.
    pub small: bool,
    /// Bits from a column to the next one.
    rise: u32,
    /// Distances in bits of neighbours on a line, for the directions in which a line fits.
    steps: Few<4>,
    /// How many stones each round adds to the runs found: doubling, and a rest.
    rounds: Few<8>,
}

/// A short list of small numbers, without heap.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Few<const N: usize> {
    items: [u32; N],
    len: usize,
}

impl<const N: usize> Few<N> {
    fn collect(from: impl IntoIterator<Item = u32>) -> Self {
        let mut few = Self { items: [0; N], len: 0 };
        for item in from {
            few.items[few.len] = item;
            few.len += 1;
        }
        few
    }
    fn as_slice(&self) -> &[u32] {
        &self.items[..self.len]
    }
}

/// Most bits a board can have, the row above it included.
pub(super) const BITS_MAX: u32 = u128::BITS;

impl Board {
    /// The caller has checked the ranges: at most [`BITS_MAX`] bits, `connect` at least 2.
    pub fn new(width: u8, height: u8, connect: u8) -> Self {
        let rise = u32::from(height) + 1;
        let upright = connect <= height;
        let flat = connect <= width;
        // Upright, flat, falling, rising. On a board of one row "falling" would be "upright", but
        // no line fits either.
        let steps = [(1, upright), (rise, flat), (rise - 1, upright && flat)];
        let steps = steps.into_iter().chain([(rise + 1, upright && flat)]);
        let mut found = 1;
        let rounds = std::iter::from_fn(|| {
            let grow = found.min(u32::from(connect) - found);
            found += grow;
            (grow > 0).then_some(grow)
        });
        Self {
            width,
            height,
            connect,
            small: u32::from(width) * rise <= u64::BITS,
            rise,
            steps: Few::collect(steps.filter(|&(_, fits)| fits).map(|(step, _)| step)),
            rounds: Few::collect(rounds),
        }
    }

    /// Index of the lowest bit of column `x`.
    #[inline]
    pub fn column(&self, x: u8) -> u32 {
        u32::from(x) * self.rise
    }

    /// Index of the topmost point of column `x`.
    #[inline]
    pub fn top(&self, x: u8) -> u32 {
        self.column(x) + self.rise - 2
    }

    /// True if column `x` takes no further stone.
    #[inline]
    pub fn is_full(&self, stones: u128, x: u8) -> bool {
        if self.small {
            return (stones as u64 >> self.top(x)) & 1 == 1;
        }
        (stones >> self.top(x)) & 1 == 1
    }

    /// The point at column `x`, row `y` from the top.
    pub fn point(&self, x: u8, y_from_top: u8) -> u128 {
        1 << (self.column(x) + u32::from(self.height - 1 - y_from_top))
    }

    /// The bit that a stone dropped into column `x` lands on, above the board if it is full. Adding
    /// the column's lowest bit carries through its stones to the first empty point.
    #[inline]
    pub fn landing(&self, stones: u128, x: u8) -> u128 {
        if self.small {
            let stones = stones as u64;
            return u128::from(stones.wrapping_add(1 << self.column(x)) & !stones);
        }
        // A full last column of a 128-bit board carries into bit 127, not out of it.
        (stones + (1 << self.column(x))) & !stones
    }

    /// True if these stones have a line of `connect`.
    #[inline]
    pub fn connects(&self, stones: u128) -> bool {
        match (self.small, self.connect) {
            // Connect Four proper: what the rounds below do, with the loop unrolled.
            (true, 4) => {
                let stones = stones as u64;
                let runs = |step: u32| {
                    let pairs = stones & (stones >> step);
                    pairs & (pairs >> (2 * step))
                };
                self.steps.as_slice().iter().fold(0, |found, &step| found | runs(step)) != 0
            }
            (true, _) => self.has_line(stones as u64),
            (false, _) => self.has_line(stones),
        }
    }

    /// Each round joins every run with the run that ends where it begins. A line fits the board in
    /// each direction of `steps`, so no shift reaches the width of `B`.
    fn has_line<B>(&self, stones: B) -> bool
    where
        B: Copy
            + Default
            + PartialEq
            + BitAnd<Output = B>
            + BitOr<Output = B>
            + Shr<u32, Output = B>,
    {
        self.steps.as_slice().iter().any(|&step| {
            let join = |runs: B, &grow: &u32| runs & (runs >> (grow * step));
            self.rounds.as_slice().iter().fold(stones, join) != B::default()
        })
    }

    /// The board seen in a mirror, left and right exchanged.
    pub fn mirror(&self, stones: u128) -> u128 {
        let mask = (1u128 << self.rise) - 1;
        (0..self.width).fold(0, |mirrored, x| {
            let column = (stones >> self.column(x)) & mask;
            mirrored | (column << self.column(self.width - 1 - x))
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    /// Every board that the rules allow.
    fn all_boards() -> impl Iterator<Item = Board> {
        let sizes = (1..=32u8).flat_map(|width| (1..=32u8).map(move |height| (width, height)));
        sizes
            .filter(|&(w, h)| u32::from(w) * (u32::from(h) + 1) <= BITS_MAX)
            .flat_map(|(w, h)| (2..=w.max(h)).map(move |connect| Board::new(w, h, connect)))
    }

    fn bit(board: &Board, (x, y): (i32, i32)) -> u128 {
        1 << (x as u32 * (u32::from(board.height) + 1) + y as u32)
    }

    /// Every line of the board as a list of points.
    fn lines(board: &Board) -> Vec<Vec<(i32, i32)>> {
        let width = i32::from(board.width);
        let height = i32::from(board.height);
        let last = i32::from(board.connect) - 1;
        let mut lines = Vec::new();
        for (dx, dy) in [(0, 1), (1, 0), (1, -1), (1, 1)] {
            for (x, y) in (0..width).flat_map(|x| (0..height).map(move |y| (x, y))) {
                let end = (x + last * dx, y + last * dy);
                if (0..width).contains(&end.0) && (0..height).contains(&end.1) {
                    lines.push((0..=last).map(|i| (x + i * dx, y + i * dy)).collect());
                }
            }
        }
        lines
    }

    #[test]
    fn exactly_the_lines_connect_on_every_board() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        for board in all_boards() {
            let lines = lines(&board);
            let all: Vec<u128> =
                lines.iter().map(|line| line.iter().fold(0, |s, &p| s | bit(&board, p))).collect();
            for &line in &all {
                assert!(board.connects(line), "{board:?} misses {line:b}");
            }
            // Dense and thin random sets: borders are where shifted boards could run together.
            let points: Vec<u128> = (0..board.width)
                .flat_map(|x| (0..board.height).map(move |y| (x, y)))
                .map(|(x, y)| board.point(x, y))
                .collect();
            for percent in [50, 80, 95, 100] {
                let stones = points
                    .iter()
                    .filter(|_| random.random_range(0..100) < percent)
                    .fold(0, |s, p| s | p);
                let expected = all.iter().any(|&line| !stones & line == 0);
                assert_eq!(board.connects(stones), expected, "{board:?} on {stones:b}");
            }
        }
    }

    #[test]
    fn stones_land_on_the_lowest_empty_point_of_every_column() {
        for board in all_boards() {
            for x in 0..board.width {
                let mut stones = 0;
                for y in 0..i32::from(board.height) {
                    let landing = board.landing(stones, x);
                    assert_eq!(landing, bit(&board, (i32::from(x), y)), "{board:?} column {x}");
                    stones |= landing;
                }
                assert_eq!(stones >> board.top(x), 1, "{board:?}: column {x} is full at its top");
                assert_eq!(board.mirror(board.mirror(stones)), stones);
            }
        }
    }
}
