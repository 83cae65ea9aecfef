//! `position`: which position to search.

use dz_game::{Player, Status};

use super::fen::normalize;
use crate::{Refusal, Session};

/// The last `position` command. If the next one continues its moves, the search tree is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct SentPosition {
    start: Option<String>,
    moves: Vec<String>,
}

/// Sets the position from the words after `position`. Returns a note for people about what was
/// dropped from the FEN.
///
/// # Errors
/// What is wrong. The session is then at the previous position, or after the legal moves before the
/// first illegal one. The front end means another position, so no move may be answered for it.
pub(super) fn set_position(
    session: &mut dyn Session,
    sent: &mut SentPosition,
    words: &[&str],
) -> Result<Option<String>, String> {
    let at = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
    let start = &words[..at];
    let moves = words.get(at + 1..).unwrap_or_default();
    let (start, dropped) = match start.split_first() {
        Some((&"startpos", [])) => (None, None),
        Some((&"startpos", [word, ..])) => {
            return Err(format!("{word} stands after startpos: write moves before the moves"));
        }
        Some((&"fen", fields)) => {
            let normalized = normalize(fields);
            (Some(normalized.fen), normalized.dropped)
        }
        _ => return Err("write position startpos or position fen FEN".to_owned()),
    };
    let goes_on = start == sent.start
        && sent.moves.len() <= moves.len()
        && sent.moves.iter().zip(moves).all(|(old, new)| old == new);
    if !goes_on {
        session.begin_game(start.as_deref()).map_err(|error| error.to_string())?;
        *sent = SentPosition { start, moves: Vec::new() };
    }
    for &word in &moves[sent.moves.len()..] {
        let wrong = |why: String| format!("{word} cannot be played: {why}");
        let player = mover(session).ok_or_else(|| wrong(Refusal::Over.to_string()))?;
        let mv = session.parse(word).map_err(|error| wrong(error.to_string()))?;
        session.play(player, mv).map_err(|error| wrong(error.to_string()))?;
        sent.moves.push(word.to_owned());
    }
    Ok(dropped)
}

/// Returns who moves, also where only our rules call the game a draw; `None` after mate and
/// stalemate.
fn mover(session: &dyn Session) -> Option<Player> {
    match session.status() {
        Status::ToMove(player) => Some(player),
        Status::Over(_) => session.moves_after_draw().map(|(player, _)| player),
    }
}

/// Prepares the position to search and returns its status. A draw that nobody has claimed is played
/// on, as from a new position.
pub(super) fn position_to_search(session: &mut dyn Session) -> Status {
    if session.moves_after_draw().is_some()
        && let Some(text) = session.position_text()
    {
        let fields: Vec<&str> = text.split(' ').collect();
        let anew = fields.iter().enumerate().map(|(at, &field)| if at == 4 { "0" } else { field });
        // The text was printed from a position, so it can be read. If not, the game stays over.
        let _ = session.begin_game(Some(&anew.collect::<Vec<_>>().join(" ")));
    }
    session.status()
}
