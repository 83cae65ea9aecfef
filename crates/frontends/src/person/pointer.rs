//! A cursor on the board, for people who point at moves instead of writing them.

use dz_game::{Move, MovePlaces, Status};

use crate::Session;

/// Signs of boards as text. A row of a board is a line that ends in some of them, each a word.
const SIGNS: &str = ".XOPNBRQKpnbrqk";

/// A step of the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the row above.
    Up,
    /// To the row below.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// A character of the board to highlight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Line of [`Pointer::picture`].
    pub line: usize,
    /// Character of that line.
    pub at: usize,
    /// Whether it is the cursor; else it is the piece that was picked up.
    pub cursor: bool,
}

/// The result of choosing a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This move, by its name.
    Move(String),
    /// Nothing yet; what to do next, for people.
    Hint(String),
}

/// A cursor over the board as text ([`dz_game::Game::render`]), and over a row below it with the
/// moves that have no place on the board, such as a pass or a swap.
///
/// The rows of the board are found in the text, so it works for every game whose board has one sign
/// a point. The moves of other games are all in the row below.
#[derive(Clone, Debug)]
pub struct Pointer {
    picture: Vec<String>,
    /// Line and characters of the points of each row.
    rows: Vec<(usize, Vec<usize>)>,
    places: MovePlaces,
    legal: Vec<(Move, String)>,
    /// Legal moves that are not on the board, as indices of `legal`.
    off_board: Vec<usize>,
    /// Row and column. The row after the last one of the board is that of `off_board`.
    cursor: (usize, usize),
    /// The square of the piece that was picked up.
    picked_up: Option<(usize, usize)>,
}

impl Pointer {
    /// Makes a cursor in the middle of the board.
    pub fn new(session: &dyn Session) -> Self {
        let mut pointer = Self {
            picture: Vec::new(),
            rows: Vec::new(),
            places: session.display().places,
            legal: Vec::new(),
            off_board: Vec::new(),
            cursor: (0, 0),
            picked_up: None,
        };
        pointer.update(session);
        let columns = pointer.rows.first().map_or(0, |(_, cells)| cells.len());
        pointer.cursor = (pointer.rows.len() / 2, columns / 2);
        pointer.keep_on_board();
        pointer
    }

    /// Reads the board again after it has changed. The cursor keeps its place.
    pub fn update(&mut self, session: &dyn Session) {
        self.picture = session.board().lines().map(ToOwned::to_owned).collect();
        self.rows = rows(&self.picture);
        let moves = match session.status() {
            Status::ToMove(_) => session.legal(),
            Status::Over(_) => Vec::new(),
        };
        self.legal = moves.into_iter().map(|mv| (mv, session.format(mv))).collect();
        self.put_back();
    }

    /// Returns the lines of the board.
    pub fn picture(&self) -> &[String] {
        &self.picture
    }

    /// Returns the places of the cursor and of the piece that was picked up.
    pub fn marks(&self) -> Vec<Mark> {
        let mark = |(row, column): (usize, usize), cursor| {
            let (line, cells) = self.rows.get(row)?;
            Some(Mark { line: *line, at: *cells.get(column)?, cursor })
        };
        let from = self.picked_up.and_then(|place| mark(place, false));
        from.into_iter().chain(mark(self.cursor, true)).collect()
    }

    /// Returns the moves below the board, each with whether the cursor is on it.
    pub fn off_board(&self) -> Vec<(&str, bool)> {
        let below = self.cursor.0 == self.rows.len();
        let named = self.off_board.iter().enumerate();
        named.map(|(i, &m)| (self.legal[m].1.as_str(), below && self.cursor.1 == i)).collect()
    }

    /// Moves the cursor by one; it stops at the edges.
    pub fn step(&mut self, direction: Direction) {
        let (row, column) = self.cursor;
        let mut place = match direction {
            Direction::Up => (row.saturating_sub(1), column),
            Direction::Down => (row + 1, column),
            Direction::Left => (row, column.saturating_sub(1)),
            Direction::Right => (row, column + 1),
        };
        if place.0 < row && row == self.rows.len() {
            // From the moves below back to the middle of the board.
            place.1 = self.width(place.0) / 2;
        } else if place.0 > row && place.0 == self.rows.len() {
            place.1 = 0;
        }
        if self.width(place.0) > 0 {
            self.cursor = place;
            self.keep_on_board();
        }
    }

