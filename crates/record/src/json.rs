//! JSON: an object a line.

use std::{
    collections::BTreeMap,
    fmt::{self, Write},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Format, Header, RecordError, Score, Sheet, error::check_count};

/// A game. What is not known is left out.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    game: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    round: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    moves: Vec<String>,
    /// By the number of the move, from 1.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    comments: BTreeMap<usize, String>,
    /// As plain text has it: `first wins by 3.5`.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
}

/// The fields of [`Line`].
const FIELDS: [&str; 11] = [
    "game", "first", "second", "event", "round", "date", "note", "start", "moves", "comments",
    "result",
];

/// Reads every line that is not blank. Unknown fields are kept unchanged.
pub(crate) fn read(text: &str) -> Result<Vec<Sheet>, RecordError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let mut sheets = Vec::new();
    for (index, line) in lines {
        sheets.push(read_line(line, index + 1)?);
        check_count(sheets.len(), text.len())?;
    }
    Ok(sheets)
}

fn read_line(text: &str, number: usize) -> Result<Sheet, RecordError> {
    let bad = |what: String| RecordError::syntax(Format::Json, number, what);
    let line: Line = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    let mut sheet = Sheet::new(Format::Json, number);
    let fields: Map<String, Value> =
        serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    if !FIELDS.iter().any(|field| fields.contains_key(*field)) {
        return Err(bad(format!("none of the fields is that of a game: {}", FIELDS.join(", "))));
    }
    let others = fields.into_iter().filter(|(name, _)| !FIELDS.contains(&name.as_str()));
    sheet.tags = others.map(|(name, value)| (name, vec![value.to_string()])).collect();
    let Line { game, first, second, event, round, date, note, start, moves, comments, result } =
        line;
    let game = game.map(|game| game.parse().map_err(|e| bad(format!("{e}"))));
    sheet.game = game.transpose()?;
    sheet.header = Header { players: [first, second], event, round, date, note };
    sheet.start = start;
    for text in moves {
        sheet.push(None, &text, number);
    }
    for (at, comment) in comments {
        let mv = at.checked_sub(1).and_then(|index| sheet.moves.get_mut(index));
        let what = || bad(format!("a comment on move {at}, which is not there"));
        mv.ok_or_else(what)?.comment = Some(comment);
    }
    if let Some(result) = result {
        let what = || bad("result: write for example \"first wins\" or \"draw\"".to_owned());
        sheet.score = Score::of_plain(&result).ok_or_else(what)?;
    }
    Ok(sheet)
}

/// Writes a game.
pub(crate) fn write(sheet: &Sheet, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Header { players: [first, second], event, round, date, note } = sheet.header.clone();
    let comment = |(number, comment): (usize, &Option<String>)| Some((number, comment.clone()?));
    let line = Line {
        game: sheet.game.as_ref().map(ToString::to_string),
        first,
        second,
        event,
        round,
        date,
        note,
        start: sheet.start.clone(),
        moves: sheet.moves.iter().map(|mv| mv.text.clone()).collect(),
        comments: (1..).zip(sheet.moves.iter().map(|mv| &mv.comment)).filter_map(comment).collect(),
        result: Some(sheet.score.to_string()),
    };
    let mut text = dz_text::to_json(&line).map_err(|_| fmt::Error)?;
    if sheet.format == Format::Json && !sheet.tags.is_empty() {
        // Every object has fields: those of a game come first, then what else was read.
        text.pop();
        for (name, value) in &sheet.tags {
            let name = dz_text::to_json(name).map_err(|_| fmt::Error)?;
            let value: Value = serde_json::from_str(&value.concat()).map_err(|_| fmt::Error)?;
            let value = dz_text::to_json(&value).map_err(|_| fmt::Error)?;
            write!(text, ",{name}:{value}")?;
        }
        text.push('}');
    }
    writeln!(f, "{text}")
}
