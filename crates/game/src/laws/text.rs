//! Laws of text: specifications, notation, and moves that are refused.

use std::{collections::BTreeSet, ops::Bound};

use super::{LawBroken, Position, broken_at_start, keys_of};
use crate::{Game, GameSpec, Move, canonical_spec, game_names};

/// Moves of other positions that are tried at a position. Chess has thousands.
const TRIED_MAX: usize = 32;

/// Moves that were legal somewhere: what illegal moves are made of.
#[derive(Default)]
pub(super) struct SeenMoves {
    moves: BTreeSet<Move>,
    /// The last one that was tried; the next position goes on from there.
    last: Move,
}

impl SeenMoves {
    /// The next moves to try, in turn.
    fn next(&mut self) -> Vec<Move> {
        let after = (Bound::Excluded(self.last), Bound::Unbounded);
        let turn = self.moves.range(after).chain(self.moves.range(..=self.last));
        let tried: Vec<Move> = turn.take(TRIED_MAX).copied().collect();
        self.last = tried.last().copied().unwrap_or_default();
        tried
    }
}

pub(super) fn check_spec<G: Game>(game: &G) -> Result<(), LawBroken> {
    const LAW: &str = "a specification names its game";
    let spec = game.spec();
    let parsed: GameSpec = spec.to_string().parse().map_err(|error| broken_at_start(LAW, error))?;
    if parsed != spec {
        return Err(broken_at_start(LAW, format!("{spec} reads back as {parsed}")));
    }
    // Toys of tests and benches are not registered.
    if !game_names().contains(&spec.name()) {
        return Ok(());
    }
    let canonical = canonical_spec(&parsed).map_err(|error| broken_at_start(LAW, error))?;
    if canonical != spec {
        return Err(broken_at_start(LAW, format!("{spec} makes {canonical}")));
    }
    Ok(())
}

/// Notation at one position.
pub(super) fn check<G: Game>(
    here: &Position<'_, G>,
    seen: &mut SeenMoves,
) -> Result<(), LawBroken> {
    let texts: Vec<String> = here.legal.iter().map(|&mv| here.game.format_move(mv)).collect();
    let distinct: BTreeSet<&String> = texts.iter().collect();
    here.law("moves have names of their own", distinct.len() == texts.len(), || texts.join(" "))?;
    for (&mv, text) in here.legal.iter().zip(&texts) {
        for written in [text.clone(), text.to_uppercase(), text.to_lowercase()] {
            let parsed = here.game.parse_move(here.state, &written);
            here.law("notation reads back in either case", parsed == Ok(mv), || {
                format!("'{written}' is read as {parsed:?}, not {mv:?}")
            })?;
        }
    }
    for &mv in here.legal.iter().take(TRIED_MAX) {
        let Some(text) = here.game.record_move(here.state, mv) else {
            here.law("records leave out only what is forced", here.legal.len() == 1, || {
                format!("{mv:?} is one of {}", here.legal.len())
            })?;
            continue;
        };
        let parsed = here.game.parse_record_move(here.state, &text);
        here.law("a record's notation reads back", parsed == Ok(mv), || {
            format!("'{text}' is read as {parsed:?}, not {mv:?}")
        })?;
    }
    let list = texts.join(" ");
    here.law(
        "a list of moves splits into its moves",
        here.game.split_moves(&list) == texts,
        || format!("'{list}' is split into {:?}", here.game.split_moves(&list)),
    )?;
    seen.moves.extend(here.legal);
    let mut tried = here.legal.iter().copied().take(TRIED_MAX).chain(seen.next());
    tried.try_for_each(|mv| check_play_text(here, mv))
}

/// Legal text is played, illegal text is refused and changes nothing.
fn check_play_text<G: Game>(here: &Position<'_, G>, mv: Move) -> Result<(), LawBroken> {
    let game = here.game;
    let mut state = here.state.clone();
    let mut history = here.history.clone();
    let text = game.format_move(mv);
    let played = game.play_text(&mut state, &mut history, &text).is_ok();
    let legal = here.legal.contains(&mv);
    here.law("play_text plays legal moves only", played == legal, || {
        format!("'{text}' is {}", if played { "illegal and played" } else { "legal and refused" })
    })?;
    let expected = if legal { here.after(mv) } else { (here.state.clone(), here.history.clone()) };
    let same = state == expected.0
        && keys_of(game, &state, &history) == keys_of(game, &expected.0, &expected.1);
    here.law("play_text changes what it plays and nothing else", same, || {
        format!("after '{text}' the position is {state:?}")
    })
}
