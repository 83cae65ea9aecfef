//! Why a game or a position cannot be solved.

use dz_game::GameError;
use thiserror::Error;

/// An error of a solver.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SolverError {
    /// The game's name or parameters are wrong.
    #[error(transparent)]
    Game(#[from] GameError),
    /// No solver for this game.
    #[error("{game} has no solver; games that have one: {known}")]
    NoSolver {
        /// The game.
        game: String,
        /// What can be solved.
        known: &'static str,
    },
    /// A Connect Four board of more bits than the solver has.
    #[error(
        "{game} is too large for the solver: width * (height + 1) is {bits}, and 64 is the most"
    )]
    TooManyBits {
        /// The game.
        game: String,
        /// Bits of the board, the row above it included.
        bits: u32,
    },
    /// Exhaustive solving needs games in which no state occurs twice.
    #[error(
        "{game} may repeat states, so it cannot be solved exhaustively; choose an acyclic game"
    )]
    Cyclic {
        /// The game.
        game: String,
    },
    /// Exhaustive solving met more states than allowed.
    #[error("{game} has more than {states_max} states from here; take a smaller board")]
    TooManyStates {
        /// The game.
        game: String,
        /// The limit.
        states_max: u64,
    },
    /// Nobody is to move.
    #[error("the game is over, so there is no move to value")]
    Over,
}
