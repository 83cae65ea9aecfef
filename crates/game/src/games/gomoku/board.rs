//! Sets of points, and the rows of stones that run through a point.
//!
//! Point `row * size + column` is bit `(row + 1) * (size + 1) + column + 1`: around the board there
//! is always a bit that is never set, so that rows of stones end there by themselves.

use crate::games::points;

/// Largest side of a board.
pub(super) const SIZE_MAX: u8 = 19;
/// Words that hold the points of the largest board and the empty ones around it.
const WORDS: usize = ((SIZE_MAX as usize + 1) * (SIZE_MAX as usize + 2) + 1).div_ceil(64);

/// A set of points.
pub(super) type Points = points::Points<WORDS>;

/// Stones of `set` in line with `bit`, which is one of them, without a gap: in a row, in a column
/// and on both diagonals of a board with `stride` bits from a row to the next one.
#[inline]
pub(super) fn rows_through(set: &Points, bit: u16, stride: u16) -> [u16; 4] {
    [1, stride, stride - 1, stride + 1].map(|step| {
        let mut after = bit + step;
        let mut before = bit - step;
        while set.has(after) {
            after += step;
        }
        while set.has(before) {
            before -= step;
        }
        (after - before) / step - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row of every length in every direction, with every one of its stones the last one.
    #[test]
    fn rows_are_as_long_as_they_are_on_every_board() {
        for size in 5..=i32::from(SIZE_MAX) {
            let bit = |(row, column): (i32, i32)| ((row + 1) * (size + 1) + column + 1) as u16;
            let inside = |(row, column)| (0..size).contains(&row) && (0..size).contains(&column);
            for start in (0..size).flat_map(|row| (0..size).map(move |column| (row, column))) {
                for (way, (down, right)) in
                    [(0, 1), (1, 0), (1, -1), (1, 1)].into_iter().enumerate()
                {
                    let at = |steps| (start.0 + steps * down, start.1 + steps * right);
                    let mut row = Points::EMPTY;
                    for length in (1..).take_while(|&length| inside(at(length - 1))) {
                        row.insert(bit(at(length - 1)));
                        for last in 0..length {
                            let mut expected = [1; 4];
                            expected[way] = length as u16;
                            let found = rows_through(&row, bit(at(last)), size as u16 + 1);
                            assert_eq!(found, expected, "size {size}, {length} from {start:?}");
                        }
                        assert_eq!(row.iter().count(), length as usize);
                    }
                }
            }
        }
    }

    /// On a full board nothing runs over its edge.
    #[test]
    fn rows_end_at_the_edge() {
        for size in 5..=u16::from(SIZE_MAX) {
            let points = || (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
            let bit = |(row, column): (u16, u16)| (row + 1) * (size + 1) + column + 1;
            let mut full = Points::EMPTY;
            points().for_each(|at| full.insert(bit(at)));
            for (row, column) in points() {
                let falling = size - row.abs_diff(column);
                let rising = size - (size - 1).abs_diff(row + column);
                let found = rows_through(&full, bit((row, column)), size + 1);
                assert_eq!(found, [size, size, rising, falling], "size {size}, {row} {column}");
            }
        }
    }
}
