//! `position`: from where to think.

use dz_game::Status;

use crate::{Refusal, Session};

/// The position as it was told last; one that goes on from there keeps what was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    start: Option<String>,
    moves: Vec<String>,
}

/// Takes the words after `position`. At the first word that is no legal move it stops, standing where it
/// came to.
pub(super) fn place(
    session: &mut dyn Session,
    told: &mut Told,
    words: &[&str],
) -> Result<(), String> {
    let at = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
    let (start, moves) = (&words[..at], words.get(at + 1..).unwrap_or_default());
    let start = match start.split_first() {
        Some((&"startpos", _)) => None,
        Some((&"fen", fen)) => Some(with_clock(fen, bounded)),
        _ => return Err("write position startpos or position fen FEN".to_owned()),
    };
    let goes_on = start == told.start
        && told.moves.len() <= moves.len()
        && told.moves.iter().zip(moves).all(|(old, new)| old == new);
    if !goes_on {
        session.begin_game(start.as_deref()).map_err(|error| error.to_string())?;
        *told = Told { start, moves: Vec::new() };
    }
    for &word in &moves[told.moves.len()..] {
        let wrong = |why: String| format!("{word} cannot be played: {why}");
        let mv = session.parse(word).map_err(|error| wrong(error.to_string()))?;
        let Status::ToMove(player) = mover(session) else {
            return Err(wrong(Refusal::Over.to_string()));
        };
        session.play(player, mv).map_err(|error| wrong(error.to_string()))?;
        told.moves.push(word.to_owned());
    }
    Ok(())
}

/// The fields of a position with another clock: field 5, the plies towards the draw by 50 moves.
fn with_clock<'a>(fields: &[&'a str], clock: impl Fn(&'a str) -> &'a str) -> String {
    let fields = fields.iter().enumerate();
    let fields = fields.map(|(at, &field)| if at == 4 { clock(field) } else { field });
    fields.collect::<Vec<_>>().join(" ")
}

/// A clock of at most 100 plies, where the draw may be claimed; where nobody did, it goes on.
fn bounded(clock: &str) -> &str {
    if clock.parse::<u32>().is_ok_and(|plies| plies > 100) { "100" } else { clock }
}

/// Who moves. A draw that nobody has claimed is played on, as from a new position.
pub(super) fn mover(session: &mut dyn Session) -> Status {
    if let (Status::Over(_), Some(text)) = (session.status(), session.position_text()) {
        let anew = with_clock(&text.split(' ').collect::<Vec<_>>(), |_| "0");
        // What was printed is a position; if it were none, the game stays over.
        let _ = session.begin_game(Some(&anew));
    }
    session.status()
}
