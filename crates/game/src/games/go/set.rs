//! Sets of points as bits, and the shifts that take a set to its neighbours.
//!
//! A point is numbered `row * size + column`, row 0 at the top, and is that bit of the set. A set
//! has as many words as the board needs (`N`), chosen once a call, so that small boards stay in
//! registers.

use super::select::select;

/// Words that hold the largest board, 19x19.
pub(super) const WORDS_MAX: usize = 6;

/// A set as states keep it: words beyond the board are zero.
pub(super) type Words = [u64; WORDS_MAX];

/// Points of a board of at most `64 * N` points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set<const N: usize>(pub [u64; N]);

impl<const N: usize> Set<N> {
    pub const EMPTY: Self = Self([0; N]);

    #[inline]
    pub fn load(words: &Words) -> Self {
        Self(std::array::from_fn(|i| words[i]))
    }

    #[inline]
    pub fn store(self, words: &mut Words) {
        words[..N].copy_from_slice(&self.0);
    }

    #[inline]
    pub fn of(point: u16) -> Self {
        let word = usize::from(point / 64);
        let bit = 1 << (point % 64);
        Self(std::array::from_fn(|i| if i == word { bit } else { 0 }))
    }

    #[inline]
    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[inline]
    pub fn and(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }

    #[inline]
    pub fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }

    #[inline]
    pub fn without(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }

    #[inline]
    pub fn is_empty(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// True if there are two points or more.
    #[inline]
    pub fn has_two(self) -> bool {
        let mut any = 0;
        let mut two = 0;
        for word in self.0 {
            two |= word & word.wrapping_sub(1);
            // A second word with points makes two as well.
            two |= if any != 0 { word } else { 0 };
            any |= word;
        }
        two != 0
    }

    #[inline]
    pub fn has(self, point: u16) -> bool {
        self.0[usize::from(point / 64)] >> (point % 64) & 1 == 1
    }

    #[inline]
    pub fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The first point of a set that is not empty.
    #[inline]
    pub fn first(self) -> Option<u16> {
        let word = self.0.iter().position(|&word| word != 0)?;
        Some(word as u16 * 64 + self.0[word].trailing_zeros() as u16)
    }

    /// The point after `n` others, where there are so many. Words are chosen without branches,
    /// which random numbers would often mislead.
    #[inline]
    pub fn nth(self, n: u32) -> Option<u16> {
        let mut word = self.0[0];
        let mut at = 0;
        let mut before = 0;
        let mut sum = self.0[0].count_ones();
        for (index, &next) in self.0.iter().enumerate().skip(1) {
            if n >= sum {
                (word, at, before) = (next, index, sum);
            }
            sum += next.count_ones();
        }
        (n < sum).then(|| at as u16 * 64 + select(word, n - before) as u16)
    }

    /// The points, ascending.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = u16> {
        self.0.into_iter().enumerate().flat_map(|(i, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as u16)?;
                word &= word - 1;
                Some(i as u16 * 64 + bit)
            })
        })
    }

    /// Calls `each` with the points, ascending: what [`Self::iter`] gives, in fewer instructions.
    #[inline]
    pub fn for_each(self, mut each: impl FnMut(u16)) {
        for (i, mut word) in self.0.into_iter().enumerate() {
            while word != 0 {
                each(i as u16 * 64 + word.trailing_zeros() as u16);
                word &= word - 1;
            }
        }
    }

    /// The 64 points from `first` on, as far as there are words.
    #[inline]
    fn word_from(self, first: u32) -> u64 {
        let word = (first / 64) as usize;
        let by = first % 64;
        let low = self.0.get(word).map_or(0, |bits| bits >> by);
        let next = if by == 0 { None } else { self.0.get(word + 1) };
        low | next.map_or(0, |bits| bits << (64 - by))
    }

    /// Every point `by` further on, `by` from 1 to 63; what leaves the words is lost.
    #[inline]
    fn up(self, by: u32) -> Self {
        Self(std::array::from_fn(|i| {
            let carry = if i == 0 { 0 } else { self.0[i - 1] >> (64 - by) };
            self.0[i] << by | carry
        }))
    }

    /// Every point `by` back.
    #[inline]
    fn down(self, by: u32) -> Self {
        Self(std::array::from_fn(|i| {
            let carry = if i + 1 == N { 0 } else { self.0[i + 1] << (64 - by) };
            self.0[i] >> by | carry
        }))
    }
}

/// The length of a row is known when the program runs.
pub(super) const ANY: u32 = 0;

/// A board's shape in the words that its size needs, with rows of `ROW` points or [`ANY`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid<const N: usize, const ROW: u32> {
    pub size: u32,
    pub all: Set<N>,
    /// All points but those of the first column, and of the last.
    pub not_first: Set<N>,
    pub not_last: Set<N>,
}

/// How many liberties a chain has, as far as rules ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Liberties<const N: usize> {
    /// None; the chain.
    None(Set<N>),
    /// One: the chain is in atari.
    One(Set<N>),
    /// Two or more.
    Many,
}

