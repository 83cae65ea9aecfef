//! The board's geometry: grids for its size, symmetries, names of points, area.

use super::set::{ANY, Grid, Set, WORDS_MAX, Words};
use crate::{
    GameError, Move, Symmetry,
    games::{grid::Grid as Square, vertex},
};

/// Largest side of a board.
pub(super) const SIZE_MAX: u8 = 19;

/// A board of given size.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub square: Square,
    pub shape: Shape,
}

/// The smallest grid that holds a board. Where play takes place most, the length of a row is part
/// of the type: shifts by a number that the compiler knows take a third less time.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Nine(Grid<2, 9>),
    /// Up to 11x11.
    Small(Grid<2, ANY>),
    Thirteen(Grid<3, 13>),
    Nineteen(Grid<WORDS_MAX, 19>),
    /// All others.
    Large(Grid<WORDS_MAX, ANY>),
}

/// Runs `$body` with `$grid` the grid of the board.
macro_rules! on_grid {
    ($board:expr, $grid:ident => $body:expr) => {
        match &$board.shape {
            $crate::games::go::board::Shape::Nine($grid) => $body,
            $crate::games::go::board::Shape::Small($grid) => $body,
            $crate::games::go::board::Shape::Thirteen($grid) => $body,
            $crate::games::go::board::Shape::Nineteen($grid) => $body,
            $crate::games::go::board::Shape::Large($grid) => $body,
        }
    };
}
pub(super) use on_grid;

impl Board {
    /// The caller has checked that `size` is 2 to [`SIZE_MAX`].
    pub fn new(size: u8) -> Self {
        let square = Square::new(size);
        let shape = match square.size {
            9 => Shape::Nine(Grid::new(square)),
            0..=11 => Shape::Small(Grid::new(square)),
            13 => Shape::Thirteen(Grid::new(square)),
            19 => Shape::Nineteen(Grid::new(square)),
            _ => Shape::Large(Grid::new(square)),
        };
        Self { square, shape }
    }

    /// Rows.
    pub fn size(&self) -> u16 {
        self.square.size
    }

    /// Points of the board.
    pub fn area(&self) -> u16 {
        self.square.area()
    }

    /// The move after all points.
    pub fn pass(&self) -> Move {
        Move(self.area())
    }

    /// `set` seen through `symmetry`.
    pub fn map_words(&self, symmetry: Symmetry, set: &Words) -> Words {
        let mut mapped = [0; WORDS_MAX];
        for point in Set::<WORDS_MAX>::load(set).iter() {
            let point = self.square.map_point(symmetry, point);
            mapped[usize::from(point / 64)] |= 1 << (point % 64);
        }
        mapped
    }

    /// A GTP vertex, A1 at the bottom left, or `pass`.
    pub fn format(&self, mv: Move) -> String {
        if mv == self.pass() { "pass".to_owned() } else { vertex::vertex_name(self.size(), mv.0) }
    }

    /// Reads what [`Board::format`] writes, without regard to case.
    pub fn parse(&self, text: &str) -> Result<Move, GameError> {
        if text.eq_ignore_ascii_case("pass") {
            return Ok(self.pass());
        }
        let size = self.size();
        vertex::parse_vertex(size, text).map(Move).ok_or_else(|| GameError::BadMove {
            text: text.to_owned(),
            expected: format!(
                "write a point, A1 to {} without I, or pass",
                vertex::vertex_name(size, size - 1)
            ),
        })
    }

    /// Returns the board as GTP's `showboard` prints it. `sign` returns the sign of a point.
    pub fn render(&self, sign: impl Fn(u16) -> char) -> String {
        let letters: Vec<String> = vertex::columns(self.size()).chars().map(String::from).collect();
        let mut text = String::new();
        for row in 0..self.size() {
            text += &[format!("{:>2}", self.size() - row)].concat();
            for point in row * self.size()..(row + 1) * self.size() {
                text.extend([' ', sign(point)]);
            }
            text.push('\n');
        }
        text + "   " + &letters.join(" ") + "\n"
    }
}

impl<const N: usize, const ROW: u32> Grid<N, ROW> {
    fn new(square: Square) -> Self {
        let size = square.size;
        let points = |keep: &dyn Fn(u16) -> bool| {
            let kept = (0..square.area()).filter(|&point| keep(point));
            kept.fold(Set::<N>::EMPTY, |set, point| set.or(Set::of(point)))
        };
        Self {
            size: size.into(),
            all: points(&|_| true),
            not_first: points(&|point| point % size != 0),
            not_last: points(&|point| point % size != size - 1),
        }
    }

    /// The points of each player: stones, and empty regions that only this player's stones border
    /// (J. Tromp and B. Taylor, The Logical Rules of Go).
    pub fn areas(&self, stones: &[Words; 2]) -> [Set<N>; 2] {
        let [first, second] = [Set::load(&stones[0]), Set::load(&stones[1])];
        let empty = self.all.without(first.or(second));
        let reach = |stones| self.flood(self.near(stones).and(empty), empty);
        let reached = [reach(first), reach(second)];
        [first.or(reached[0].without(reached[1])), second.or(reached[1].without(reached[0]))]
    }
}
