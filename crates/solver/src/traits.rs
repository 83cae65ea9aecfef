//! What solves positions, and where solved positions come from.

use dz_game::{Game, Move};

use crate::{Solved, SolverError};

/// Knows the truth about every position of a game.
pub trait Solver<G: Game> {
    /// The value of a state and of every move.
    ///
    /// # Errors
    /// [`SolverError::Over`] if nobody is to move, or why the state cannot be solved.
    fn analyze(&mut self, state: &G::State, history: &G::History) -> Result<Solved, SolverError>;

    /// The same without scores, where these would cost more.
    ///
    /// # Errors
    /// As [`Solver::analyze`].
    fn values(&mut self, state: &G::State, history: &G::History) -> Result<Solved, SolverError> {
        self.analyze(state, history)
    }
}

/// Solved positions: one at a time, with scores where the solver knows them, or many at once.
pub trait PositionSource: Iterator<Item = Result<SolvedPosition, SolverError>> {
    /// The next `count` positions, fewer if there are no more, without scores, solved by all
    /// threads of rayon's pool; `each` is called after every one, on any of them.
    ///
    /// The positions are those that the iterator would give, in its order. A thread has a solver of
    /// its own: for Connect Four with a table of [`crate::TABLE_BYTES`].
    ///
    /// # Errors
    /// That of a position that cannot be solved.
    fn values(
        &mut self,
        count: usize,
        each: &(dyn Fn() + Sync),
    ) -> Result<Vec<SolvedPosition>, SolverError>;
}

/// The positions of a game by name.
pub type PositionStream = Box<dyn PositionSource>;

/// A position with the truth about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedPosition {
    /// Moves from the start; as many as plies.
    pub moves: Vec<Move>,
    /// Values of the position and of its moves, for the player to move.
    pub solved: Solved,
}
