//! Games by name: one line a game; hot loops stay monomorphic inside the visitor.

use crate::{Encoding, Game, GameError, GameSpec, games};

/// Work that is generic over the game; [`with_game`] runs it for the game that a name means.
pub trait GameVisitor {
    /// What the work returns.
    type Output;
    /// Does the work for one concrete game.
    fn visit<G: Game>(self, game: G) -> Self::Output;
}

/// Answers the canonical name of a game and the id of its encoding: what headers hold.
#[derive(Clone, Copy, Debug)]
pub struct GameIds;

impl GameVisitor for GameIds {
    type Output = (String, String);
    fn visit<G: Game>(self, game: G) -> Self::Output {
        (game.spec().to_string(), game.encoding().id())
    }
}

macro_rules! registry {
    ($($name:literal => $game:ty),+ $(,)?) => {
        /// The names of all games.
        pub fn game_names() -> &'static [&'static str] {
            &[$($name),+]
        }
        /// Runs `visitor` on the game that `spec` names.
        ///
        /// # Errors
        /// [`GameError`] if there is no such game or a parameter is impossible.
        pub fn with_game<V: GameVisitor>(spec: &GameSpec, visitor: V) -> Result<V::Output, GameError> {
            match spec.name() {
                $($name => Ok(visitor.visit(<$game>::from_spec(spec)?)),)+
                name => Err(GameError::UnknownGame {
                    name: name.to_owned(),
                    known: game_names().join(", "),
                }),
            }
        }
    };
}

registry! {
    "connect4" => games::Connect4,
    "tictactoe" => games::TicTacToe,
    "hex" => games::Hex,
    "go" => games::Go,
    "othello" => games::Othello,
    "gomoku" => games::Gomoku,
    "chess" => games::Chess,
    "shuttle" => games::Shuttle,
}
