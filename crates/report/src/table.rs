//! Tables of the page.

use std::fmt::Write as _;

use crate::html::escape;

/// A table with a header.
pub(crate) struct Table {
    /// Key of its numbers in the report's JSON.
    key: &'static str,
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

/// A column's header.
pub(crate) struct Column {
    name: &'static str,
    /// Unit, below the name; may be empty.
    unit: &'static str,
    /// Numbers stand to the right, words to the left.
    numbers: bool,
}

/// One cell.
pub(crate) struct Cell {
    text: String,
    /// Class of the style sheet; may be empty.
    class: &'static str,
}

/// A column of numbers.
pub(crate) const fn number(name: &'static str, unit: &'static str) -> Column {
    Column { name, unit, numbers: true }
}

/// A column of words.
pub(crate) const fn words(name: &'static str) -> Column {
    Column { name, unit: "", numbers: false }
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
    /// An empty table of numbers that stand under `key` in the report's JSON.
    pub(crate) fn new(key: &'static str, columns: Vec<Column>) -> Self {
        Self { key, columns, rows: Vec::new() }
    }

    /// Whether it has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a row; cells that are missing at its end are left empty.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// The table as HTML, in a box that scrolls sideways where the screen is too narrow; a line
    /// that says so where there are no rows.
    pub(crate) fn html(&self, without_rows: &str) -> String {
        if self.rows.is_empty() {
            return format!("<p class=\"none\">{}</p>\n", escape(without_rows));
        }
        let mut out = format!("<div class=\"scroll\"><table data-key=\"{}\"><thead><tr>", self.key);
        for column in &self.columns {
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
            for (column, cell) in self.columns.iter().zip(row) {
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
