//! `loadsgf`: a game from a file.

use std::io::{Write, stderr};

use dz_game::GameSpec;
use dz_record::{Break, BreakCause, Played, Sheet, decode, read};

use super::job::{CommandResult, text};
use super::{Gtp, path, syntax::color_name};

/// `loadsgf FILE [MOVE]`: the position before move `MOVE` of the file's first game, or its end;
/// answers who moves next. Another size or komi makes another game, as `boardsize` and `komi` do.
/// Where anything is wrong, nothing changes.
pub(super) fn loadsgf(gtp: &mut Gtp, _: &[String]) -> CommandResult {
    let cannot = |what: &str| format!("cannot load file: {what}");
    let path::Found { name, bytes, number } = path::open(&mut gtp.files, &gtp.rest)?;
    let before = number.map_or(usize::MAX, |number| number - 1);
    let decoded = decode(&bytes);
    let sheets = read(&decoded.text).map_err(|error| cannot(&error.to_string()))?;
    let sheet = sheets.first().ok_or_else(|| cannot("there is no game in it"))?;
    let spec = spec_of(&gtp.session.spec(), sheet).map_err(|what| cannot(&what))?;
    let mut other = None;
    if spec != gtp.session.spec() {
        other = Some((gtp.session_maker)(&spec).map_err(|error| cannot(&error))?);
    }
    let session = other.as_deref().unwrap_or(&*gtp.session);
    let played = session.read_record(sheet).map_err(|error| cannot(&error.to_string()))?;
    if let Some(session) = other {
        gtp.session = session;
    }
    gtp.clear();
    // The answer is the colour alone, so notes on left-out or guessed parts go to the log of the
    // front end.
    let others = (sheets.len() > 1).then(|| format!("game 1 of {} is loaded", sheets.len()));
    for note in decoded.note.into_iter().chain(others).chain(played.notes.lines()) {
        // Nobody may be there to read it.
        let _ = writeln!(stderr(), "note: {}: {}", dz_text::line(&name), dz_text::line(&note));
    }
    play_to(gtp, &played, before).map_err(|error| cannot(&error))?;
    text(color_name(gtp.mover()))
}

/// Plays the first `before` moves of a game. Stones that are set up are no moves.
fn play_to(gtp: &mut Gtp, played: &Played, before: usize) -> Result<(), String> {
    let record = &played.record;
    if let Some(start) = &record.start {
        gtp.session.begin_game(Some(start)).map_err(|error| error.to_string())?;
    }
    let mut breaks = record.breaks.iter().peekable();
    let count = record.moves.len().min(before);
    for ply in 0..=count {
        let mut turn = None;
        while let Some(Break { position, mover, cause, .. }) = breaks.next_if(|b| b.ply == ply) {
            // Moves of one player in a row are moves here, which can be taken back.
            if *cause == BreakCause::Turn {
                turn = Some(*mover);
            } else if ply < count || before > record.moves.len() {
                turn = None;
                gtp.session.begin_game(Some(position)).map_err(|error| error.to_string())?;
            }
        }
        let Some(recorded) = record.moves.get(ply).filter(|_| ply < count) else { continue };
        let player = turn.unwrap_or_else(|| gtp.mover());
        gtp.session.play(player, recorded.mv).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The game that is played here with the size and the komi of the record.
fn spec_of(own: &GameSpec, sheet: &Sheet) -> Result<GameSpec, String> {
    let Some(theirs) = &sheet.game else { return Ok(own.clone()) };
    if theirs.name() != own.name() {
        return Err(format!("it is a game of {}, not of {}", theirs.name(), own.name()));
    }
    let parameters: Vec<(&str, String)> = own
        .parameters()
        .iter()
        .map(|(key, value)| {
            let taken = theirs.parameter(key).filter(|_| key == "size" || key == "komi");
            (key.as_str(), taken.unwrap_or(value).to_owned())
        })
        .collect();
    Ok(GameSpec::new(own.name(), &parameters))
}
