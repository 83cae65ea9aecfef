//! Stones that records set up.

use dz_game::{Game, Player, RecordFormat};

use crate::{Format, Notes, RecordError, SetUp, Sheet, error::short, replay::Replay};

/// Changes `stones` as the properties say, in their order. Gives the player to move, where they
/// name one.
///
/// A value is a point or a rectangle of points (SGF FF\[4\], compressed point lists): `cc:gc`.
pub(crate) fn apply<G: Game>(
    setups: &[SetUp],
    stones: &mut [Option<Player>],
    position: &Replay<'_, G>,
    notes: &mut Notes,
) -> Result<Option<Player>, RecordError> {
    let size = stones.len().isqrt();
    let mut mover = None;
    // Which property set a point last.
    let mut said: Vec<Option<&str>> = vec![None; stones.len()];
    let mut both = false;
    for SetUp { name, values, line, .. } in setups {
        let stone = match name.as_str() {
            "AB" => Some(Player::First),
            "AW" => Some(Player::Second),
            "AE" => None,
            _ => {
                mover = Some(color(values, *line)?);
                continue;
            }
        };
        for value in values {
            let bad = || {
                let what = format!("{name}[{value}] names no point of a board of size {size}");
                RecordError::Start { line: *line, what: short(&what) }
            };
            let (from, to) = value.split_once(':').unwrap_or((value, value));
            let point = |text: &str| {
                let mv = position.parse(text.trim(), Format::Sgf).ok()?;
                let point = usize::from(mv.0);
                (point < stones.len()).then_some((point / size, point % size))
            };
            let ((top, left), (bottom, right)) =
                (point(from).ok_or_else(bad)?, point(to).ok_or_else(bad)?);
            if top > bottom || left > right {
                return Err(bad());
            }
            for point in
                (top..=bottom).flat_map(|row| (left..=right).map(move |column| row * size + column))
            {
                both |= said[point].is_some_and(|other| other != name);
                said[point] = Some(name);
                stones[point] = stone;
            }
        }
    }
    if both {
        let line = setups.first().map_or(0, |set_up| set_up.line);
        notes.add(line, "two set-up properties name the same point; the later one counts");
    }
    Ok(mover)
}

/// `PL`: `B`, `W`, or the word.
fn color(values: &[String], line: usize) -> Result<Player, RecordError> {
    let value = values.first().map_or("", |value| value.trim());
    match value.to_ascii_lowercase().as_str() {
        "b" | "black" | "1" => Ok(Player::First),
        "w" | "white" | "2" => Ok(Player::Second),
        _ => {
            let what = format!("PL[{value}] names no player; write PL[B] or PL[W]");
            Err(RecordError::Start { line, what: short(&what) })
        }
    }
}

/// Checks that a record sets up the game's start, in games that have only one start.
pub(crate) fn check_start(
    sheet: &Sheet,
    setups: &[SetUp],
    game: &impl Game,
) -> Result<(), RecordError> {
    let own = match game.record_format() {
        RecordFormat::Sgf(root) => crate::sgf::tags(&root),
        RecordFormat::Plain | RecordFormat::Pgn => Vec::new(),
    };
    let sorted = |values: &mut dyn Iterator<Item = &String>| {
        let mut points: Vec<String> = values.map(|v| v.trim().to_ascii_lowercase()).collect();
        points.sort();
        points
    };
    for name in ["AB", "AW", "AE"] {
        let of_record = setups.iter().filter(|s| s.name == name).flat_map(|s| &s.values);
        let points = sorted(&mut of_record.into_iter());
        let of_game = own.iter().filter(|(key, _)| key == name).flat_map(|(_, values)| values);
        if points.is_empty() {
            continue;
        }
        let first = setups.iter().find(|s| s.name == name);
        let line = first.map_or(sheet.line, |set_up| set_up.line);
        let spec = game.spec();
        let what = if first.is_some_and(|set_up| set_up.before > 0) {
            format!(
                "{name} changes the board in the middle of the game, which {spec} has no positions for"
            )
        } else if points == sorted(&mut of_game.into_iter()) {
            continue;
        } else {
            format!(
                "the record sets stones up ({name}); only games from the start of {spec} can be played"
            )
        };
        return Err(RecordError::Start { line, what: short(&what) });
    }
    Ok(())
}
