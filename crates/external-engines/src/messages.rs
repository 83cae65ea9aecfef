//! The data of a game that engines get, and their answers when asked for a move.

use dz_game::Game;

/// The rules of a game, as far as protocols can state them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Rows and columns, where the game has a parameter `size`.
    pub size: Option<u16>,
    /// The komi as text, where the game has one.
    pub komi: Option<String>,
}

impl Rules {
    /// Returns the rules of a game.
    pub fn of<G: Game>(game: &G) -> Self {
        Self { size: size_of(game), komi: game.spec().parameter("komi").map(ToOwned::to_owned) }
    }
}

/// What an engine answers when it is to move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A move as the protocol writes it, not checked for legality.
    Move(String),
    /// The engine resigns.
    Resign,
}

/// Returns the rows of a game that has a parameter `size`.
pub fn size_of<G: Game>(game: &G) -> Option<u16> {
    game.spec().parameter("size")?.parse().ok()
}
