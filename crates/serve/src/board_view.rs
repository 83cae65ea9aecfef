//! Boards for pages, which draw them.

use dz_game::{BoardKind, Display, MovePlaces};
use dz_report::BoardGrid;
use serde::Serialize;

/// What stays the same in a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BoardShape {
    /// `discs`, `drops`, `signs`, `stones`, `hexagons`, `pieces`, `token`, or `text` for a board
    /// that is shown as the game writes it.
    pub(crate) kind: &'static str,
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Names of columns and rows in moves; empty where moves name none.
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<String>,
    /// What players call the sides.
    pub(crate) sides: [&'static str; 2],
    /// What the sides are drawn in: `dark`, `light`, `yellow`, `red`, `blue` or `orange`.
    pub(crate) colours: [&'static str; 2],
}

/// A move and its points, from 0 at the top left.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct PlacedMove {
    pub(crate) name: String,
    pub(crate) to: Option<(usize, usize)>,
    pub(crate) from: Option<(usize, usize)>,
}

/// The board of a position.
#[derive(Clone, Debug)]
pub(crate) struct BoardView {
    text: String,
    display: Display,
    grid: Option<BoardGrid>,
}

impl BoardView {
    /// Reads the text that a game shows people.
    pub(crate) fn new(text: String, display: Display) -> Self {
        let grid = BoardGrid::parse(&text, display);
        Self { text, display, grid }
    }

    /// What stays the same in the game.
    pub(crate) fn shape(&self) -> BoardShape {
        let kind = if self.grid.is_none() { "text" } else { kind_of(self.display) };
        let grid = self.grid.as_ref();
        BoardShape {
            kind,
            width: grid.map_or(0, BoardGrid::width),
            height: grid.map_or(0, BoardGrid::height),
            columns: grid.map(BoardGrid::column_names).unwrap_or_default(),
            rows: grid.map(BoardGrid::row_names).unwrap_or_default(),
            sides: sides_of(self.display),
            colours: colours_of(self.display),
        }
    }

    /// The sign of each point, row by row from the top left; or the text.
    pub(crate) fn cells(&self) -> String {
        self.grid.as_ref().map_or_else(|| self.text.clone(), BoardGrid::signs)
    }

    /// A move that may be played here, with its points.
    pub(crate) fn placed(&self, name: String) -> PlacedMove {
        let to = self.grid.as_ref().and_then(|grid| grid.target(&name));
        let from = self.grid.as_ref().and_then(|grid| grid.origin(&name));
        PlacedMove { name, to, from }
    }

    /// The points of the move that led to this board: where it began, and where it ended.
    pub(crate) fn last(&self, name: &str) -> Vec<(usize, usize)> {
        let Some(grid) = &self.grid else { return Vec::new() };
        grid.origin(name).into_iter().chain(grid.landed(name)).collect()
    }
}

/// What players call the sides. The discs of Connect Four are yellow and red.
pub(crate) fn sides_of(display: Display) -> [&'static str; 2] {
    if kind_of(display) == "drops" && display.sides == Display::default().sides {
        return DROPS;
    }
    display.sides
}

/// The colours of discs that drop.
const DROPS: [&str; 2] = ["yellow", "red"];

fn kind_of(display: Display) -> &'static str {
    match (display.board, display.places) {
        (BoardKind::Discs, MovePlaces::Columns) => "drops",
        (BoardKind::Discs, _) => "discs",
        (BoardKind::Signs, _) => "signs",
        (BoardKind::Stones, _) => "stones",
        (BoardKind::Hexagons, _) => "hexagons",
        (BoardKind::Pieces, _) => "pieces",
        (BoardKind::Token, _) => "token",
    }
}

fn colours_of(display: Display) -> [&'static str; 2] {
    match (kind_of(display), display.sides[0]) {
        ("drops", _) => DROPS,
        ("signs" | "token", _) => ["blue", "orange"],
        (_, "white") => ["light", "dark"],
        _ => ["dark", "light"],
    }
}

#[cfg(test)]
mod tests {
    use dz_game::{AnyGame, Game};

    use super::*;

    #[test]
    fn discs_have_the_colours_that_their_sides_are_called_by() {
        let of = |game: &str| {
            let display = AnyGame::of(&game.parse().unwrap()).unwrap().display();
            (sides_of(display), colours_of(display))
        };
        assert_eq!(of("breakthrough"), (["white", "black"], ["light", "dark"]));
        assert_eq!(of("othello"), (["black", "white"], ["dark", "light"]));
        assert_eq!(of("connect4"), (["yellow", "red"], ["yellow", "red"]));
        assert_eq!(of("tictactoe"), (["first", "second"], ["blue", "orange"]));
    }
}
