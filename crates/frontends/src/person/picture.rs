//! The board as text, with the characters that are points, and the last move.

use dz_game::{BoardKind, Move, MovePlaces, Player};
use dz_text::{Colour, Look};

use crate::Session;

/// Signs of boards as text. A row of a board is a line that ends in some of them, each a word.
const SIGNS: &str = ".XOPNBRQKpnbrqk";

/// The sign of an empty point.
const EMPTY: char = '.';

/// A row and a column, from the top left.
pub(super) type Place = (usize, usize);

/// A board as [`dz_game::Game::render`] draws it.
///
/// The rows of the board are found in the text, so it works for every game whose board has one sign
/// a point. Other boards have no rows.
#[derive(Clone, Debug)]
pub(super) struct Picture {
    pub(super) lines: Vec<String>,
    /// Line and characters of the points of each row.
    pub(super) rows: Vec<(usize, Vec<usize>)>,
    /// Where the last move went. In chess, first where it came from.
    pub(super) last: Vec<Place>,
    board: BoardKind,
}

impl Picture {
    /// Draws the session's position.
    pub(super) fn of(session: &dyn Session) -> Self {
        let display = session.display();
        let lines: Vec<String> = session.board().lines().map(ToOwned::to_owned).collect();
        let rows = rows(&lines);
        let mut picture = Self { lines, rows, last: Vec::new(), board: display.board };
        if let Some(&(_, mv)) = session.log().last() {
            let name = session.format(mv);
            picture.last = picture.places_of(mv, &name, display.places);
        }
        picture
    }

    /// Columns of a row; 0 beyond the last one.
    pub(super) fn width(&self, row: usize) -> usize {
        self.rows.get(row).map_or(0, |(_, cells)| cells.len())
    }

    /// Line and character of a point.
    pub(super) fn cell(&self, (row, column): Place) -> Option<(usize, usize)> {
        let (line, cells) = self.rows.get(row)?;
        Some((*line, *cells.get(column)?))
    }

    fn sign(&self, place: Place) -> Option<char> {
        let (line, at) = self.cell(place)?;
        self.lines[line].chars().nth(at)
    }

    /// Whose piece a sign is.
    pub(super) fn owner(&self, sign: char) -> Option<Player> {
        match (self.board, sign) {
            (_, EMPTY) => None,
            (BoardKind::Pieces, sign) if sign.is_ascii_uppercase() => Some(Player::First),
            (BoardKind::Pieces, sign) if sign.is_ascii_lowercase() => Some(Player::Second),
            (_, 'X') => Some(Player::First),
            (_, 'O') => Some(Player::Second),
            _ => None,
        }
    }

    /// Where a move that was played went; nothing for moves without a place, such as a pass.
    fn places_of(&self, mv: Move, name: &str, places: MovePlaces) -> Vec<Place> {
        let index = usize::from(mv.0);
        let place = match places {
            MovePlaces::Columns => {
                let is_taken = |row: &usize| self.sign((*row, index)).is_some_and(|s| s != EMPTY);
                (0..self.rows.len()).find(is_taken).map(|row| (row, index))
            }
            MovePlaces::FromTo => {
                let squares = [name.get(..2), name.get(2..4)].into_iter().flatten();
                return squares.filter_map(|square| self.square(square)).collect();
            }
            _ => {
                let place = self.width(0).checked_sub(1).map(|last| {
                    let width = last + 1;
                    (index / width, index % width)
                });
                place.filter(|&place| self.cell(place).is_some())
            }
        };
        place.into_iter().collect()
    }

    /// The place of a square such as e4.
    fn square(&self, name: &str) -> Option<Place> {
        let [file, rank] = *name.as_bytes() else { return None };
        let row = self.rows.len().checked_sub(usize::from(rank.checked_sub(b'0')?))?;
        Some((row, usize::from(file.checked_sub(b'a')?)))
    }

