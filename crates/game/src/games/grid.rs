//! Square boards whose points are named by a letter for the column and a number for the row.

use crate::{GameError, Player, Symmetry, games::parse_number};

/// Columns that have a letter.
const LETTERS: &str = "abcdefghijklmnopqrs";

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
    pub fn area(self) -> u16 {
        self.size * self.size
    }

    /// Row and column of a point.
    #[inline]
    pub fn split(self, point: u16) -> (u16, u16) {
        (point / self.size, point % self.size)
    }

    /// Where `symmetry` takes the point at `row` and `column`: bit 2 of its number transposes, bit
    /// 1 flips rows, bit 0 flips columns, in this order.
    #[inline]
    pub fn map(self, symmetry: Symmetry, (row, column): (u16, u16)) -> (u16, u16) {
        let (row, column) = if symmetry.0 & 4 == 0 { (row, column) } else { (column, row) };
        let flip = |bit: u8, at: u16| if symmetry.0 & bit == 0 { at } else { self.size - 1 - at };
        (flip(2, row), flip(1, column))
    }

    /// Where `symmetry` takes a point.
    #[inline]
    pub fn map_point(self, symmetry: Symmetry, point: u16) -> u16 {
        let (row, column) = self.map(symmetry, self.split(point));
        row * self.size + column
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
