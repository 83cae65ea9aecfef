//! A square board as an array of points, for literal implementations.

use dz_game::Player;

/// Point `row * size + column`, and whose stone lies there.
#[derive(Clone)]
pub struct Square {
    pub size: i32,
    pub points: Vec<Option<Player>>,
}

impl Square {
    pub fn new(size: u8) -> Self {
        Self { size: size.into(), points: vec![None; usize::from(size) * usize::from(size)] }
    }

    /// The number of a point, if it is on the board.
    pub fn number(&self, (row, column): (i32, i32)) -> Option<usize> {
        let inside = (0..self.size).contains(&row) && (0..self.size).contains(&column);
        inside.then_some((row * self.size + column) as usize)
    }

    fn split(&self, point: usize) -> (i32, i32) {
        (point as i32 / self.size, point as i32 % self.size)
    }

    /// The point at so many rows and columns from another one, if it is on the board.
    pub fn step(&self, point: usize, (down, right): (i32, i32)) -> Option<usize> {
        let (row, column) = self.split(point);
        self.number((row + down, column + right))
    }

    /// Compares with what a game says about each point.
    pub fn check(&self, stone_at: impl Fn(u16) -> Option<Player>) {
        for (point, &stone) in self.points.iter().enumerate() {
            assert_eq!(stone_at(point as u16), stone, "point {point}");
        }
    }
}
