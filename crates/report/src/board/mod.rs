//! Positions drawn as boards: one routine a kind of board, whatever game is played on it.

mod draw;
mod grid;

use dz_game::{AnyGame, BoardKind, Display, Game, Player};

pub(crate) use draw::{board_svg, ground_svg, pieces_svg};
use grid::Grid;

/// The points of a board as text shows it, for programs that draw it themselves.
///
/// ```
/// use dz_game::{BoardKind, Display, Game, games::TicTacToe};
/// use dz_report::BoardGrid;
///
/// let game = TicTacToe;
/// let grid = BoardGrid::parse(&game.render(&game.start()), game.display()).expect("a board");
/// assert_eq!((grid.width(), grid.height()), (3, 3));
/// assert_eq!(grid.target("6"), Some((2, 1)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BoardGrid(Grid);

impl BoardGrid {
    /// Reads the text of [`Game::render`]; `None` where it shows no board of single signs.
    pub fn parse(text: &str, display: Display) -> Option<Self> {
        Grid::parse(text, signs(display.board), display.places).map(Self)
    }

    /// Columns.
    pub fn width(&self) -> usize {
        self.0.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.0.height
    }

    /// The sign of each point, row by row from the top left; `.` is an empty point.
    pub fn signs(&self) -> String {
        let points = (0..self.0.height).flat_map(|y| (0..self.0.width).map(move |x| (x, y)));
        points.map(|at| self.0.at(at)).collect()
    }

    /// Column and row, from 0 at the top left, that a move ends on. `None` for a move without a
    /// point, such as a pass.
    pub fn target(&self, name: &str) -> Option<(usize, usize)> {
        self.0.target(name)
    }

    /// Column and row of the move that led to this board. `None` for a move without a point.
    pub fn landed(&self, name: &str) -> Option<(usize, usize)> {
        self.0.landed(name)
    }

    /// Column and row that a move starts from, where it has such a point.
    pub fn origin(&self, name: &str) -> Option<(usize, usize)> {
        self.0.origin(name)
    }

    /// The names of the columns in moves, from the left; empty where moves name none.
    pub fn column_names(&self) -> Vec<String> {
        (0..self.0.width).filter_map(|x| self.0.column_name(x)).collect()
    }

    /// The names of the rows in moves, from the top; empty where moves name none.
    pub fn row_names(&self) -> Vec<String> {
        (0..self.0.height).filter_map(|y| self.0.row_name(y)).collect()
    }
}

/// The signs of a kind of board.
fn signs(kind: BoardKind) -> &'static str {
    match kind {
        BoardKind::Pieces => "pnbrqkPNBRQK.",
        BoardKind::Token => ".*",
        _ => "XO.",
    }
}

/// A position that can be drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Board {
    kind: BoardKind,
    grid: Grid,
    /// Who is to move; none where the game is over.
    pub(crate) to_move: Option<Player>,
}

/// The board after `moves` of the game; `None` where the game is unknown, a move is not legal, or
/// the game's text shows no board.
pub(crate) fn board(game: &str, moves: &[String]) -> Option<Board> {
    board_after(&AnyGame::of(&game.parse().ok()?).ok()?, moves)
}

fn board_after<G: Game>(game: &G, moves: &[String]) -> Option<Board> {
    let mut state = game.start();
    let mut history = G::History::default();
    for text in moves {
        game.play_text(&mut state, &mut history, text).ok()?;
    }
    let Display { board: kind, places, .. } = game.display();
    let grid = Grid::parse(&game.render(&state), signs(kind), places)?;
    Some(Board { kind, grid, to_move: game.to_move(&state, &history) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every game of the registry has a board that can be drawn, and its moves lie on it.
    #[test]
    fn every_game_is_drawn() {
        for name in dz_game::game_names() {
            let board = board(name, &[]).unwrap_or_else(|| panic!("{name} has no board"));
            assert!(board.to_move.is_some(), "{name}");
            let svg = board_svg(&board, &[], name).0;
            assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"), "{name}");
            assert!(!svg.contains("NaN"), "{name}");
        }
        assert_eq!(board("nothing", &[]), None);
        assert_eq!(board("tictactoe", &["5".to_owned(), "5".to_owned()]), None);
    }

    #[test]
    fn titles_stay_text() {
        let drawn = board("tictactoe", &[]).unwrap();
        let title = "<script>\" onload=\"";
        let escaped = " aria-label=\"&lt;script&gt;&quot; onload=&quot;\">";
        assert!(board_svg(&drawn, &[], title).0.contains(escaped));
        assert!(pieces_svg(&drawn, "id", None, title).0.contains(escaped));
    }

    #[test]
    fn moves_lie_where_the_game_puts_them() {
        for (game, moves, name, empty, at) in [
            ("connect4", &["4"][..], "4", '.', (3, 4)),
            ("tictactoe", &[], "6", '.', (2, 1)),
            ("go:size=9", &[], "J9", '.', (8, 0)),
            ("gomoku:size=9", &[], "b3", '.', (1, 2)),
            ("hex:size=5", &[], "c1", '.', (2, 0)),
            ("othello:size=6", &[], "a2", '.', (0, 1)),
            ("chess", &[], "e2e4", '.', (4, 4)),
        ] {
            let moves: Vec<String> = moves.iter().map(|&text| text.to_owned()).collect();
            let board = board(game, &moves).unwrap();
            assert_eq!(board.grid.target(name), Some(at), "{game} {name}");
            assert_eq!(board.grid.at(at), empty, "{game} {name}");
            let mut after = moves.clone();
            after.push(name.to_owned());
            if let Some(played) = super::board(game, &after) {
                assert_ne!(played.grid.at(at), empty, "{game} {name}");
                assert_eq!(played.grid.landed(name), Some(at), "{game} {name}");
            }
        }
        // A name beside the board is the one that moves have.
        for (game, column, row, name) in [
            ("go:size=13", 8, 0, "J13"),
            ("gomoku:size=15", 14, 14, "o15"),
            ("othello", 2, 3, "c4"),
            ("hex:size=5", 2, 0, "c1"),
        ] {
            let grid = board(game, &[]).unwrap().grid;
            let named = grid.column_name(column).unwrap() + &grid.row_name(row).unwrap();
            assert_eq!(named, name, "{game}");
            assert_eq!(grid.target(name), Some((column, row)), "{game}");
        }
        let chess = board("chess", &[]).unwrap().grid;
        assert_eq!(
            (chess.column_name(4).unwrap(), chess.row_name(6).unwrap()),
            ("e".into(), "2".into())
        );
        let discs = board("connect4", &[]).unwrap();
        assert_eq!((discs.grid.column_name(3), discs.grid.row_name(0)), (Some("4".into()), None));
        assert!(board_svg(&discs, &[], "").0.contains(">7</text>"));
        let signs = board("tictactoe", &[]).unwrap().grid;
        assert_eq!((signs.column_name(0), signs.point_name((2, 1))), (None, Some("6".into())));
        let go = board("go:size=9", &[]).unwrap();
        assert_eq!(go.grid.target("pass"), None);
    }
}
