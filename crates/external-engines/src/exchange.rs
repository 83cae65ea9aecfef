//! What an engine must know of a game, and what it answers.

use dz_game::Game;

use crate::names::size_of;

/// What an engine must know of the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Rows and columns, where the game has a size.
    pub size: Option<u16>,
    /// Go's komi.
    pub komi: Option<String>,
}

impl Rules {
    /// The rules of a game.
    pub fn of<G: Game>(game: &G) -> Self {
        let spec = game.spec();
        Self { size: size_of(game), komi: spec.parameter("komi").map(ToOwned::to_owned) }
    }
}

/// What an engine answers when it is to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A move, in the protocol's words; nobody has checked it.
    Move(String),
    /// It gives the game up.
    Resign,
}
