//! A cursor on the board, for people who would rather point than write.

use dz_game::{Move, MovePlaces, Status};

use crate::Session;

/// Signs of which boards are drawn; a row of a board is a line that ends in some of them, each a
/// word.
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

/// A place of the picture that is to be drawn otherwise than the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Line of [`Pointer::picture`].
    pub line: usize,
    /// Character of that line.
    pub at: usize,
    /// Whether it is the cursor; else it is the piece that was taken up.
    pub cursor: bool,
}

/// What choosing a place comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This move, by its name.
    Move(String),
    /// Nothing yet; what to do next, for people.
    Hint(String),
}

/// A cursor over a board as its game draws it, and over the moves that no place of the board stands
/// for (a pass, a swap), which stand in a row below it.
///
/// Rows of the board are found in the drawing, so that any game whose drawing has a sign a point
/// can be pointed at; a game that is drawn otherwise is a row of moves.
#[derive(Clone, Debug)]
pub struct Pointer {
    picture: Vec<String>,
    /// Line and characters of the points of each row.
    rows: Vec<(usize, Vec<usize>)>,
    places: MovePlaces,
    legal: Vec<(Move, String)>,
    /// Legal moves that are not on the board, as indices of `legal`.
    beside: Vec<usize>,
    /// Row and column; the row after the last one is that of `beside`.
    place: (usize, usize),
    /// The square of the piece that was taken up.
    from: Option<(usize, usize)>,
}

impl Pointer {
    /// A cursor in the middle of the board.
    pub fn new(session: &dyn Session) -> Self {
        let mut pointer = Self {
            picture: Vec::new(),
            rows: Vec::new(),
            places: session.display().places,
            legal: Vec::new(),
            beside: Vec::new(),
            place: (0, 0),
            from: None,
        };
        pointer.look(session);
        let columns = pointer.rows.first().map_or(0, |(_, cells)| cells.len());
        pointer.place = (pointer.rows.len() / 2, columns / 2);
        pointer.keep_on_board();
        pointer
    }

    /// Looks at the board again, which has changed; the cursor stays where it is.
    pub fn look(&mut self, session: &dyn Session) {
        self.picture = session.board().lines().map(ToOwned::to_owned).collect();
        self.rows = rows(&self.picture);
        let moves = match session.status() {
            Status::ToMove(_) => session.legal(),
            Status::Over(_) => Vec::new(),
        };
        self.legal = moves.into_iter().map(|mv| (mv, session.format(mv))).collect();
        self.let_go();
    }

    /// The board as the game draws it, line by line.
    pub fn picture(&self) -> &[String] {
        &self.picture
    }

    /// Where the cursor is on the board, and what was taken up there.
    pub fn marks(&self) -> Vec<Mark> {
        let mark = |(row, column): (usize, usize), cursor| {
            let (line, cells) = self.rows.get(row)?;
            Some(Mark { line: *line, at: *cells.get(column)?, cursor })
        };
        let from = self.from.and_then(|place| mark(place, false));
        from.into_iter().chain(mark(self.place, true)).collect()
    }

    /// The moves below the board, each with whether the cursor is on it.
    pub fn beside(&self) -> Vec<(&str, bool)> {
        let below = self.place.0 == self.rows.len();
        let named = self.beside.iter().enumerate();
        named.map(|(i, &m)| (self.legal[m].1.as_str(), below && self.place.1 == i)).collect()
    }

    /// Moves the cursor by one; it stops at the edges.
    pub fn step(&mut self, direction: Direction) {
        let (row, column) = self.place;
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
            self.place = place;
            self.keep_on_board();
        }
    }

    /// Chooses the place that the cursor is on.
    pub fn choose(&mut self) -> Choice {
        let (row, column) = self.place;
        if row == self.rows.len() {
            let chosen = self.beside.get(column).map(|&m| self.legal[m].1.clone());
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

    /// Puts back what was taken up.
    pub fn let_go(&mut self) {
        self.from = None;
        let points = self.rows.iter().map(|(_, cells)| cells.len()).sum::<usize>();
        let on_board = |mv: Move| match self.places {
            MovePlaces::Columns | MovePlaces::FromTo => points > 0,
            _ => usize::from(mv.0) < points,
        };
        self.beside = (0..self.legal.len()).filter(|&m| !on_board(self.legal[m].0)).collect();
        self.keep_on_board();
    }

    /// The first square takes a piece up, the second puts it down. Several moves between the two
    /// are promotions, and stand below the board then.
    fn choose_square(&mut self) -> Choice {
        let here = self.square(self.place);
        let starting = |begin: &str| -> Vec<usize> {
            let named = self.legal.iter().enumerate();
            named.filter(|(_, (_, name))| name.starts_with(begin)).map(|(m, _)| m).collect()
        };
        let moves = match self.from {
            Some(from) => starting(&format!("{}{here}", self.square(from))),
            None => Vec::new(),
        };
        match moves[..] {
            [only] => Choice::Move(self.legal[only].1.clone()),
            [_, _, ..] => {
                self.beside = moves;
                self.place = (self.rows.len(), 0);
                Choice::Hint("what does it become? choose below the board".to_owned())
            }
            // Another piece of one's own is taken up instead.
            [] if !starting(&here).is_empty() => {
                self.from = Some(self.place);
                Choice::Hint(format!("{here}, and to where?"))
            }
            [] => Choice::Hint(match self.from {
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
        self.rows.get(row).map_or(self.beside.len(), |(_, cells)| cells.len())
    }

    fn keep_on_board(&mut self) {
        let last =
            if self.beside.is_empty() { self.rows.len().max(1) - 1 } else { self.rows.len() };
        self.place.0 = self.place.0.min(last);
        self.place.1 = self.place.1.min(self.width(self.place.0).max(1) - 1);
    }
}

/// The rows of a drawing: lines that end in as many signs as any line does. Names of columns may
/// end in a few letters that are signs as well.
fn rows(picture: &[String]) -> Vec<(usize, Vec<usize>)> {
    let found = picture.iter().enumerate().map(|(line, text)| (line, cells(text)));
    let mut rows: Vec<_> = found.filter(|(_, cells)| cells.len() > 1).collect();
    let width = rows.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
    rows.retain(|(_, cells)| cells.len() == width);
    rows
}

/// The characters of a line that are its last words, each one sign.
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