    /// Chooses the place that the cursor is on.
    pub fn choose(&mut self) -> Choice {
        let (row, column) = self.cursor;
        if row == self.rows.len() {
            let chosen = self.off_board.get(column).map(|&m| self.legal[m].1.clone());
            return chosen.map_or(Choice::Hint("there is no move here".to_owned()), Choice::Move);
        }
        if self.places == MovePlaces::FromTo {
            return self.choose_square();
        }
        let width = self.width(row);
        let wanted = match self.places {
            MovePlaces::Columns => column,
            _ => row * width + column,
        };
        match self.legal.iter().find(|(mv, _)| usize::from(mv.0) == wanted) {
            Some((_, name)) => Choice::Move(name.clone()),
            None => Choice::Hint("this is no legal move".to_owned()),
        }
    }

    /// Puts back the piece that was picked up.
    pub fn put_back(&mut self) {
        self.picked_up = None;
        let points = self.rows.iter().map(|(_, cells)| cells.len()).sum::<usize>();
        let on_board = |mv: Move| match self.places {
            MovePlaces::Columns | MovePlaces::FromTo => points > 0,
            _ => usize::from(mv.0) < points,
        };
        self.off_board = (0..self.legal.len()).filter(|&m| !on_board(self.legal[m].0)).collect();
        self.keep_on_board();
    }

    /// The first square picks a piece up, the second one puts it down. Several moves between the
    /// two squares are promotions, which are then shown below the board.
    fn choose_square(&mut self) -> Choice {
        let here = self.square(self.cursor);
        let starting = |begin: &str| -> Vec<usize> {
            let named = self.legal.iter().enumerate();
            named.filter(|(_, (_, name))| name.starts_with(begin)).map(|(m, _)| m).collect()
        };
        let moves = match self.picked_up {
            Some(from) => starting(&format!("{}{here}", self.square(from))),
            None => Vec::new(),
        };
        match moves[..] {
            [only] => Choice::Move(self.legal[only].1.clone()),
            [_, _, ..] => {
                self.off_board = moves;
                self.cursor = (self.rows.len(), 0);
                Choice::Hint("what does it become? choose below the board".to_owned())
            }
            // Another piece of the same player is picked up instead.
            [] if !starting(&here).is_empty() => {
                self.picked_up = Some(self.cursor);
                Choice::Hint(format!("{here}, and to where?"))
            }
            [] => Choice::Hint(match self.picked_up {
                Some(from) => format!("{} cannot go to {here}", self.square(from)),
                None => format!("nothing on {here} can move"),
            }),
        }
    }

    /// A square's name: files from the left, ranks from below.
    fn square(&self, (row, column): (usize, usize)) -> String {
        let file = char::from(b'a' + u8::try_from(column % 26).unwrap_or_default());
        format!("{file}{}", self.rows.len() - row)
    }

    /// Columns of a row.
    fn width(&self, row: usize) -> usize {
        self.rows.get(row).map_or(self.off_board.len(), |(_, cells)| cells.len())
    }

    fn keep_on_board(&mut self) {
        let last =
            if self.off_board.is_empty() { self.rows.len().max(1) - 1 } else { self.rows.len() };
        self.cursor.0 = self.cursor.0.min(last);
        self.cursor.1 = self.cursor.1.min(self.width(self.cursor.0).max(1) - 1);
    }
}

/// Returns the rows of a board: the lines with the most signs at their end. Names of columns may
/// end in a few letters that are signs as well.
fn rows(picture: &[String]) -> Vec<(usize, Vec<usize>)> {
    let found = picture.iter().enumerate().map(|(line, text)| (line, cells(text)));
    let mut rows: Vec<_> = found.filter(|(_, cells)| cells.len() > 1).collect();
    let width = rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
    rows.retain(|(_, cells)| cells.len() == width);
    rows
}

/// Returns the characters of a line that are its last words, each one sign.
fn cells(line: &str) -> Vec<usize> {
    let signs: Vec<char> = line.trim_end().chars().collect();
    let mut cells = Vec::new();
    for at in (0..signs.len()).rev().step_by(2) {
        let alone = at == 0 || signs[at - 1] == ' ';
        if !SIGNS.contains(signs[at]) || !alone {
            break;
        }
        cells.push(at);
    }
    cells.reverse();
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_found_in_drawings() {
        assert_eq!(cells(" 9 . X O"), [3, 5, 7]);
        assert_eq!(cells("8 r n b q k b n r"), [2, 4, 6, 8, 10, 12, 14, 16]);
        assert_eq!(cells("X . O"), [0, 2, 4]);
        for line in ["   A B C", "1 2 3 4 5 6 7", "..*..", "rnbq/8 w KQkq - 0 1", ""] {
            assert!(cells(line).is_empty(), "{line}");
        }
    }
}
