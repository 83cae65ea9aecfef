//! The laws that every game obeys, checked on random play.
//!
//! Laws find what contradicts itself: keys that forget, symmetries that do not commute, two moves
//! in one policy slot. They cannot find rules or planes that are consistently wrong. Published
//! perft counts find wrong rules, the golden transcript wrong planes, so a game needs all three.

mod check;
mod encoding;
mod keys;
mod position;
mod rollout;
mod symmetry;
mod text;

use std::fmt::Display;

use thiserror::Error;

pub use check::check;

use crate::{Game, Key, Move};

/// A law that does not hold, where and why.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{law} is broken after moves [{moves}]: {detail}")]
pub struct LawBroken {
    /// The law's name.
    pub law: &'static str,
    /// The moves that lead there.
    pub moves: String,
    /// What was found.
    pub detail: String,
}

/// A position of a game under way, and how it came about.
struct Position<'a, G: Game> {
    game: &'a G,
    state: &'a G::State,
    history: &'a G::History,
    /// Legal moves as the game gave them.
    legal: &'a [Move],
    /// Moves since the start.
    moves: &'a [Move],
}

impl<G: Game> Position<'_, G> {
    fn broken(&self, law: &'static str, detail: impl Display) -> LawBroken {
        let moves: Vec<String> = self.moves.iter().map(|&mv| self.game.format_move(mv)).collect();
        LawBroken { law, moves: moves.join(" "), detail: detail.to_string() }
    }

    /// `Ok` if `holds`, else the law is broken.
    fn law<D: Display>(
        &self,
        law: &'static str,
        holds: bool,
        detail: impl FnOnce() -> D,
    ) -> Result<(), LawBroken> {
        if holds { Ok(()) } else { Err(self.broken(law, detail())) }
    }

    /// The position after `mv`.
    fn after(&self, mv: Move) -> (G::State, G::History) {
        let mut state = self.state.clone();
        let mut history = self.history.clone();
        self.game.advance(&mut state, &mut history, mv);
        (state, history)
    }
}

/// A law that needs no position.
fn broken_at_start(law: &'static str, detail: impl Display) -> LawBroken {
    LawBroken { law, moves: String::new(), detail: detail.to_string() }
}

/// `eval_key` and `node_key` of a position.
fn keys_of<G: Game>(game: &G, state: &G::State, history: &G::History) -> (Key, Key) {
    (game.eval_key(state, history), game.node_key(state, history))
}
