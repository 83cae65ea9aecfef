//! `position`: from where to think.

use dz_game::{Player, Status};

use super::fen::tidy;
use crate::{Refusal, Session};

/// The position as it was told last; one that goes on from there keeps what was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Told {
    start: Option<String>,
    moves: Vec<String>,
}

/// Takes the words after `position`; answers what was left out of them, for people.
///
/// # Errors
/// What is wrong. The session then stands where it stood, or where the legal moves before the first
/// illegal one lead: that is another position than the front end means, so no move may be answered
/// for it.
pub(super) fn place(
    session: &mut dyn Session,
    told: &mut Told,
    words: &[&str],
) -> Result<Option<String>, String> {
    let at = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
    let (start, moves) = (&words[..at], words.get(at + 1..).unwrap_or_default());
    let (start, left_out) = match start.split_first() {
        Some((&"startpos", [])) => (None, None),
        Some((&"startpos", [word, ..])) => {
            return Err(format!("{word} stands after startpos: write moves before the moves"));
        }
        Some((&"fen", fields)) => {
            let tidied = tidy(fields);
            (Some(tidied.fen), tidied.left_out)
        }
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
        let player = mover(session).ok_or_else(|| wrong(Refusal::Over.to_string()))?;
        let mv = session.parse(word).map_err(|error| wrong(error.to_string()))?;
        session.play(player, mv).map_err(|error| wrong(error.to_string()))?;
        told.moves.push(word.to_owned());
    }
    Ok(left_out)
}

/// Who moves, also where only our rules say that the game is drawn; `None` after mate and
/// stalemate.
fn mover(session: &dyn Session) -> Option<Player> {
    match session.status() {
        Status::ToMove(player) => Some(player),
        Status::Over(_) => session.beyond().map(|(player, _)| player),
    }
}

/// Whose move is searched. A draw that nobody has claimed is played on, as from a new position.
pub(super) fn stand(session: &mut dyn Session) -> Status {
    if session.beyond().is_some()
        && let Some(text) = session.position_text()
    {
        let fields: Vec<&str> = text.split(' ').collect();
        let anew = fields.iter().enumerate().map(|(at, &field)| if at == 4 { "0" } else { field });
        // What was printed is a position; if it were none, the game stays over.
        let _ = session.begin_game(Some(&anew.collect::<Vec<_>>().join(" ")));
    }
    session.status()
}
