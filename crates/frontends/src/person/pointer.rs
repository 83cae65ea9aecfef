//! A cursor on the board, for people who point at moves instead of writing them.

use dz_game::{Move, MovePlaces, Player, Status};
use dz_text::Look;

use super::picture::{Picture, Place};
use crate::Session;

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
    /// Why.
    pub kind: MarkKind,
}

/// Why a character of the board is highlighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// A piece of this player.
    Piece(Player),
    /// The last move came from here or went here.
    LastMove,
    /// The piece that was picked up.
    PickedUp,
    /// The cursor.
    Cursor,
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
/// It works for every game whose board has one sign a point. The moves of other games are all in
/// the row below.
#[derive(Clone, Debug)]
pub struct Pointer {
    picture: Picture,
    places: MovePlaces,
    legal: Vec<(Move, String)>,
    /// Legal moves that are not on the board, as indices of `legal`.
    off_board: Vec<usize>,
    /// Row and column. The row after the last one of the board is that of `off_board`.
    cursor: Place,
    /// The square of the piece that was picked up.
    picked_up: Option<Place>,
}

impl Pointer {
    /// Makes a cursor in the middle of the board.
    pub fn new(session: &dyn Session) -> Self {
        let mut pointer = Self {
            picture: Picture::of(session),
            places: session.display().places,
            legal: Vec::new(),
            off_board: Vec::new(),
            cursor: (0, 0),
            picked_up: None,
        };
        pointer.update(session);
        pointer.cursor = (pointer.below() / 2, pointer.picture.width(0) / 2);
        pointer.keep_on_board();
        pointer
    }

    /// Reads the board again after it has changed. The cursor keeps its place.
    pub fn update(&mut self, session: &dyn Session) {
        self.picture = Picture::of(session);
        let moves = match session.status() {
            Status::ToMove(_) => session.legal(),
            Status::Over(_) => Vec::new(),
        };
        self.legal = moves.into_iter().map(|mv| (mv, session.format(mv))).collect();
        self.put_back();
    }

    /// Returns the lines of the board, as a terminal of this look shows them.
    pub fn lines(&self, look: Look) -> Vec<String> {
        let mut lines: Vec<Vec<char>> =
            self.picture.lines.iter().map(|line| line.chars().collect()).collect();
        for (line, at) in self.cells() {
            lines[line][at] = self.picture.shown(lines[line][at], look);
        }
        lines.into_iter().map(String::from_iter).collect()
    }

    /// Returns what is highlighted on the board; later marks go before earlier ones.
    pub fn marks(&self) -> Vec<Mark> {
        let mark = |place: Place, kind| {
            let (line, at) = self.picture.cell(place)?;
            Some(Mark { line, at, kind })
        };
        let pieces = self.cells().filter_map(|(line, at)| {
            let sign = self.picture.lines[line].chars().nth(at)?;
            Some(Mark { line, at, kind: MarkKind::Piece(self.picture.owner(sign)?) })
        });
        let last = self.picture.last.iter().filter_map(|&place| mark(place, MarkKind::LastMove));
        let from = self.picked_up.and_then(|place| mark(place, MarkKind::PickedUp));
        let cursor = mark(self.cursor, MarkKind::Cursor);
        pieces.chain(last).chain(from).chain(cursor).collect()
    }

    /// Line and character of every point.
    fn cells(&self) -> impl Iterator<Item = (usize, usize)> {
        let rows = self.picture.rows.iter();
        rows.flat_map(|(line, cells)| cells.iter().map(|&at| (*line, at)))
    }

    /// The row below the board.
    fn below(&self) -> usize {
        self.picture.rows.len()
    }

    /// Returns the moves below the board, each with whether the cursor is on it.
    pub fn off_board(&self) -> Vec<(&str, bool)> {
        let below = self.cursor.0 == self.below();
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
        if place.0 < row && row == self.below() {
            // From the moves below back to the middle of the board.
            place.1 = self.width(place.0) / 2;
        } else if place.0 > row && place.0 == self.below() {
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
        if row == self.below() {
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
        let points = self.cells().count();
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
                self.cursor = (self.below(), 0);
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
    fn square(&self, (row, column): Place) -> String {
        let file = char::from(b'a' + u8::try_from(column % 26).unwrap_or_default());
        format!("{file}{}", self.below() - row)
    }

    /// Columns of a row.
    fn width(&self, row: usize) -> usize {
        if row < self.below() { self.picture.width(row) } else { self.off_board.len() }
    }

    fn keep_on_board(&mut self) {
        let last = if self.off_board.is_empty() { self.below().max(1) - 1 } else { self.below() };
        self.cursor.0 = self.cursor.0.min(last);
        self.cursor.1 = self.cursor.1.min(self.width(self.cursor.0).max(1) - 1);
    }
}
