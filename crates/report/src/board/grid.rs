//! A board's points, read from the text that games draw for people.

use dz_game::MovePlaces;

/// Points row by row, the top row first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    pub(super) width: usize,
    pub(super) height: usize,
    cells: Vec<char>,
    places: MovePlaces,
}

impl Grid {
    /// Reads the lines that consist of single signs, but for a row's number before them; others are
    /// labels. `None` where there are none or their lengths differ.
    pub(super) fn parse(text: &str, signs: &str, places: MovePlaces) -> Option<Self> {
        let is_sign = |word: &str| {
            let mut letters = word.chars();
            letters.next().is_some_and(|c| signs.contains(c)) && letters.next().is_none()
        };
        let mut rows: Vec<Vec<char>> = Vec::new();
        for line in text.lines() {
            let mut words: Vec<&str> = line.split_whitespace().collect();
            if let [only] = words.as_slice()
                && only.len() > 1
                && only.chars().all(|c| signs.contains(c))
            {
                rows.push(only.chars().collect());
                continue;
            }
            if words.first().is_some_and(|word| word.parse::<u32>().is_ok()) {
                words.remove(0);
            }
            if !words.is_empty() && words.iter().all(|word| is_sign(word)) {
                rows.push(words.iter().flat_map(|word| word.chars()).collect());
            }
        }
        let width = rows.first()?.len();
        if rows.iter().any(|row| row.len() != width) {
            return None;
        }
        let height = rows.len();
        Some(Self { width, height, cells: rows.concat(), places })
    }

    /// The sign at column and row.
    pub(super) fn at(&self, (x, y): (usize, usize)) -> char {
        self.cells[y * self.width + x]
    }

    /// Column and row that a move ends on; `None` where it has no point, such as a pass.
    pub(super) fn target(&self, name: &str) -> Option<(usize, usize)> {
        let (x, y) = match self.places {
            MovePlaces::Columns => {
                let x = name.parse::<usize>().ok()?.checked_sub(1)?;
                let y =
                    (0..self.height).rev().find(|&y| x < self.width && self.at((x, y)) == '.')?;
                (x, y)
            }
            MovePlaces::NumberedPoints => {
                let point = name.parse::<usize>().ok()?.checked_sub(1)?;
                (point % self.width, point / self.width)
            }
            MovePlaces::TopLeft => {
                let (x, number) = lettered(name, false)?;
                (x, number.checked_sub(1)?)
            }
            MovePlaces::Vertices => {
                let (x, number) = lettered(name, true)?;
                (x, self.height.checked_sub(number)?)
            }
            MovePlaces::FromTo => {
                let (x, number) = lettered(name.get(2..4)?, false)?;
                (x, self.height.checked_sub(number)?)
            }
        };
        (x < self.width && y < self.height).then_some((x, y))
    }

    /// Column and row of the move that led to this board; `None` where it has no point.
    pub(super) fn landed(&self, name: &str) -> Option<(usize, usize)> {
        if self.places != MovePlaces::Columns {
            return self.target(name);
        }
        // The highest disc of the column.
        let x = name.parse::<usize>().ok()?.checked_sub(1).filter(|&x| x < self.width)?;
        (0..self.height).find(|&y| self.at((x, y)) != '.').map(|y| (x, y))
    }

    /// The name of a column in moves; none where only points have names.
    pub(super) fn column_name(&self, x: usize) -> Option<String> {
        let letter = |without_i: bool| {
            let skipped = if without_i && x >= 8 { x + 1 } else { x };
            u8::try_from(skipped).ok().filter(|&x| x < 26).map(|x| char::from(b'a' + x))
        };
        match self.places {
            MovePlaces::Columns => Some((x + 1).to_string()),
            MovePlaces::NumberedPoints => None,
            MovePlaces::TopLeft | MovePlaces::FromTo => letter(false).map(String::from),
            MovePlaces::Vertices => letter(true).map(|c| c.to_ascii_uppercase().to_string()),
        }
    }

    /// The name of a row in moves; none where moves name no rows.
    pub(super) fn row_name(&self, y: usize) -> Option<String> {
        match self.places {
            MovePlaces::Columns | MovePlaces::NumberedPoints => None,
            MovePlaces::TopLeft => Some((y + 1).to_string()),
            MovePlaces::Vertices | MovePlaces::FromTo => Some((self.height - y).to_string()),
        }
    }

    /// The name of a point where points are numbered.
    pub(super) fn point_name(&self, (x, y): (usize, usize)) -> Option<String> {
        let is_numbered = self.places == MovePlaces::NumberedPoints;
        is_numbered.then(|| (y * self.width + x + 1).to_string())
    }

    /// Whether the first row is row 1, so that the names of columns stand above it.
    pub(super) fn begins_above(&self) -> bool {
        self.places == MovePlaces::TopLeft
    }

    /// Column and row that a move starts from, where it has such a point.
    pub(super) fn origin(&self, name: &str) -> Option<(usize, usize)> {
        if self.places != MovePlaces::FromTo {
            return None;
        }
        let (x, number) = lettered(name.get(..2)?, false)?;
        Some((x, self.height.checked_sub(number)?))
            .filter(|&(x, y)| x < self.width && y < self.height)
    }
}

/// Column from 0 and number of `b12`; with `without_i` the letter after H is J.
fn lettered(name: &str, without_i: bool) -> Option<(usize, usize)> {
    let letter = name.chars().next()?.to_ascii_lowercase();
    if !letter.is_ascii_lowercase() {
        return None;
    }
    let column = letter as usize - 'a' as usize;
    let column = if without_i && letter > 'i' { column - 1 } else { column };
    Some((column, name[1..].parse().ok()?))
}
