//! The trait of all solvers.

use dz_game::Game;

use crate::{Solved, SolverError};

/// Computes the game-theoretic value of every position of a game.
///
/// ```
/// use dz_game::{Game, games::TicTacToe};
/// use dz_solver::{ExhaustiveSolver, STATES_MAX, Solver, Value};
///
/// let game = TicTacToe;
/// let mut solver = ExhaustiveSolver::new(&game, STATES_MAX)?;
/// let solved = solver.analyze(&game.start(), &())?;
/// // Every first move of tic-tac-toe keeps the draw.
/// assert_eq!(solved.value, Value::Draw);
/// assert_eq!(solved.preserving().len(), 9);
/// # Ok::<(), dz_solver::SolverError>(())
/// ```
pub trait Solver<G: Game> {
    /// Returns the value of a state and of every legal move, for the player to move.
    ///
    /// # Errors
    /// [`SolverError::Over`] if nobody is to move, or why the state cannot be solved.
    fn analyze(&mut self, state: &G::State, history: &G::History) -> Result<Solved, SolverError>;

    /// As [`Solver::analyze`], but without scores where these would cost more.
    ///
    /// # Errors
    /// As [`Solver::analyze`].
    fn values(&mut self, state: &G::State, history: &G::History) -> Result<Solved, SolverError> {
        self.analyze(state, history)
    }
}
