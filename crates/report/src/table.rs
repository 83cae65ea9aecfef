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
#[derive(Clone, Copy)]
struct Header {
    name: &'static str,
    /// Unit, below the name; may be empty.
    unit: &'static str,
    /// Numbers stand to the right, words to the left.
    numbers: bool,
}

/// A column: its header, and its cell in a row about a `T`.
pub(crate) struct Column<'a, T> {
    header: Header,
    cell: Box<dyn Fn(&T) -> Cell + 'a>,
}

/// One cell.
pub(crate) struct Cell {
    text: String,
    /// Class of the style sheet; may be empty.
    class: &'static str,
}

/// A column of numbers.
pub(crate) fn number<'a, T, C: Into<Cell>>(
    name: &'static str,
    unit: &'static str,
    cell: impl Fn(&T) -> C + 'a,
) -> Column<'a, T> {
    let header = Header { name, unit, numbers: true };
    Column { header, cell: Box::new(move |row| cell(row).into()) }
}

/// A column of words.
pub(crate) fn words<'a, T, C: Into<Cell>>(
    name: &'static str,
    cell: impl Fn(&T) -> C + 'a,
) -> Column<'a, T> {
    let header = Header { name, unit: "", numbers: false };
    Column { header, cell: Box::new(move |row| cell(row).into()) }
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
    /// A table of numbers that stand under `key` in the report's JSON, with a row for each of `rows`.
    pub(crate) fn new<T>(key: &'static str, rows: Vec<T>, columns: &[Column<'_, T>]) -> Self {
        let cells = |row: &T| columns.iter().map(|column| (column.cell)(row)).collect();
        let header = columns.iter().map(|column| column.header).collect();
        Self { key, header, rows: rows.iter().map(cells).collect() }
    }

    /// A table with a row for each cycle, whose number comes first.
    pub(crate) fn by_cycle<T>(
        key: &'static str,
        cycles: Vec<(u32, T)>,
        columns: &[Column<'_, T>],
    ) -> Self {
        let (numbers, parts): (Vec<u32>, Vec<T>) = cycles.into_iter().unzip();
        let mut table = Self::new(key, parts, columns);
        table.header.insert(0, Header { name: "cycle", unit: "", numbers: true });
        for (row, cycle) in table.rows.iter_mut().zip(numbers) {
            row.insert(0, cycle.to_string().into());
        }
        table
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
