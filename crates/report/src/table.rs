//! Tables of the page.

use std::borrow::Cow;
use std::fmt::Write as _;

use maud::{Markup, html};

use crate::count;

/// Most rows that are all shown at once.
const ROWS_MAX: usize = 40;
/// Rows of a longer table that are shown; the others are folded.
const ROWS_SHOWN: usize = 20;
/// Most columns that fit on a phone.
const COLUMNS_NARROW: usize = 4;
/// Columns from which on letters are smaller.
const COLUMNS_DENSE: usize = 12;

/// A table with a header.
pub(crate) struct Table {
    /// Key of its numbers in the report's JSON.
    key: &'static str,
    header: Vec<Header>,
    rows: Vec<Vec<Cell>>,
    /// Whether rows are cycles, the newest last.
    by_cycle: bool,
}

/// What stands above a column.
struct Header {
    name: &'static str,
    /// Unit, below the name; may be empty.
    unit: &'static str,
    /// Numbers stand to the right, words to the left.
    numbers: bool,
}

/// A table that gets its columns one by one. Each row is about one of `subjects`.
pub(crate) struct Columns<T> {
    subjects: Vec<T>,
    table: Table,
}

/// One cell.
pub(crate) struct Cell {
    text: String,
    /// Class of the style sheet; may be empty.
    class: &'static str,
}

impl<T> Columns<T> {
    /// Adds a column of numbers.
    pub(crate) fn number<C: Into<Cell>>(
        self,
        name: &'static str,
        unit: &'static str,
        cell: impl Fn(&T) -> C,
    ) -> Self {
        self.column(Header { name, unit, numbers: true }, cell)
    }

    /// Adds a column of words.
    pub(crate) fn words<C: Into<Cell>>(self, name: &'static str, cell: impl Fn(&T) -> C) -> Self {
        self.column(Header { name, unit: "", numbers: false }, cell)
    }

    fn column<C: Into<Cell>>(mut self, header: Header, cell: impl Fn(&T) -> C) -> Self {
        self.table.header.push(header);
        for (row, subject) in self.table.rows.iter_mut().zip(&self.subjects) {
            row.push(cell(subject).into());
        }
        self
    }

    /// The table with these columns.
    pub(crate) fn done(self) -> Table {
        self.table
    }
}

impl Header {
    /// Classes of a cell below it.
    fn class(&self, cell: &Cell) -> Option<Cow<'static, str>> {
        match (self.numbers, cell.class) {
            (true, "") => Some("n".into()),
            (false, "") => None,
            (true, class) => Some(format!("n {class}").into()),
            (false, class) => Some(class.into()),
        }
    }
}

impl Cell {
    /// A cell with a class of the style sheet.
    pub(crate) fn classed(text: impl Into<String>, class: &'static str) -> Self {
        Self { text: text.into(), class }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::classed(text, "")
    }
}

impl Table {
    /// A table of numbers that stand under `key` in the report's JSON, a row for each subject.
    pub(crate) fn of<T>(key: &'static str, subjects: Vec<T>) -> Columns<T> {
        let rows = subjects.iter().map(|_| Vec::new()).collect();
        Columns { subjects, table: Self { key, header: Vec::new(), rows, by_cycle: false } }
    }

    /// A table with a row for each cycle, whose number is the first column.
    pub(crate) fn by_cycle<T>(key: &'static str, cycles: Vec<(u32, T)>) -> Columns<T> {
        let numbered = Self::of(key, cycles).number("cycle", "", |(cycle, _)| cycle.to_string());
        let subjects = numbered.subjects.into_iter().map(|(_, part)| part).collect();
        Columns { subjects, table: Self { by_cycle: true, ..numbered.table } }
    }

    /// Whether it has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as HTML, or a line that there are no rows. Of a long table some rows
    /// are shown and all others folded: of cycles the newest are shown, otherwise the first.
    pub(crate) fn html(&self, without_rows: &str) -> Markup {
        let rows = &self.rows;
        if rows.is_empty() {
            return html! { p.none { (without_rows) } };
        }
        if rows.len() <= ROWS_MAX {
            return self.part(rows);
        }
        let count = |rows: &[Vec<Cell>]| count::whole(rows.len() as u64);
        let folded = |which: &str, part: &[Vec<Cell>]| {
            html! {
                details {
                    summary { (count(part)) " " (which) " rows of " (count(rows)) }
                    (self.part(part))
                }
            }
        };
        if self.by_cycle {
            let (earlier, newest) = rows.split_at(rows.len() - ROWS_SHOWN);
            html! { (folded("earlier", earlier)) (self.part(newest)) }
        } else {
            let (first, others) = rows.split_at(ROWS_SHOWN);
            html! { (self.part(first)) (folded("more", others)) }
        }
    }

