//! Writing PGN in its export format: seven tags first, lines of less than 80 characters.

use std::fmt;

use crate::{By, Sheet, Winner, sheet::one_line};

/// Characters of a line; the standard wants less than 80 with the line's end.
const COLUMNS_MAX: usize = 79;

/// Writes a game.
pub(crate) fn write(sheet: &Sheet, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let header = &sheet.header;
    let [white, black] = &header.players;
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "?".to_owned());
    let date = header.date.as_ref().map_or("????.??.??".to_owned(), |date| date.replace('-', "."));
    let site = sheet.tag("Site").unwrap_or("?").to_owned();
    for (name, value) in [
        ("Event", text(&header.event)),
        ("Site", site),
        ("Date", date),
        ("Round", text(&header.round)),
        ("White", text(white)),
        ("Black", text(black)),
        ("Result", sheet.score.pgn().to_owned()),
    ] {
        write_tag(f, name, &value)?;
    }
    if let Some(fen) = &sheet.start {
        write_tag(f, "SetUp", "1")?;
        write_tag(f, "FEN", fen)?;
    }
    if let Some(termination) = termination(sheet) {
        write_tag(f, "Termination", termination)?;
    }
    if let Some(game) = sheet.game.as_ref().map(ToString::to_string).filter(|game| game != "chess")
    {
        write_tag(f, "Game", &game)?;
    }
    for (name, values) in sheet.tags.iter().filter(|(name, _)| name != "Site") {
        write_tag(f, name, &values.concat())?;
    }
    writeln!(f)?;
    let mut column = 0;
    for word in words(sheet) {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > COLUMNS_MAX {
            writeln!(f)?;
            column = 0;
        }
        if column > 0 {
            f.write_str(" ")?;
            column += 1;
        }
        f.write_str(&word)?;
        column += length;
    }
    writeln!(f)
}

fn write_tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    let value = one_line(value).replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(f, "[{name} \"{value}\"]")
}

/// The standard's word for how the game ended, where it was not as usual.
fn termination(sheet: &Sheet) -> Option<&'static str> {
    if sheet.score.winner == Winner::Unknown {
        return Some("unterminated");
    }
    match sheet.score.by {
        By::Rules | By::Points { .. } | By::Resignation => None,
        By::Time => Some("time forfeit"),
        By::Forfeit => Some("rules infraction"),
        By::Adjudication => Some("adjudication"),
    }
}

/// Move numbers, moves, words of comments, and the result.
fn words(sheet: &Sheet) -> Vec<String> {
    let fields: Vec<&str> = sheet.start.iter().flat_map(|fen| fen.split_whitespace()).collect();
    let number = fields.get(5).and_then(|field| field.parse::<u32>().ok()).unwrap_or(1).max(1);
    let black_begins = fields.get(1) == Some(&"b");
    let mut words = Vec::new();
    comment(sheet.header.note.as_deref(), &mut words);
    // Plies from White's move that has the first number.
    let first = usize::from(black_begins);
    let mut interrupted = true;
    for (ply, mv) in (first..).zip(&sheet.moves) {
        let number = number as usize + ply / 2;
        if ply % 2 == 0 {
            words.push(format!("{number}."));
        } else if interrupted {
            words.push(format!("{number}..."));
        }
        words.push(mv.text.clone());
        interrupted = mv.comment.is_some();
        comment(mv.comment.as_deref(), &mut words);
    }
    words.push(sheet.score.pgn().to_owned());
    words
}

/// The words of a comment in braces, of which it can have none.
fn comment(text: Option<&str>, words: &mut Vec<String>) {
    let text =
        one_line(&text.unwrap_or_default().replace('\n', "; ")).replace('{', "(").replace('}', ")");
    if !text.is_empty() {
        words.extend(format!("{{{text}}}").split(' ').map(ToOwned::to_owned));
    }
}