    /// The board as text, the last move in brackets.
    pub(super) fn text(&self, look: Look) -> String {
        let at_edge = self.rows.iter().any(|(_, cells)| cells.first() == Some(&0));
        let indent = if at_edge { " " } else { "" };
        // Colour alone shows where it came from, because brackets of neighbours would overlap.
        let target = self.last.last().and_then(|&place| self.cell(place));
        let mut text = String::new();
        for (line, drawn) in self.lines.iter().enumerate() {
            let cells = self.rows.iter().find(|(row, _)| *row == line).map(|(_, cells)| cells);
            let is_cell = |at: usize| cells.is_some_and(|cells| cells.contains(&at));
            let bracket = target.filter(|&(row, _)| row == line).map(|(_, at)| at);
            let drawn = format!("{indent}{drawn}");
            for (i, sign) in drawn.chars().enumerate() {
                let at = i.wrapping_sub(indent.len());
                let is_next = |offset: usize| bracket.is_some_and(|b| at == b.wrapping_add(offset));
                match sign {
                    _ if is_cell(at) => text.push_str(&self.painted(sign, look)),
                    ' ' if is_next(usize::MAX) => text.push('['),
                    ' ' if is_next(1) => text.push(']'),
                    other => text.push(other),
                }
            }
            if bracket.is_some_and(|b| b + indent.len() + 1 == drawn.chars().count()) {
                text.push(']');
            }
            text.push('\n');
        }
        text
    }

    /// A sign of the board in its owner's colour.
    fn painted(&self, sign: char, look: Look) -> String {
        let shown = self.shown(sign, look).to_string();
        match self.owner(sign) {
            Some(player) => look.paint(colour(player), &shown).into_owned(),
            None => look.paint(Colour::Dim, &shown).into_owned(),
        }
    }

    /// A sign as it is drawn: discs and stones where there is Unicode.
    pub(super) fn shown(&self, sign: char, look: Look) -> char {
        let is_round =
            matches!(self.board, BoardKind::Discs | BoardKind::Stones | BoardKind::Hexagons);
        match sign {
            'X' if look.unicode && is_round => '●',
            'O' if look.unicode && is_round => '○',
            EMPTY if look.unicode => '·',
            other => other,
        }
    }
}

/// The colour of a player's pieces.
pub(super) fn colour(player: Player) -> Colour {
    match player {
        Player::First => Colour::Cyan,
        Player::Second => Colour::Magenta,
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

    fn picture(lines: &[&str], board: BoardKind) -> Picture {
        let lines: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
        let rows = rows(&lines);
        Picture { lines, rows, last: Vec::new(), board }
    }

    #[test]
    fn the_last_move_is_in_brackets_at_every_edge() {
        let mut discs = picture(&["O . .", "X . X", "1 2 3"], BoardKind::Discs);
        let shown = |discs: &Picture| discs.text(Look::default());
        assert_eq!(shown(&discs), " O . .\n X . X\n 1 2 3\n");
        discs.last = discs.places_of(Move(0), "1", MovePlaces::Columns);
        assert_eq!(shown(&discs), "[O]. .\n X . X\n 1 2 3\n");
        discs.last = discs.places_of(Move(2), "3", MovePlaces::Columns);
        assert_eq!(shown(&discs), " O . .\n X .[X]\n 1 2 3\n");
        let mut stones = picture(&[" 2 . X", " 1 O .", "   A B"], BoardKind::Stones);
        stones.last = stones.places_of(Move(1), "B2", MovePlaces::Vertices);
        assert_eq!(shown(&stones), " 2 .[X]\n 1 O .\n   A B\n");
        assert!(stones.places_of(Move(4), "pass", MovePlaces::Vertices).is_empty());
        let mut pieces = picture(&["2 K .", "1 . k", "  a b"], BoardKind::Pieces);
        pieces.last = pieces.places_of(Move(9), "a1a2", MovePlaces::FromTo);
        assert_eq!(pieces.last, [(1, 0), (0, 0)]);
        assert_eq!(shown(&pieces), "2[K].\n1 . k\n  a b\n");
    }

    #[test]
    fn colours_and_discs_are_for_terminals_that_show_them() {
        let discs = picture(&["O . X", "X O X"], BoardKind::Discs);
        let unicode = Look { colours: false, unicode: true };
        assert_eq!(discs.text(unicode), " ○ · ●\n ● ○ ●\n");
        let colours = Look { colours: true, unicode: false };
        let text = discs.text(colours);
        assert_eq!(text.matches("\u{1b}[36mX\u{1b}[0m").count(), 3, "{text:?}");
        assert_eq!(text.matches("\u{1b}[35mO\u{1b}[0m").count(), 2, "{text:?}");
        let pieces = picture(&["k .", ". K"], BoardKind::Pieces);
        let text = pieces.text(colours);
        assert!(text.contains("\u{1b}[36mK") && text.contains("\u{1b}[35mk"), "{text:?}");
    }
}
