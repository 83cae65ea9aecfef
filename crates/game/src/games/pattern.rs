//! What surrounds a point of a board: the 5x5 points around it.

use crate::Player;

/// Points to each side.
const REACH: i32 = 2;

/// What a point holds, two bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Empty = 0,
    Own = 1,
    Other = 2,
    /// Beyond the edge of the board.
    Outside = 3,
}

impl Cell {
    /// A stone, or an empty point, as `mover` sees it.
    pub fn of(stone: Option<Player>, mover: Player) -> Self {
        match stone {
            None => Self::Empty,
            Some(player) if player == mover => Self::Own,
            Some(_) => Self::Other,
        }
    }
}

/// Packs the 5x5 points around the point at `center`, a row and a column of a board of so many
/// `rows` and `columns`. `cell` returns what a point of the board holds. The word has two bits a
/// point, row by row.
pub(super) fn around(
    center: (u16, u16),
    (rows, columns): (u16, u16),
    cell: impl Fn((u16, u16)) -> Cell,
) -> u64 {
    square(center, (rows, columns)).fold(0, |word, point| {
        let cell = point.map_or(Cell::Outside, &cell);
        word << 2 | cell as u64
    })
}

/// The bits of the points of the same square for which `holds` is true, one bit a point.
pub(super) fn marks_around(
    center: (u16, u16),
    (rows, columns): (u16, u16),
    holds: impl Fn((u16, u16)) -> bool,
) -> u64 {
    square(center, (rows, columns))
        .fold(0, |word, point| word << 1 | u64::from(point.is_some_and(&holds)))
}

/// The points of the square around a point, row by row; none for places beyond the board.
fn square(
    (row, column): (u16, u16),
    (rows, columns): (u16, u16),
) -> impl Iterator<Item = Option<(u16, u16)>> {
    let (row, column) = (i32::from(row), i32::from(column));
    let on_board = move |row: i32, column: i32| {
        let point = (u16::try_from(row).ok()?, u16::try_from(column).ok()?);
        (point.0 < rows && point.1 < columns).then_some(point)
    };
    (row - REACH..=row + REACH).flat_map(move |row| {
        (column - REACH..=column + REACH).map(move |column| on_board(row, column))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_the_square_row_by_row() {
        // On 4x3 points, seen from the corner: two rows and two columns are outside.
        let cell = |at: (u16, u16)| match at {
            (0, 1) => Cell::Own,
            (2, 2) => Cell::Other,
            _ => Cell::Empty,
        };
        let digits = [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 1, 0, 3, 3, 0, 0, 0, 3, 3, 0, 0, 2];
        let word = digits.iter().fold(0, |word, digit| word << 2 | digit);
        assert_eq!(around((0, 0), (4, 3), cell), word);
        assert_eq!(marks_around((0, 0), (4, 3), |at| cell(at) == Cell::Other), 1);
        assert_eq!(marks_around((0, 0), (4, 3), |at| cell(at) == Cell::Own), 1 << 11);
    }

    #[test]
    fn the_sides_are_the_mover_s() {
        let [first, second] = Player::BOTH;
        assert_eq!(Cell::of(Some(first), first), Cell::Own);
        assert_eq!(Cell::of(Some(first), second), Cell::Other);
        assert_eq!(Cell::of(None, second), Cell::Empty);
    }
}
