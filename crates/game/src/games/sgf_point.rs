//! Points as SGF writes them for Go: a letter for the column, then one for the row, from the top
//! left (<https://www.red-bean.com/sgf/go.html>). Gomoku's records use the same letters.

/// The name of point `row * size + column`.
pub(super) fn name(size: u16, point: u16) -> String {
    [point % size, point / size].map(|at| char::from(b'a' + at as u8)).iter().collect()
}

/// The point that `text` names, without regard to case: boards here have no more than 26 rows.
pub(super) fn parse(size: u16, text: &str) -> Option<u16> {
    let &[column, row] = text.as_bytes() else { return None };
    let at = |letter: u8| {
        let at = u16::from(letter.to_ascii_lowercase().checked_sub(b'a')?);
        (at < size).then_some(at)
    };
    Some(at(row)? * size + at(column)?)
}