impl<const N: usize, const ROW: u32> Grid<N, ROW> {
    #[inline]
    fn row(&self) -> u32 {
        if ROW == ANY { self.size } else { ROW }
    }

    /// The neighbours of `set`; some may be in `set`, and bits beyond the board may be set, so
    /// callers intersect the result with points of the board.
    #[inline]
    pub fn near(&self, set: Set<N>) -> Set<N> {
        let right = set.and(self.not_last).up(1);
        let left = set.and(self.not_first).down(1);
        right.or(left).or(set.up(self.row())).or(set.down(self.row()))
    }

    /// Points with two neighbours or more in `set`; bits beyond the board may be set.
    #[inline]
    pub fn near_two(&self, set: Set<N>) -> Set<N> {
        let right = set.and(self.not_last).up(1);
        let left = set.and(self.not_first).down(1);
        let up = set.up(self.row());
        let down = set.down(self.row());
        right.and(left).or(up.and(down)).or(right.or(left).and(up.or(down)))
    }

    /// Points with three neighbours or more in `set`; bits beyond the board may be set.
    #[inline]
    pub fn near_three(&self, set: Set<N>) -> Set<N> {
        let right = set.and(self.not_last).up(1);
        let left = set.and(self.not_first).down(1);
        let up = set.up(self.row());
        let down = set.down(self.row());
        right.and(left).and(up.or(down)).or(up.and(down).and(right.or(left)))
    }

    /// The eight points around each of `set`; bits beyond the board may be set.
    #[inline]
    pub fn around(&self, set: Set<N>) -> Set<N> {
        let right = set.and(self.not_last).up(1);
        let left = set.and(self.not_first).down(1);
        let row = set.or(right).or(left);
        right.or(left).or(row.up(self.row())).or(row.down(self.row()))
    }

    /// Points of which `set` has two diagonal neighbours or more, one at the edge; bits beyond the
    /// board may be set.
    #[inline]
    pub fn broken_eyes(&self, set: Set<N>) -> Set<N> {
        let right = set.and(self.not_last).up(1);
        let left = set.and(self.not_first).down(1);
        let below_right = right.up(self.row());
        let above_right = right.down(self.row());
        let below_left = left.up(self.row());
        let above_left = left.down(self.row());
        let right = below_right.or(above_right);
        let left = below_left.or(above_left);
        let two = below_right.and(above_right).or(below_left.and(above_left)).or(right.and(left));
        let inner = self.not_first.and(self.not_last);
        let inner = inner.and(self.all.up(self.row())).and(self.all.down(self.row()));
        two.or(right.or(left).without(inner))
    }

    /// Which of the eight points around `point` are in `set`, which lies on the board: a bit each,
    /// row by row from the top left. Points beyond the left and right edges may be counted.
    #[inline]
    pub fn ring(&self, set: Set<N>, point: u16) -> u8 {
        let row = self.row();
        // Three points from the left neighbour on. Of the first point there is none.
        let three = |middle: u32| {
            let from = middle.wrapping_sub(1);
            let bits = if middle == 0 { set.0[0] << 1 } else { set.word_from(from) };
            bits as u8 & 7
        };
        let point = u32::from(point);
        let above = if point < row { 0 } else { three(point - row) };
        let beside = three(point);
        let below = three(point + row);
        above | (beside & 1) << 3 | (beside >> 2) << 4 | below << 5
    }

    /// Which of the eight points around `point` are beyond the board, as [`Self::ring`] has them.
    #[inline]
    pub fn beyond(&self, point: u16) -> u8 {
        let row = self.row();
        let column = u32::from(point) % row;
        let first = if column == 0 { 0b0010_1001 } else { 0 };
        let last = if column == row - 1 { 0b1001_0100 } else { 0 };
        let top = if u32::from(point) < row { 0b0000_0111 } else { 0 };
        let bottom = if u32::from(point) + row >= row * self.size { 0b1110_0000 } else { 0 };
        first | last | top | bottom
    }

    /// All points of `within` connected with `from`, which lies inside `within`.
    #[inline]
    pub fn flood(&self, from: Set<N>, within: Set<N>) -> Set<N> {
        let mut reached = from;
        loop {
            let next = reached.or(self.near(reached).and(within));
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// Liberties of the chain of `stones` around `from`, a part of it; stops at the second one. A
    /// chain with a stone of `rich` is known to have two.
    #[inline]
    pub fn liberties(
        &self,
        from: Set<N>,
        stones: Set<N>,
        empty: Set<N>,
        rich: Set<N>,
    ) -> Liberties<N> {
        let mut chain = from;
        loop {
            if !chain.and(rich).is_empty() {
                return Liberties::Many;
            }
            let near = self.near(chain);
            let free = near.and(empty);
            if free.has_two() {
                return Liberties::Many;
            }
            let next = chain.or(near.and(stones));
            if next == chain {
                return if free.is_empty() {
                    Liberties::None(chain)
                } else {
                    Liberties::One(chain)
                };
            }
            chain = next;
        }
    }
}
