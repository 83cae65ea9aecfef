//! Tables of the page.

use std::fmt::Write as _;

use crate::html::escape;

/// A table with a header.
pub(crate) struct Table {
    /// Key of its numbers in the report's JSON.
    key: &'static str,
    header: Vec<Header>,
    rows: Vec<Vec<Cell>>,
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
        Columns { subjects, table: Self { key, header: Vec::new(), rows } }
    }

    /// A table with a row for each cycle, whose number is the first column.
    pub(crate) fn by_cycle<T>(key: &'static str, cycles: Vec<(u32, T)>) -> Columns<T> {
        let numbered = Self::of(key, cycles).number("cycle", "", |(cycle, _)| cycle.to_string());
        let subjects = numbered.subjects.into_iter().map(|(_, part)| part).collect();
        Columns { subjects, table: numbered.table }
    }

    /// Whether it has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table as HTML, in a box that scrolls sideways where the screen is too narrow; a line
    /// that says so where there are no rows.
    pub(crate) fn html(&self, without_rows: &str) -> String {
        if self.rows.is_empty() {
            return format!("<p class=\"none\">{}</p>\n", escape(without_rows));
        }
        let mut out = format!("<div class=\"scroll\"><table data-key=\"{}\"><thead><tr>", self.key);
        for column in &self.header {
            let class = if column.numbers { " class=\"n\"" } else { "" };
            let _ = write!(out, "<th{class}>{}", escape(column.name));
            if !column.unit.is_empty() {
                let _ = write!(out, "<small>{}</small>", escape(column.unit));
            }
            out.push_str("</th>");
        }
        out.push_str("</tr></thead><tbody>\n");
        for row in &self.rows {
            out.push_str("<tr>");
            for (column, cell) in self.header.iter().zip(row) {
                let class = match (column.numbers, cell.class) {
                    (true, "") => " class=\"n\"".to_owned(),
                    (false, "") => String::new(),
                    (true, class) => format!(" class=\"n {class}\""),
                    (false, class) => format!(" class=\"{class}\""),
                };
                let _ = write!(out, "<td{class}>{}</td>", escape(&cell.text));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
        out
    }
}
