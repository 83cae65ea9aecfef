//! Names of points in the Go Text Protocol (version 2, draft 2, section 2.11): A1 bottom left,
//! columns without I, which looks like a J.

use crate::games::parse_number;

const COLUMNS: &str = "ABCDEFGHJKLMNOPQRST";

/// The columns of a board of `size` rows, at most 19, left to right.
pub(super) fn columns(size: u16) -> &'static str {
    &COLUMNS[..usize::from(size)]
}

/// The vertex of point `row * size + column`, row 0 at the top, on a board of `size` rows, at most
/// 19.
pub fn vertex_name(size: u16, point: u16) -> String {
    let row = point / size;
    let column = usize::from(point % size);
    format!("{}{}", &COLUMNS[column..=column], size - row)
}

/// The point that [`vertex_name`] calls so, without regard to case.
pub fn parse_vertex(size: u16, text: &str) -> Option<u16> {
    let (column, row) = text.split_at_checked(1)?;
    let column = columns(size).find(&column.to_ascii_uppercase())? as u16;
    let row = parse_number(row).filter(|row| (1..=size).contains(row))?;
    Some((size - row) * size + column)
}
