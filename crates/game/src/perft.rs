//! Counting move sequences: the check of rules against published numbers.

use crate::Game;

/// Leaf nodes at depths `0..=depth` from `state`, as [`Game::perft`] counts them.
pub fn perft<G: Game>(game: &G, state: &G::State, history: &G::History, depth: u32) -> Vec<u64> {
    game.perft(state, history, depth)
}