    /// Some of the rows under the header.
    fn part(&self, rows: &[Vec<Cell>]) -> Markup {
        let labels = self.header.iter().map(|column| match column.unit {
            "" => column.name.to_owned(),
            unit => format!("{}, {unit}", column.name),
        });
        let header = html! {
            @for Header { name, unit, numbers } in &self.header {
                th class=[numbers.then_some("n")] {
                    (name)
                    @if !unit.is_empty() { small { (unit) } }
                }
            }
        };
        let body = html! {
            @for row in rows {
                tr {
                    @for (column, cell) in self.header.iter().zip(row) {
                        td class=[column.class(cell)] { (cell.text) }
                    }
                }
            }
        };
        framed(self.key, self.class(), labels, &header, &body)
    }

    /// Narrow tables stay tables on a phone. Of wide ones each row becomes a list. The widest have
    /// smaller letters.
    fn class(&self) -> &'static str {
        let has_sentences = self.rows.iter().flatten().any(|cell| cell.class == "long");
        match self.header.len() {
            ..=COLUMNS_NARROW if !has_sentences => "few",
            COLUMNS_DENSE.. => "many dense",
            _ => "many",
        }
    }
}

/// A table of the cells of its header and of its rows. On a phone the style sheet writes `labels`
/// before the cells of a row; a variable for each column carries them, so that no cell has to.
pub(crate) fn framed(
    key: &str,
    class: &str,
    labels: impl Iterator<Item = String>,
    header: &Markup,
    rows: &Markup,
) -> Markup {
    let labels = labels.zip(1..).map(|(label, place)| format!("--c{place}:{};", quoted(&label)));
    html! {
        div.scroll {
            table class=(class) data-key=(key) style=(labels.collect::<String>()) {
                thead { tr { (header) } }
                tbody { (rows) }
            }
        }
    }
}

/// Text as a string of CSS: what is neither a letter nor a digit is escaped by its number.
fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        if c.is_alphanumeric() || c == ' ' || c == '-' || c == ',' {
            out.push(c);
        } else {
            // Six digits end the escape by themselves.
            let _ = write!(out, "\\{:06x}", u32::from(c));
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: u32, by_cycle: bool) -> String {
        let numbers = || (1..=rows).map(|number| (number, number)).collect::<Vec<_>>();
        let columns = if by_cycle {
            Table::by_cycle("k", numbers())
        } else {
            Table::of("k", (1..=rows).collect()).number("row", "", u32::to_string)
        };
        columns.number("twice", "as much", |number| (2 * number).to_string()).done().html("none").0
    }

    /// Every row stands there once, whether it is folded or not.
    #[test]
    fn long_tables_are_folded_and_lose_nothing() {
        for (rows, by_cycle) in [(1, true), (40, true), (41, true), (41, false), (1_234, false)] {
            let html = table(rows, by_cycle);
            assert_eq!(html.matches("<tr><td").count(), rows as usize);
            for number in 1..=rows {
                assert_eq!(html.matches(&format!("<tr><td class=\"n\">{number}</td>")).count(), 1);
            }
            assert_eq!(html.contains("<details>"), rows > 40, "{rows}");
        }
        let cycles = table(41, true);
        assert!(
            cycles.starts_with("<details><summary>21 earlier rows of 41</summary>"),
            "{cycles}"
        );
        assert!(table(1_234, false).contains("<summary>1,214 more rows of 1,234</summary>"));
        assert_eq!(table(0, true), "<p class=\"none\">none</p>");
    }

    #[test]
    fn labels_are_strings_of_the_style_sheet() {
        assert!(table(1, true).contains("style=\"--c1:'cycle';--c2:'twice, as much';\""));
        assert_eq!(quoted("a'}<\\5"), "'a\\000027\\00007d\\00003c\\00005c5'");
    }
}
