//! `loadsgf`: a game from a file.

use dz_game::GameSpec;
use dz_record::{Sheet, decode, read};

use super::{Answered, Gtp, path, syntax::color_name, text};

/// `loadsgf FILE [MOVE]`: the position before move `MOVE` of the file's first game, or its end; answers who
/// moves next. Another size or komi makes another game, as `boardsize` and `komi` do. Where anything is
/// wrong, nothing changes.
pub(super) fn loadsgf(gtp: &mut Gtp, _: &[String]) -> Answered {
    let cannot = |what: &str| format!("cannot load file: {what}");
    let path::Found { bytes, number } = path::open(&mut gtp.files, &gtp.rest)?;
    let before = number.map_or(usize::MAX, |number| number - 1);
    let sheets = read(&decode(&bytes)).map_err(|error| cannot(&error.to_string()))?;
    let sheet = sheets.first().ok_or_else(|| cannot("there is no game in it"))?;
    let spec = spec_of(&gtp.session.spec(), sheet).map_err(|what| cannot(&what))?;
    let mut other = None;
    if spec != gtp.session.spec() {
        other = Some((gtp.maker)(&spec).map_err(|error| cannot(&error))?);
    }
    let session = other.as_deref().unwrap_or(&*gtp.session);
    let played = session.read_record(sheet).map_err(|error| cannot(&error.to_string()))?;
    if let Some(session) = other {
        gtp.session = session;
    }
    gtp.clear();
    let record = played.record;
    if let Some(start) = record.start {
        gtp.session.begin_game(Some(&start)).map_err(|error| cannot(&error.to_string()))?;
    }
    // Stones of a handicap are no moves of the game.
    let before = before.saturating_add(played.handicap_plies);
    for (at, recorded) in record.moves.iter().take(before).enumerate() {
        let player = gtp.mover();
        gtp.session.play(player, recorded.mv).map_err(|error| error.to_string())?;
        if at + 1 == played.handicap_plies {
            gtp.session.keep();
        }
    }
    text(color_name(gtp.mover()))
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
