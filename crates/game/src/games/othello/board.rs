//! Sets of points as integers: which moves turn discs over, and which discs.

use std::{
    fmt::Debug,
    ops::{BitAnd, BitOr, Not, Shl, Shr},
};

/// An integer as a set of points: bit `STRIDE * row + column`.
pub(super) trait Bits:
    Copy
    + Debug
    + Default
    + PartialEq
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// Bits a row.
    const STRIDE: u32;
    /// All points but those of the first and of the last column of a row of `STRIDE` bits. A disc
    /// there is never turned over along a row or diagonal, and leaving it out keeps shifted sets
    /// from running on in the next row.
    const INNER: Self;
}

/// Boards of up to eight rows. Smaller ones lie in its corner, their other points always empty.
impl Bits for u64 {
    const STRIDE: u32 = 8;
    const INNER: Self = 0x7e7e_7e7e_7e7e_7e7e;
}

/// Boards of ten rows.
impl Bits for u128 {
    const STRIDE: u32 = 10;
    const INNER: Self = {
        let mut points = 0;
        let mut row = 0;
        while row < 10 {
            points |= 0xff << (10 * row + 1);
            row += 1;
        }
        points
    };
}

/// The points of `board` where a disc of `own` would turn over discs of `other`.
#[inline]
pub(super) fn moves<B: Bits>(own: B, other: B, board: B) -> B {
    let found = directions(other).into_iter().fold(B::default(), |found, (through, step)| {
        found
            | (run(own, through, B::shl, step) << step)
            | (run(own, through, B::shr, step) >> step)
    });
    found & board & !(own | other)
}

/// The discs of `other` that a disc of `own` played on `point` turns over.
#[inline]
pub(super) fn turned<B: Bits>(own: B, other: B, point: B) -> B {
    // Only one point is beyond a run of discs that begins at one point.
    let closed = |run: B, beyond: B| if beyond & own == B::default() { B::default() } else { run };
    directions(other).into_iter().fold(B::default(), |found, (through, step)| {
        let onward = run(point, through, B::shl, step);
        let backward = run(point, through, B::shr, step);
        found | closed(onward, onward << step) | closed(backward, backward >> step)
    })
}

/// Discs that can be turned over along a row, a column and both diagonals, with the distance in
/// bits of neighbours there.
#[inline]
fn directions<B: Bits>(other: B) -> [(B, u32); 4] {
    let inner = other & B::INNER;
    [(inner, 1), (other, B::STRIDE), (inner, B::STRIDE - 1), (inner, B::STRIDE + 1)]
}

/// The points of `through` that follow one another without a gap from a neighbour of `from` on, up
/// to eight. Each step doubles the distance (Kogge and Stone's parallel prefix, 1973).
#[inline]
fn run<B: Bits>(from: B, through: B, shift: impl Fn(B, u32) -> B, step: u32) -> B {
    let one = shift(from, step) & through;
    let two = one | (shift(one, step) & through);
    let pairs = through & shift(through, step);
    let four = two | (shift(two, 2 * step) & pairs);
    let fours = pairs & shift(pairs, 2 * step);
    four | (shift(four, 4 * step) & fours)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bit<B: Bits>(one: B, (row, column): (i32, i32)) -> B {
        one << (row as u32 * B::STRIDE + column as u32)
    }

    /// On a board of `size` rows, every row of discs of `other` between a point and a disc of `own`
    /// turns over and makes the point a legal move. Without the disc of `own`, or with a gap, it
    /// does not.
    fn every_row_turns_over<B: Bits>(size: i32, one: B) {
        let inside = |(row, column)| (0..size).contains(&row) && (0..size).contains(&column);
        let points = || (0..size).flat_map(|row| (0..size).map(move |column| (row, column)));
        let none = B::default();
        let board = points().fold(none, |board, at| board | bit(one, at));
        let mut longest = 0;
        for start in points() {
            for (down, right) in
                [(0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1)]
            {
                let at = |steps| (start.0 + steps * down, start.1 + steps * right);
                for length in (1..).take_while(|&length| inside(at(length))) {
                    let other = (1..=length).fold(none, |set, step| set | bit(one, at(step)));
                    let point = bit(one, start);
                    let open = |own| moves(own, other, board) & point;
                    // All else is own discs, but not what follows the row.
                    let beyond =
                        if inside(at(length + 1)) { bit(one, at(length + 1)) } else { none };
                    let apart = board & !(other | point | beyond);
                    assert_eq!(turned(apart, other, point), none, "{start:?} {down} {right}");
                    assert_eq!(open(apart), none, "{start:?} {down} {right} {length}");
                    if beyond != none {
                        longest = longest.max(length);
                        assert_eq!(turned(beyond, other, point), other, "{start:?} {down} {right}");
                        assert_eq!(open(beyond), point, "{start:?} {down} {right} {length}");
                        let gap = other & !bit(one, at(length));
                        assert_eq!(turned(beyond, gap, point), none, "{start:?} {down} {right}");
                    }
                }
            }
        }
        assert_eq!(longest, size - 2);
    }

    #[test]
    fn rows_turn_over_on_every_board() {
        every_row_turns_over(4, 1u64);
        every_row_turns_over(6, 1u64);
        every_row_turns_over(8, 1u64);
        every_row_turns_over(10, 1u128);
    }
}
