//! Laws of legality, status, play and history.

use std::{collections::BTreeSet, mem};

use super::{LawBroken, Position, broken_at_start, keys_of};
use crate::{Game, Key, Move, Player, Status};

/// The laws at one position.
pub(super) fn check<G: Game>(here: &Position<'_, G>) -> Result<(), LawBroken> {
    let game = here.game;
    let state = here.state;
    let history = here.history;
    if here.moves.is_empty() {
        check_state_type(game)?;
    }
    here.law("legal moves ascend", here.legal.is_sorted_by(|a, b| a < b), || {
        format!("legal moves are {:?}", here.legal)
    })?;
    here.law("moves_max bounds legal moves", here.legal.len() <= game.moves_max(), || {
        format!("{} legal moves, moves_max is {}", here.legal.len(), game.moves_max())
    })?;
    let plies = here.moves.len();
    let bound = game.plies_max().map_or(usize::MAX, |max| max as usize);
    here.law("plies_max bounds games", plies <= bound, || {
        format!("{plies} plies, at most {bound}")
    })?;
    here.law(
        "legal_moves clears its output",
        legal_into(here, vec![Move(0); 3]) == here.legal,
        || "another list came out of a Vec that was not empty",
    )?;
    check_status(here)?;
    here.law("a clone is equal", *state == state.clone(), || format!("{state:?}"))?;
    let keys = keys_of(game, state, history);
    let copied = keys_of(game, &state.clone(), &history.clone());
    here.law("keys are functions", keys == copied, || format!("{keys:?} and {copied:?}"))?;
    here.legal.iter().try_for_each(|&mv| check_move(here, keys, mv))
}

fn check_state_type<G: Game>(game: &G) -> Result<(), LawBroken> {
    let bytes = size_of::<G::State>();
    let bound = game.state_bytes_max();
    if bytes > bound {
        let detail = format!("{bytes} bytes, state_bytes_max is {bound}");
        return Err(broken_at_start("a state is small", detail));
    }
    if mem::needs_drop::<G::State>() {
        return Err(broken_at_start("a state is plain", "State has a destructor, so it owns heap"));
    }
    Ok(())
}

fn legal_into<G: Game>(here: &Position<'_, G>, mut out: Vec<Move>) -> Vec<Move> {
    here.game.legal_moves(here.state, here.history, &mut out);
    out
}

fn check_status<G: Game>(here: &Position<'_, G>) -> Result<(), LawBroken> {
    let status = here.game.status(here.state, here.history);
    let over = matches!(status, Status::Over(_));
    here.law("no legal moves if and only if over", here.legal.is_empty() == over, || {
        format!("{status:?} with {} legal moves", here.legal.len())
    })?;
    let (to_move, outcome) = match status {
        Status::ToMove(player) => (Some(player), None),
        Status::Over(outcome) => (None, Some(outcome)),
    };
    let agrees = here.game.to_move(here.state, here.history) == to_move
        && here.game.outcome(here.state, here.history) == outcome;
    here.law("to_move and outcome are the status", agrees, || format!("{status:?}"))?;
    if let Some(outcome) = outcome {
        let first = outcome.wdl_for(Player::First);
        let second = outcome.wdl_for(Player::Second);
        here.law("an outcome is zero-sum", first.flip() == second, || {
            format!("{first:?} for the first player, {second:?} for the second")
        })?;
    }
    Ok(())
}

/// Play is a function, `advance` is `push_history` and `play`, and history can be taken back.
fn check_move<G: Game>(
    here: &Position<'_, G>,
    keys: (Key, Key),
    mv: Move,
) -> Result<(), LawBroken> {
    let game = here.game;
    let state = here.state;
    let name = || game.format_move(mv);
    let (next, next_history) = here.after(mv);
    let mut pushed = here.history.clone();
    game.push_history(&mut pushed, state, mv);
    let mut again = state.clone();
    game.play(&mut again, mv);
    let same = next == again
        && keys_of(game, &next, &next_history) == keys_of(game, &again, &pushed)
        && game.status(&next, &next_history) == game.status(&again, &pushed);
    here.law("play is a function", same, || format!("{}: {next:?} and {again:?}", name()))?;
    let mut keyed = state.clone();
    let mut keyed_history = here.history.clone();
    game.advance_keyed(&mut keyed, &mut keyed_history, mv, keys.1);
    let same = next == keyed
        && keys_of(game, &next, &next_history) == keys_of(game, &keyed, &keyed_history);
    here.law("advance_keyed plays as advance does", same, || {
        format!("{}: {next:?} and {keyed:?}", name())
    })?;
    game.pop_history(&mut pushed);
    let back = keys_of(game, state, &pushed);
    let mut legal = Vec::new();
    game.legal_moves(state, &pushed, &mut legal);
    here.law("pop_history undoes push_history", back == keys && legal == here.legal, || {
        format!("keys before and after {}: {keys:?} and {back:?}", name())
    })
}

/// The positions of the game so far: what never comes twice, and what popping restores.
pub(super) struct Trail<G: Game> {
    states: Vec<G::State>,
    keys: Vec<(Key, Key)>,
    nodes: BTreeSet<Key>,
}

impl<G: Game> Default for Trail<G> {
    fn default() -> Self {
        Self { states: Vec::new(), keys: Vec::new(), nodes: BTreeSet::new() }
    }
}

impl<G: Game> Trail<G> {
    pub fn check(&mut self, here: &Position<'_, G>) -> Result<(), LawBroken> {
        let key = here.game.node_key(here.state, here.history);
        let new = self.nodes.insert(key) && !self.states.contains(here.state);
        here.law("an acyclic game never repeats", new || !here.game.acyclic(), || {
            format!("{:?}, node_key {key}, is not new in this game", here.state)
        })
    }

    pub fn push(&mut self, state: &G::State, keys: (Key, Key)) {
        self.states.push(state.clone());
        self.keys.push(keys);
    }

    /// Pops the whole history, from the end of the game to its start.
    pub fn unwind(&self, here: &Position<'_, G>) -> Result<(), LawBroken> {
        let mut history = here.history.clone();
        for (ply, (state, &keys)) in self.states.iter().zip(&self.keys).enumerate().rev() {
            here.game.pop_history(&mut history);
            let back = keys_of(here.game, state, &history);
            here.law("popping the whole history restores it", back == keys, || {
                format!("keys at ply {ply} on the way there {keys:?}, on the way back {back:?}")
            })?;
        }
        Ok(())
    }
}
