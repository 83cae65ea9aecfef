//! The board's geometry, and sets of points on it.
//!
//! A point is numbered `row * size + column`. A set keeps it in bit `size + point`: one row of bits
//! before the first one stays empty, so the neighbours of a point, at -size, -size + 1, -1, +1,
//! size - 1 and size from it, are always among the 64 bits that begin with bit `point`.

use crate::{Move, Player};

/// Largest side of a board.
pub(super) const SIZE_MAX: u8 = 19;
/// Words that hold the points of the largest board and the row before them.
const WORDS: usize = (SIZE_MAX as usize * (SIZE_MAX as usize + 1)).div_ceil(64);

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
        points.window(self.size + point) & 1 == 1
    }

    #[inline]
    pub fn insert(&self, points: &mut Points, point: u16) {
        points.add_window(self.size + point, 1);
    }

    /// The points of a set, 64 a word from point 0 on, without the empty row before them.
    #[inline]
    pub fn words(&self, points: Points) -> impl Iterator<Item = u64> {
        (0..self.area()).step_by(64).map(move |start| points.window(self.size + start))
    }

    /// The points of a set, ascending.
    pub fn iter(&self, mut points: Points) -> impl Iterator<Item = u16> {
        std::iter::from_fn(move || points.pop()).map(|bit| bit - self.size)
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
        let (mut open, mut across) = (Points::EMPTY, false);
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

/// A set of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Points([u64; WORDS]);

impl Points {
    pub const EMPTY: Self = Self([0; WORDS]);

    /// The 64 bits from `start` on, zeros after the last word.
    #[inline]
    fn window(&self, start: u16) -> u64 {
        let (word, shift) = (usize::from(start / 64), start % 64);
        let next = self.0.get(word + 1).copied().unwrap_or(0);
        // In two steps, because a shift by 64 is none.
        (self.0[word] >> shift) | ((next << 1) << (63 - shift))
    }

    /// Adds the points of a window that begins at bit `start`.
    #[inline]
    fn add_window(&mut self, start: u16, bits: u64) {
        let (word, shift) = (usize::from(start / 64), start % 64);
        self.0[word] |= bits << shift;
        if let Some(next) = self.0.get_mut(word + 1) {
            *next |= (bits >> 1) >> (63 - shift);
        }
    }

    /// Takes the lowest bit out.
    #[inline]
    fn pop(&mut self) -> Option<u16> {
        let word = self.0.iter().position(|&word| word != 0)?;
        let bit = self.0[word].trailing_zeros();
        self.0[word] &= self.0[word] - 1;
        Some(64 * word as u16 + bit as u16)
    }
}

/// Fills `out` with the numbers below `end` of the zeros in `words`, ascending.
///
/// Most of a random game's time goes into this, so it takes eight bits at a time by a table.
#[inline]
pub(super) fn list_zeros(end: u16, words: impl Iterator<Item = u64>, out: &mut Vec<Move>) {
    // Each byte writes eight numbers, of which the next one overwrites those in excess.
    out.resize(usize::from(end) + 8, Move(0));
    let (slots, mut len) = (out.as_mut_slice(), 0);
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
