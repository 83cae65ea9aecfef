//! The board's geometry, and sets of points on it.
//!
//! A point is numbered `row * size + column`. A set keeps it in bit `size + point`: one row of bits
//! before the first one stays empty, so the neighbours of a point, at -size, -size + 1, -1, +1,
//! size - 1 and size from it, are always among the 64 bits that begin with bit `point`.

use crate::{Move, Player, games::points};

/// Largest side of a board.
pub(super) const SIZE_MAX: u8 = 19;
/// Words that hold the points of the largest board and the row before them.
const WORDS: usize = (SIZE_MAX as usize * (SIZE_MAX as usize + 1)).div_ceil(64);

/// A set of points.
pub(super) type Points = points::Points<WORDS>;

/// A board of given size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub size: u16,
    /// 2^16 / size, rounded up, which turns division by `size` into a product and a shift. The
    /// quotient is exact because a point times the rounding is at most 360 * 18, less than 2^16.
    reciprocal: u32,
    /// Bits of the window of a point: its neighbours, for a point of the first column, of one in
    /// between, of the last column.
    neighbours: [u64; 3],
}

impl Board {
    /// The caller has checked that `size` is 2 to [`SIZE_MAX`].
    pub fn new(size: u8) -> Self {
        let n = u32::from(size);
        let upright = 1 | (1u64 << (2 * n));
        let left = (1 << (n - 1)) | (1 << (2 * n - 1));
        let right = (1 << 1) | (1 << (n + 1));
        Self {
            size: size.into(),
            reciprocal: (1u32 << 16).div_ceil(n),
            neighbours: [upright | right, upright | left | right, upright | left],
        }
    }

    /// Points of the board.
    #[inline]
    pub fn area(&self) -> u16 {
        self.size * self.size
    }

    /// Row and column of a point.
    #[inline]
    pub fn split(&self, point: u16) -> (u16, u16) {
        let row = ((u32::from(point) * self.reciprocal) >> 16) as u16;
        (row, point - row * self.size)
    }

    /// The point with row and column exchanged: what one player's view is to the other.
    #[inline]
    pub fn transpose(&self, point: u16) -> u16 {
        let (row, column) = self.split(point);
        column * self.size + row
    }

    #[inline]
    pub fn has(&self, points: &Points, point: u16) -> bool {
        points.has(self.size + point)
    }

    #[inline]
    pub fn insert(&self, points: &mut Points, point: u16) {
        points.insert(self.size + point);
    }

    /// The points of a set, 64 a word from point 0 on, without the empty row before them.
    #[inline]
    pub fn words(&self, points: Points) -> impl Iterator<Item = u64> {
        (0..self.area()).step_by(64).map(move |start| points.window(self.size + start))
    }

    /// The points of a set, ascending.
    pub fn iter(&self, points: Points) -> impl Iterator<Item = u16> {
        points.iter().map(|bit| bit - self.size)
    }

    /// Links the stone on `point`, one of `own`, and the stones that it connects, if it touches the
    /// edge where `player` begins or a stone linked with it. True if that reaches the other edge.
    ///
    /// `linked` holds the linked stones of either player, and all of them, before and after.
    #[inline]
    pub fn link(&self, player: Player, own: &Points, linked: &mut Points, point: u16) -> bool {
        let (row, column) = self.split(point);
        let from_edge = if player == Player::First { row } else { column };
        let beside = own.window(point) & linked.window(point) & self.neighbours_in(column);
        (from_edge == 0 || beside != 0) && self.flood(player, own, linked, point)
    }

    /// Links `point` and every stone of `own` connected with it that was not linked.
    fn flood(&self, player: Player, own: &Points, linked: &mut Points, point: u16) -> bool {
        let mut open = Points::EMPTY;
        let mut across = false;
        self.insert(linked, point);
        self.insert(&mut open, point);
        while let Some(bit) = open.pop() {
            let point = bit - self.size;
            let (row, column) = self.split(point);
            let from_edge = if player == Player::First { row } else { column };
            across |= from_edge == self.size - 1;
            let found = own.window(point) & !linked.window(point) & self.neighbours_in(column);
            linked.add_window(point, found);
            open.add_window(point, found);
        }
        across
    }

    #[inline]
    fn neighbours_in(&self, column: u16) -> u64 {
        let place = usize::from(column > 0) + usize::from(column == self.size - 1);
        self.neighbours[place]
    }
}

/// Fills `out` with the numbers below `end` of the zeros in `words`, ascending.
///
/// Most of a random game's time goes into this, so it takes eight bits at a time by a table.
#[inline]
pub(super) fn list_zeros(end: u16, words: impl Iterator<Item = u64>, out: &mut Vec<Move>) {
    // Each byte writes eight numbers, of which the next one overwrites those in excess.
    out.resize(usize::from(end) + 8, Move(0));
    let slots = out.as_mut_slice();
    let mut len = 0;
    for (word, start) in words.zip((0..end).step_by(64)) {
        let beyond = u64::MAX.checked_shl((end - start).into()).unwrap_or(0);
        let zeros = (!(word | beyond)).to_le_bytes();
        for (byte, start) in zeros.into_iter().zip((start..end).step_by(8)) {
            let (numbers, count) = &ONES[usize::from(byte)];
            // A value, not written in place: only so does the compiler add all eight at once.
            let moves = numbers.map(|number| Move(start + number));
            slots[len..len + 8].copy_from_slice(&moves);
            len += usize::from(*count);
        }
    }
    out.truncate(len);
}

/// For each byte, the numbers of its ones, ascending, and how many they are.
static ONES: [([u16; 8], u16); 256] = {
    let mut table = [([0; 8], 0); 256];
    let mut byte = 0;
    while byte < 256 {
        let (numbers, count) = &mut table[byte];
        let mut bit = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                numbers[*count as usize] = bit;
                *count += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};
