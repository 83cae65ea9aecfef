//! Counting move sequences: the check of rules against published numbers.

use crate::Game;

/// Leaf nodes at depths `0..=depth` from `state`, as [`Game::perft`] counts them.
pub fn perft<G: Game>(game: &G, state: &G::State, history: &G::History, depth: u32) -> Vec<u64> {
    game.perft(state, history, depth)
}

/// What [`Game::perft`] does if a game has no other convention: play goes on until a game is over.
pub(crate) fn count_leaves<G: Game>(
    game: &G,
    state: &G::State,
    history: &G::History,
    depth: u32,
) -> Vec<u64> {
    let mut counts = vec![0; depth as usize + 1];
    let mut history = history.clone();
    count(game, state, &mut history, &mut counts);
    counts
}

fn count<G: Game>(game: &G, state: &G::State, history: &mut G::History, counts: &mut [u64]) {
    let Some((here, deeper)) = counts.split_first_mut() else { return };
    *here += 1;
    if deeper.is_empty() {
        return;
    }
    // None if the game is over.
    let mut legal = Vec::new();
    game.legal_moves(state, history, &mut legal);
    if deeper.len() == 1 {
        // Children at the last depth are counted, not visited.
        deeper[0] += legal.len() as u64;
        return;
    }
    for mv in legal {
        let mut child = state.clone();
        game.push_history(history, state, mv);
        game.play(&mut child, mv);
        count(game, &child, history, deeper);
        game.pop_history(history);
    }
}
