//! Whether a record is of the game that is analysed.

use dz_game::{GameSpec, canonical_spec};

use super::source::Source;
use crate::exit::UsageError;

/// Parameters that make another board: a record of another one is no record of this game.
const BOARD: [&str; 4] = ["size", "width", "height", "connect"];
/// Parameters that change no rule.
const NO_RULE: [&str; 2] = ["repetition_bound", "history_planes"];

/// In what the record's rules differ from those of the analysis, a note each.
///
/// # Errors
/// [`UsageError`] that names both if the record is of another game, or of another board.
pub(super) fn differences(source: &Source, ours: &GameSpec) -> anyhow::Result<Vec<String>> {
    let Some(theirs) = &source.sheet.game else { return Ok(Vec::new()) };
    let name = source.name();
    let other = |theirs: &GameSpec| {
        let theirs = dz_text::line(&theirs.to_string()).into_owned();
        UsageError(format!("{name}: the record is of {theirs}, and what is analysed is {ours}"))
    };
    if theirs.name() != ours.name() {
        return Err(other(theirs).into());
    }
    let whole = canonical_spec(theirs).map_err(|error| UsageError(format!("{name}: {error}")))?;
    // SGF of others states some parameters; our own formats state the whole game.
    let stated = |key: &str| source.sheet.format.is_own() || theirs.parameter(key).is_some();
    let mut notes = Vec::new();
    for (key, value) in whole.parameters() {
        let own = ours.parameter(key);
        if own == Some(value.as_str()) || NO_RULE.contains(&key.as_str()) || !stated(key) {
            continue;
        }
        if BOARD.contains(&key.as_str()) {
            return Err(other(if source.sheet.format.is_own() { &whole } else { theirs }).into());
        }
        let own = own.unwrap_or("another");
        notes.push(format!("the record has {key}={value}, the analysis is with {key}={own}"));
    }
    Ok(notes)
}
