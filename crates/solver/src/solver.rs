//! The trait of all solvers.

use dz_game::{Game, Move};

use crate::{Solved, SolvedMove, SolverError, Value};

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

    /// Returns the best moves of a state, see [`BestMoves`].
    ///
    /// # Errors
    /// As [`Solver::analyze`].
    fn best_moves(
        &mut self,
        state: &G::State,
        history: &G::History,
    ) -> Result<BestMoves, SolverError> {
        let solved = self.analyze(state, history)?;
        let is_best = |each: &&SolvedMove| (each.value, each.score) == (solved.value, solved.score);
        let moves = solved.moves.iter().filter(is_best).map(|each| each.mv).collect();
        Ok(BestMoves { value: solved.value, moves })
    }
}

/// The moves of perfect play: those that keep the value, and of these the fastest win or the
/// slowest loss where the solver knows scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestMoves {
    /// For the player to move.
    pub value: Value,
    /// At least one, ascending.
    pub moves: Vec<Move>,
}
