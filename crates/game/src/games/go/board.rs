//! The board's geometry: grids for its size, symmetries, names of points, area.

use super::set::{Grid, Set, WORDS_MAX, Words};
use crate::{GameError, Move, Symmetry};

/// Largest side of a board.
pub(super) const SIZE_MAX: u8 = 19;
/// Names of columns; GTP skips the I, which looks like a J.
const COLUMNS: &str = "ABCDEFGHJKLMNOPQRST";

/// A board of given size.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub size: u16,
    /// Up to 11x11.
    pub small: Grid<2>,
    /// 12x12 and 13x13.
    pub medium: Grid<3>,
    /// Up to 19x19.
    pub large: Grid<WORDS_MAX>,
}

/// Runs `$body` with `$grid` the smallest grid that holds the board.
macro_rules! on_grid {
    ($board:expr, $grid:ident => $body:expr) => {
        match $board.size {
            0..=11 => {
                let $grid = &$board.small;
                $body
            }
            12..=13 => {
                let $grid = &$board.medium;
                $body
            }
            _ => {
                let $grid = &$board.large;
                $body
            }
        }
    };
}
pub(super) use on_grid;

impl Board {
    /// The caller has checked that `size` is 2 to [`SIZE_MAX`].
    pub fn new(size: u8) -> Self {
        let size = u16::from(size);
        Self { size, small: Grid::new(size), medium: Grid::new(size), large: Grid::new(size) }
    }

    /// Points of the board.
    pub fn area(&self) -> u16 {
        self.size * self.size
    }

    /// The move after all points.
    pub fn pass(&self) -> Move {
        Move(self.area())
    }

    /// Where `symmetry` takes a point: bit 2 exchanges rows and columns, then bit 1 turns the rows
    /// around and bit 0 the columns.
    pub fn map_point(&self, symmetry: Symmetry, point: u16) -> u16 {
        let (mut row, mut column) = (point / self.size, point % self.size);
        if symmetry.0 & 4 != 0 {
            (row, column) = (column, row);
        }
        if symmetry.0 & 2 != 0 {
            row = self.size - 1 - row;
        }
        if symmetry.0 & 1 != 0 {
            column = self.size - 1 - column;
        }
        row * self.size + column
    }

    /// `set` seen through `symmetry`.
    pub fn map_words(&self, symmetry: Symmetry, set: &Words) -> Words {
        let mut mapped = [0; WORDS_MAX];
        for point in Set::<WORDS_MAX>::load(set).iter() {
            let point = self.map_point(symmetry, point);
            mapped[usize::from(point / 64)] |= 1 << (point % 64);
        }
        mapped
    }

    /// A GTP vertex, A1 at the bottom left, or `pass`.
    pub fn format(&self, mv: Move) -> String {
        if mv == self.pass() {
            return "pass".to_owned();
        }
        let (row, column) = (mv.0 / self.size, usize::from(mv.0 % self.size));
        format!("{}{}", &COLUMNS[column..=column], self.size - row)
    }

    /// Reads what [`Board::format`] writes, without regard to case.
    pub fn parse(&self, text: &str) -> Result<Move, GameError> {
        if text.eq_ignore_ascii_case("pass") {
            return Ok(self.pass());
        }
        let columns = &COLUMNS[..usize::from(self.size)];
        let point = text.split_at_checked(1).and_then(|(column, row)| {
            let column = columns.find(&column.to_ascii_uppercase())? as u16;
            let row = super::parse_number(row).filter(|row| (1..=self.size).contains(row))?;
            Some((self.size - row) * self.size + column)
        });
        point.map(Move).ok_or_else(|| GameError::BadMove {
            text: text.to_owned(),
            expected: format!(
                "write a point, A1 to {}{} without I, or pass",
                &columns[columns.len() - 1..],
                self.size
            ),
        })
    }

    /// The board as GTP's showboard draws it; `sign` tells what stands on a point.
    pub fn render(&self, sign: impl Fn(u16) -> char) -> String {
        let letters: Vec<String> =
            COLUMNS.chars().take(self.size.into()).map(String::from).collect();
        let mut text = String::new();
        for row in 0..self.size {
            text += &[format!("{:>2}", self.size - row)].concat();
            for point in row * self.size..(row + 1) * self.size {
                text.extend([' ', sign(point)]);
            }
            text.push('\n');
        }
        text + "   " + &letters.join(" ") + "\n"
    }
}

impl<const N: usize> Grid<N> {
    fn new(size: u16) -> Self {
        let points = |keep: &dyn Fn(u16) -> bool| {
            let mut set = Set::<N>::EMPTY;
            for point in (0..size * size).filter(|&point| point / 64 < N as u16 && keep(point)) {
                set = set.or(Set::of(point));
            }
            set
        };
        Self {
            size: size.into(),
            all: points(&|_| true),
            not_first: points(&|point| point % size != 0),
            not_last: points(&|point| point % size != size - 1),
        }
    }

    /// The points of each player: stones, and empty regions that only this player's stones border (J.
    /// Tromp and B. Taylor, The Logical Rules of Go).
    pub fn areas(&self, stones: &[Words; 2]) -> [Set<N>; 2] {
        let [first, second] = [Set::load(&stones[0]), Set::load(&stones[1])];
        let empty = self.all.without(first.or(second));
        let reach = |stones| self.flood(self.near(stones).and(empty), empty);
        let reached = [reach(first), reach(second)];
        [first.or(reached[0].without(reached[1])), second.or(reached[1].without(reached[0]))]
    }
}
