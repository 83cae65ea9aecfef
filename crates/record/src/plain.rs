//! Plain text: a line a fact, a blank line between games.
//!
//! ```text
//! game: connect4:width=7,height=6,connect=4
//! first: a
//! second: b
//! event: a match
//! round: 1
//! date: 2026-01-31
//! note: any number of lines
//! start: a position, where the game does not start as usual
//! moves: 4 4 3 5
//!   2
//! comment 5: on the fifth move
//! result: first wins
//! ```
//!
//! `game` or `moves` may begin a record, all else is optional. A line that begins with a blank goes
//! on with the moves of the line before.

use std::fmt;

use crate::{Format, RecordError, Score, Sheet, error::check_count, sheet::one_line};

/// Characters of a line of moves.
const COLUMNS_MAX: usize = 79;

const KEYS: [&str; 10] =
    ["game", "first", "second", "event", "round", "date", "note", "start", "moves", "result"];

/// True if the text begins with one of the keys.
pub(crate) fn looks_like(text: &str) -> bool {
    text.split_once(':').is_some_and(|(key, _)| KEYS.contains(&key.trim()))
}

/// Reads every game.
pub(crate) fn read(text: &str) -> Result<Vec<Sheet>, RecordError> {
    let mut sheets: Vec<Sheet> = Vec::new();
    let mut open = false;
    let mut moves = false;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if line.trim().is_empty() {
            (open, moves) = (false, false);
            continue;
        }
        if !open {
            check_count(sheets.len(), text.len())?;
            sheets.push(Sheet::new(Format::Plain, number));
            open = true;
        }
        let Some(sheet) = sheets.last_mut() else { continue };
        if moves && line.starts_with([' ', '\t']) {
            push_moves(sheet, line, number);
            continue;
        }
        let bad = |what: String| RecordError::syntax(Format::Plain, number, what);
        let Some((key, value)) = line.split_once(':') else {
            return Err(bad(format!("a line is KEY: VALUE, keys are {}", KEYS.join(", "))));
        };
        moves = key.trim() == "moves";
        read_line(sheet, key.trim(), value.trim(), number).map_err(|e| {
            e.unwrap_or_else(|| {
                let key: String = key.escape_debug().take(16).collect();
                bad(format!("there is no key '{key}'; keys are {}", KEYS.join(", ")))
            })
        })?;
    }
    Ok(sheets)
}

/// Reads a line; `Err(None)` for a key that does not exist.
fn read_line(
    sheet: &mut Sheet,
    key: &str,
    value: &str,
    line: usize,
) -> Result<(), Option<RecordError>> {
    let bad = |what: String| Some(RecordError::syntax(Format::Plain, line, what));
    let text = || (!value.is_empty()).then(|| value.to_owned());
    let header = &mut sheet.header;
    match key {
        "game" => sheet.game = Some(value.parse().map_err(|e| bad(format!("{e}")))?),
        "first" => header.players[0] = text(),
        "second" => header.players[1] = text(),
        "event" => header.event = text(),
        "round" => header.round = text(),
        "date" => header.date = text(),
        "note" => match &mut header.note {
            Some(note) => note.extend(["\n", value]),
            none => *none = text(),
        },
        "start" => sheet.start = text(),
        "moves" => push_moves(sheet, value, line),
        "result" => {
            sheet.score = Score::of_plain(value).ok_or_else(|| {
                bad("no such result; write first wins, second wins, draw or unknown, and by what: \
                     first wins by resignation"
                    .to_owned())
            })?;
        }
        _ => {
            let number = key.strip_prefix("comment ").ok_or(None)?;
            let index = number.trim().parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            let mv = index.and_then(|index| sheet.moves.get_mut(index));
            let what = || bad("a comment names one of the moves above it by number".to_owned());
            mv.ok_or_else(what)?.comment = text();
        }
    }
    Ok(())
}

fn push_moves(sheet: &mut Sheet, list: &str, line: usize) {
    for word in list.split_whitespace() {
        sheet.push(None, word, line);
    }
}

/// Writes a game.
pub(crate) fn write(sheet: &Sheet, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let header = &sheet.header;
    let game = sheet.game.as_ref().map(ToString::to_string);
    let [first, second] = &header.players;
    let facts = [
        ("game", &game),
        ("first", first),
        ("second", second),
        ("event", &header.event),
        ("round", &header.round),
        ("date", &header.date),
    ];
    for (key, value) in facts {
        if let Some(value) = value {
            writeln!(f, "{key}: {}", one_line(value))?;
        }
    }
    for line in header.note.iter().flat_map(|note| note.lines()) {
        writeln!(f, "note: {}", one_line(line))?;
    }
    if let Some(start) = &sheet.start {
        writeln!(f, "start: {}", one_line(start))?;
    }
    f.write_str("moves:")?;
    let mut column = "moves:".len();
    for mv in &sheet.moves {
        let length = mv.text.chars().count();
        if column + 1 + length > COLUMNS_MAX {
            f.write_str("\n ")?;
            column = 1;
        }
        write!(f, " {}", mv.text)?;
        column += 1 + length;
    }
    writeln!(f)?;
    for (number, mv) in (1..).zip(&sheet.moves) {
        if let Some(comment) = &mv.comment {
            writeln!(f, "comment {number}: {}", one_line(comment))?;
        }
    }
    writeln!(f, "result: {}", sheet.score)
}
