//! Whether a record is of the game that a command is about.

use dz_game::{GameSpec, canonical_spec};
use dz_record::Sheet;

use crate::exit::UsageError;

/// Parameters that make another board: a record of another one is no record of this game.
const BOARD: [&str; 4] = ["size", "width", "height", "connect"];
/// Parameters that change no rule.
const NO_RULE: [&str; 2] = ["repetition_bound", "history_planes"];

/// The game that a command is about, and what it calls its work in messages.
pub(in crate::commands) struct Ours<'a> {
    pub(in crate::commands) game: &'a GameSpec,
    /// What it does with the game: "analysis" and "analysed", or "import" and "imported".
    pub(in crate::commands) work: [&'a str; 2],
    /// Parameters that the command takes from the record.
    pub(in crate::commands) taken: &'a [&'a str],
}

/// In what the rules of a record, which messages call `name`, differ from ours, a note each.
///
/// # Errors
/// [`UsageError`] that names both if the record is of another game, or of another board.
pub(in crate::commands) fn differences(
    name: &str,
    sheet: &Sheet,
    ours: &Ours<'_>,
) -> Result<Vec<String>, UsageError> {
    let Ours { game, work: [work, done], taken } = *ours;
    let Some(theirs) = &sheet.game else { return Ok(Vec::new()) };
    let other = |theirs: &GameSpec| {
        let theirs = dz_text::line(&theirs.to_string()).into_owned();
        UsageError(format!("{name}: the record is of {theirs}, and what is {done} is {game}"))
    };
    if theirs.name() != game.name() {
        return Err(other(theirs));
    }
    let canonical = |spec: &GameSpec| {
        canonical_spec(spec).map_err(|error| UsageError(format!("{name}: {error}")))
    };
    // A parameter that is not named has its default.
    let whole = canonical(theirs)?;
    let our_whole = canonical(game)?;
    // SGF of others states some parameters; our formats state the whole game.
    let stated = |key: &str| sheet.format.is_own() || theirs.parameter(key).is_some();
    let mut notes = Vec::new();
    for (key, value) in whole.parameters() {
        let own = our_whole.parameter(key);
        let is_taken = NO_RULE.contains(&key.as_str()) || taken.contains(&key.as_str());
        if own == Some(value.as_str()) || is_taken || !stated(key) {
            continue;
        }
        if BOARD.contains(&key.as_str()) {
            return Err(other(if sheet.format.is_own() { &whole } else { theirs }));
        }
        let own = own.unwrap_or("another");
        notes.push(format!("the record has {key}={value}, the {work} is with {key}={own}"));
    }
    Ok(notes)
}
