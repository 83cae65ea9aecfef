//! Square boards whose points are named by a letter for the column and a number for the row.

use crate::{GameError, Player, Symmetry, games::parse_number};

/// Columns that have a letter.
const LETTERS: &str = "abcdefghijklmnopqrs";

/// Largest side of a board.
const SIZE_MAX: usize = LETTERS.len();

/// Where symmetries take points, of every size: divisions would take longer than a look here. For
/// each size, for each symmetry, one entry a point.
static MAPPED: [u16; FIRST[SIZE_MAX + 1]] = mapped();

/// Where the entries of a size begin.
const FIRST: [usize; SIZE_MAX + 2] = firsts();

const fn firsts() -> [usize; SIZE_MAX + 2] {
    let mut first = [0; SIZE_MAX + 2];
    let mut size = 0;
    while size <= SIZE_MAX {
        first[size + 1] = first[size] + Grid::SYMMETRIES as usize * size * size;
        size += 1;
    }
    first
}

#[expect(clippy::large_stack_arrays, reason = "it is made when the program is compiled")]
const fn mapped() -> [u16; FIRST[SIZE_MAX + 1]] {
    let mut mapped = [0; FIRST[SIZE_MAX + 1]];
    let mut at = 0;
    let mut size = 1;
    while size <= SIZE_MAX {
        let grid = Grid { size: size as u16 };
        let mut symmetry = 0;
        while symmetry < Grid::SYMMETRIES {
            let mut point = 0;
            while point < grid.area() {
                let (row, column) = grid.map(Symmetry(symmetry), grid.split(point));
                mapped[at] = row * grid.size + column;
                at += 1;
                point += 1;
            }
            symmetry += 1;
        }
        size += 1;
    }
    mapped
}

/// The points of a board of `size` rows and columns: point `row * size + column`, a1 top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub size: u16,
}

impl Grid {
    /// How many symmetries a square has.
    pub const SYMMETRIES: u8 = 8;

    /// The caller has checked that `size` is at most 19.
    pub fn new(size: u8) -> Self {
        Self { size: size.into() }
    }

    /// Points of the board.
    #[inline]
    pub const fn area(self) -> u16 {
        self.size * self.size
    }

    /// Row and column of a point.
    #[inline]
    pub const fn split(self, point: u16) -> (u16, u16) {
        (point / self.size, point % self.size)
    }

    /// Where `symmetry` takes the point at `row` and `column`: bit 2 of its number transposes, bit
    /// 1 flips rows, bit 0 flips columns, in this order.
    #[inline]
    pub const fn map(self, symmetry: Symmetry, (row, column): (u16, u16)) -> (u16, u16) {
        let (row, column) = if symmetry.0 & 4 == 0 { (row, column) } else { (column, row) };
        let last = self.size - 1;
        let row = if symmetry.0 & 2 == 0 { row } else { last - row };
        let column = if symmetry.0 & 1 == 0 { column } else { last - column };
        (row, column)
    }

    /// Where `symmetry` takes each point, by the point.
    #[inline]
    pub fn mapped(self, symmetry: Symmetry) -> &'static [u16] {
        let area = usize::from(self.area());
        let first = FIRST[usize::from(self.size)] + usize::from(symmetry.0) * area;
        &MAPPED[first..first + area]
    }

    /// Where `symmetry` takes a point.
    #[inline]
    pub fn map_point(self, symmetry: Symmetry, point: u16) -> u16 {
        self.mapped(symmetry)[usize::from(point)]
    }

    /// The point's name, a1 for the first one; no letter is skipped.
    pub fn name(self, point: u16) -> String {
        let (row, column) = self.split(point);
        format!("{}{}", letter(column), row + 1)
    }

    /// The point that `text` names, without regard to case.
    fn parse(self, text: &str) -> Option<u16> {
        let (column, row) = text.split_at_checked(1)?;
        let column = (0..self.size).find(|&c| column.eq_ignore_ascii_case(letter(c)))?;
        let row = parse_number(row).filter(|row| (1..=self.size).contains(row))?;
        Some((row - 1) * self.size + column)
    }

    /// As [`Grid::parse`]; `also` names other moves there are, for the error: ", or pass".
    pub fn parse_move(self, text: &str, also: &str) -> Result<u16, GameError> {
        self.parse(text).ok_or_else(|| GameError::BadMove {
            text: text.to_owned(),
            expected: format!("write a point, a1 to {}{also}", self.name(self.area() - 1)),
        })
    }

    /// Returns the board as text, with letters above and numbers beside it. `stone` returns whose
    /// stone stands on a point.
    pub fn render(self, stone: impl Fn(u16) -> Option<Player>) -> String {
        let columns: Vec<&str> = (0..self.size).map(letter).collect();
        let mut text = format!("   {}\n", columns.join(" "));
        for row in 0..self.size {
            text += &[if row < 9 { " " } else { "" }, &(row + 1).to_string()].concat();
            for point in row * self.size..(row + 1) * self.size {
                text.extend([' ', sign(stone(point))]);
            }
            text.push('\n');
        }
        text
    }
}

/// Returns the sign for a stone of the first or second player, or for an empty point.
pub(super) fn sign(stone: Option<Player>) -> char {
    match stone {
        Some(Player::First) => 'X',
        Some(Player::Second) => 'O',
        None => '.',
    }
}

/// The name of a column.
pub(super) fn letter(column: u16) -> &'static str {
    let at = usize::from(column);
    &LETTERS[at..=at]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_go_where_their_rows_and_columns_go() {
        for size in [1, 2, 3, 8, 9, 13, 19] {
            let grid = Grid::new(size);
            for symmetry in (0..Grid::SYMMETRIES).map(Symmetry) {
                let mapped = (0..grid.area()).map(|point| {
                    let (row, column) = grid.map(symmetry, grid.split(point));
                    row * grid.size + column
                });
                let mapped: Vec<u16> = mapped.collect();
                assert_eq!(grid.mapped(symmetry), mapped, "{size} {symmetry:?}");
                assert_eq!(grid.map_point(symmetry, 0), mapped[0]);
            }
        }
    }
}
