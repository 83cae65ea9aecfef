//! Tables that commands print for people.

use std::io::{self, IsTerminal, Write};

use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, Table, Width,
    presets,
};
use dz_text::{Colour, Look};

use crate::screen::stdout_columns;

/// Between two columns.
const GAP: u16 = 2;
/// Columns of words that are no wider than this are not broken.
const WORDS_MIN: usize = 16;
/// Keeps a number and its percent sign together, as [`dz_text::wrapped`] does.
const FIXED_SPACE: &str = "\u{a0}";

/// A column of a [`TextTable`], with its name. Without any name the table has no header.
#[derive(Clone, Copy, Debug)]
pub enum Column {
    /// Aligned left, and broken between words where the terminal is narrow.
    Words(&'static str),
    /// Aligned right, and never broken.
    Numbers(&'static str),
}

/// A table without borders. Control characters in its cells are shown as escapes.
///
/// ```
/// use dz_stage::{Column, TextTable};
///
/// let mut table = TextTable::new(&[Column::Words("player"), Column::Numbers("Elo")]);
/// table.row(["rollout-1000", "0"]);
/// table.row(["network-0009", "+271"]);
/// assert_eq!(
///     table.lines(None, dz_text::Look::default()),
///     ["player         Elo", "rollout-1000     0", "network-0009  +271"]
/// );
/// ```
#[derive(Debug)]
pub struct TextTable {
    columns: Vec<Column>,
    rows: Vec<Vec<TextCell>>,
}

/// Text of a cell, and its colour where the terminal shows colours.
#[derive(Clone, Debug)]
pub struct TextCell {
    text: String,
    colour: Option<Colour>,
}

impl TextTable {
    /// Returns an empty table of these columns.
    pub fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row, a cell for each column.
    pub fn row<C: Into<TextCell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(C::into).collect());
    }

    /// Writes the table to `out`, which is standard output or stands for it: with its colours, and
    /// within its width if it is a terminal.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = io::stdout().is_terminal().then(stdout_columns);
        self.lines(width, Look::stdout()).iter().try_for_each(|line| writeln!(out, "{line}"))
    }

    /// Returns the lines of the table. They fit into `width` characters unless its numbers or words
    /// are wider. Without `width`, a row is a line.
    pub fn lines(&self, width: Option<usize>, look: Look) -> Vec<String> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).force_no_tty().style_text_only();
        if look.colours {
            table.enforce_styling();
        }
        if let Some(width) = width {
            // The gap behind the last column is cut off below.
            table.set_width(u16::try_from(width).unwrap_or(u16::MAX).saturating_add(GAP));
            table.set_content_arrangement(ContentArrangement::Dynamic);
        } else {
            table.set_content_arrangement(ContentArrangement::Disabled);
        }
        if self.columns.iter().any(|column| !column.name().is_empty()) {
            table.set_header(self.columns.iter().map(|c| Cell::new(c.name())));
        }
        for row in &self.rows {
            table.add_row(row.iter().map(TextCell::cell));
        }
        for (column, shape) in self.columns.iter().zip(table.column_iter_mut()) {
            shape.set_padding((0, GAP));
            shape.set_cell_alignment(column.alignment());
            shape.set_constraint(ColumnConstraint::ContentWidth);
        }
        self.let_words_break(&mut table);
        let shown = |line: String| line.trim_end().replace(FIXED_SPACE, " ");
        table.lines().map(shown).collect()
    }

    /// Lets columns of words be as narrow as their longest word and [`WORDS_MIN`].
    fn let_words_break(&self, table: &mut Table) {
        let widths = table.column_max_content_widths();
        for (place, column) in self.columns.iter().enumerate() {
            let cells = self.rows.iter().filter_map(|row| row.get(place));
            let words = cells.flat_map(|cell| cell.text.split(' '));
            let longest = words.map(|word| word.chars().count()).max().unwrap_or(0);
            let least = longest.max(WORDS_MIN);
            if matches!(column, Column::Words(_))
                && usize::from(widths[place]) > least
                && let Some(shape) = table.column_mut(place)
            {
                let least = Width::Fixed(least as u16 + GAP);
                shape.set_constraint(ColumnConstraint::LowerBoundary(least));
            }
        }
    }
}

