//! How a game is shown to people: names of the sides, the kind of its board, and what its moves'
//! names say about places on the board.

/// What front ends and reports need to show a game's board and to let people point at moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Display {
    /// What players call the sides, the first player's first.
    pub sides: [&'static str; 2],
    /// The kind of board.
    pub board: BoardKind,
    /// How names of moves give places on the board.
    pub places: MovePlaces,
}

impl Default for Display {
    /// Crosses and noughts on numbered squares, for games that need nothing else.
    fn default() -> Self {
        Self {
            sides: ["first", "second"],
            board: BoardKind::Signs,
            places: MovePlaces::NumberedPoints,
        }
    }
}

impl Display {
    /// The names of the sides in Go, Othello, Gomoku and Hex: black moves first.
    pub const BLACK_FIRST: [&str; 2] = ["black", "white"];
}

/// Kinds of boards. [`Game::render`](crate::Game::render) writes `X` and `O` for the two players,
/// except where a kind says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardKind {
    /// Discs in squares: Connect Four, Othello.
    Discs,
    /// Crosses and noughts.
    Signs,
    /// Stones on the crossings of lines: Go, Gomoku.
    Stones,
    /// Hexagons, each row half a cell to the right of the row above.
    Hexagons,
    /// Pieces by their letters: capital letters are the first player's, small ones the second's.
    Pieces,
    /// One token `*` that both players move.
    Token,
}

/// How the name of a move gives a place on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MovePlaces {
    /// A column from 1; the move drops to the lowest free row.
    Columns,
    /// The number of a point from 1, row by row from the top left.
    NumberedPoints,
    /// A letter and a number, `a1` top left.
    TopLeft,
    /// GTP's vertices: a letter without I and a number, `A1` bottom left.
    Vertices,
    /// Two squares, from and to, such as `e2e4`, `a1` bottom left.
    FromTo,
}
