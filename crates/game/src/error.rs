//! What can be wrong with a game's name, parameters or moves.

use thiserror::Error;

/// An error about a game named or moves given in text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GameError {
    /// No such game.
    #[error("no game is called '{name}'; games are: {known}")]
    UnknownGame {
        /// What was asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The text is not `name:key=value,key=value`.
    #[error("'{text}' is not a game; write name:key=value,key=value, for example connect4:width=7")]
    BadSpec {
        /// What was given.
        text: String,
    },
    /// A parameter that the game does not have.
    #[error("{game} has no parameter '{key}'; it has: {known}")]
    UnknownParameter {
        /// The game's name.
        game: String,
        /// The parameter.
        key: String,
        /// The parameters there are.
        known: String,
    },
    /// A parameter with a value out of range or of the wrong type.
    #[error("{game}: {key}={value} is not possible; {allowed}")]
    BadParameter {
        /// The game's name.
        game: String,
        /// The parameter.
        key: String,
        /// The value given.
        value: String,
        /// What is allowed.
        allowed: String,
    },
    /// Text that is no move.
    #[error("'{text}' is not a move; {expected}")]
    BadMove {
        /// What was given.
        text: String,
        /// What a move looks like.
        expected: String,
    },
    /// A move that the rules forbid here.
    #[error("move '{text}' is not legal here; legal moves: {legal}")]
    IllegalMove {
        /// What was given.
        text: String,
        /// The legal moves.
        legal: String,
    },
    /// Text that is no position.
    #[error("'{text}' is not a position: {reason}")]
    BadPosition {
        /// What was given.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The game has no notation for positions.
    #[error(
        "{game} has no notation for positions, so '{text}' cannot be read; give --moves instead"
    )]
    NoPositionText {
        /// The game's name.
        game: String,
        /// What was given.
        text: String,
    },
}