impl Column {
    fn name(self) -> &'static str {
        match self {
            Self::Words(name) | Self::Numbers(name) => name,
        }
    }

    fn alignment(self) -> CellAlignment {
        match self {
            Self::Words(_) => CellAlignment::Left,
            Self::Numbers(_) => CellAlignment::Right,
        }
    }
}

impl TextCell {
    /// Returns a cell in a colour.
    pub fn painted(text: impl Into<String>, colour: Colour) -> Self {
        Self { text: text.into(), colour: Some(colour) }
    }

    fn cell(&self) -> Cell {
        let text = dz_text::line(&self.text).replace(" %", &format!("{FIXED_SPACE}%"));
        let cell = Cell::new_owned(text);
        match self.colour {
            None => cell,
            Some(Colour::Dim) => cell.add_attribute(Attribute::Dim),
            Some(Colour::Red) => cell.fg(Color::DarkRed),
            Some(Colour::Green) => cell.fg(Color::DarkGreen),
            Some(Colour::Yellow) => cell.fg(Color::DarkYellow),
            Some(Colour::Cyan) => cell.fg(Color::DarkCyan),
            Some(Colour::Magenta) => cell.fg(Color::DarkMagenta),
        }
    }
}

impl<T: Into<String>> From<T> for TextCell {
    fn from(text: T) -> Self {
        Self { text: text.into(), colour: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 3] =
        [Column::Words("run"), Column::Numbers("cycles"), Column::Words("state")];

    fn table() -> TextTable {
        let mut table = TextTable::new(&COLUMNS);
        table.row([
            "data/a".into(),
            "12/1,200".into(),
            TextCell::painted("running", Colour::Green),
        ]);
        table.row(["data/of a long name, so long", "3/9", "stopped"]);
        table
    }

    #[test]
    fn numbers_stand_right_and_nothing_is_behind_a_line() {
        let lines = [
            "run                             cycles  state",
            "data/a                        12/1,200  running",
            "data/of a long name, so long       3/9  stopped",
        ];
        assert_eq!(table().lines(None, Look::default()), lines);
        for width in [47, 48, 200] {
            assert_eq!(table().lines(Some(width), Look::default()), lines, "{width}");
        }
    }

    #[test]
    fn words_are_broken_where_the_terminal_is_narrow() {
        for width in 35..47 {
            let lines = table().lines(Some(width), Look::default());
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}: {lines:#?}");
            assert_eq!(lines.len(), 4, "{width}: {lines:#?}");
            let words: Vec<&str> = lines[2..].iter().flat_map(|l| l.split_whitespace()).collect();
            for word in ["data/of", "name,", "3/9", "stopped"] {
                assert!(words.contains(&word), "{width}: {lines:#?}");
            }
        }
        // A narrower terminal breaks lines itself.
        let least = table().lines(Some(35), Look::default());
        assert_eq!(table().lines(Some(20), Look::default()), least);
    }

    #[test]
    fn a_percent_sign_stays_with_its_number() {
        let mut table = TextTable::new(&[Column::Words(""), Column::Words("")]);
        table.row(["name", "scores about 95 % of all games"]);
        assert_eq!(table.lines(None, Look::default()), ["name  scores about 95 % of all games"]);
        let lines = table.lines(Some(23), Look::default());
        assert_eq!(lines, ["name  scores about", "      95 % of all", "      games"]);
    }

    #[test]
    fn colours_change_nothing_but_colours_and_text_of_others_cannot_steer() {
        let look = Look { colours: true, unicode: true };
        let lines = table().lines(None, look);
        assert!(lines[1].contains("\u{1b}[38;5;2mrunning\u{1b}["), "{lines:?}");
        assert_eq!([0, 2].map(|at: usize| lines[at].contains('\u{1b}')), [false; 2]);
        let mut table = TextTable::new(&[Column::Words(""), Column::Numbers("")]);
        table.row(["a\u{1b}[2J\nb", "1"]);
        table.row(["日本", "22"]);
        assert_eq!(table.lines(None, look), ["a\\u{1b}[2J\\nb   1", "日本           22"]);
    }
}
