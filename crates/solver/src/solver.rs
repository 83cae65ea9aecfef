//! One trait for all solvers, and the choice of a solver by a game's name.

use std::any::Any;

use dz_game::{
    Game, GameSpec,
    games::{Connect4, Connect4State, Hex, TicTacToe},
};

use crate::{
    Connect4Solver, ExhaustiveSolver, PositionStream, Positions, STATES_MAX, Solved, Solver,
    SolverError,
};

impl Solver<Connect4> for Connect4Solver {
    fn analyze(&mut self, state: &Connect4State, (): &()) -> Result<Solved, SolverError> {
        unless_over(Self::analyze(self, state))
    }

    fn values(&mut self, state: &Connect4State, (): &()) -> Result<Solved, SolverError> {
        unless_over(Self::values(self, state))
    }
}

fn unless_over(solved: Solved) -> Result<Solved, SolverError> {
    if solved.moves.is_empty() { Err(SolverError::Over) } else { Ok(solved) }
}

impl<G: Game> Solver<G> for ExhaustiveSolver<G> {
    fn analyze(&mut self, state: &G::State, history: &G::History) -> Result<Solved, SolverError> {
        Self::analyze(self, state, history)
    }
}

/// The solver of a game, for play: every position that can be reached has an answer, at the start
/// of a large board after seconds.
///
/// # Errors
/// As [`solved_positions`].
pub fn solver_of<G: Game>(game: &G) -> Result<Box<dyn Solver<G> + Send>, SolverError> {
    let spec = game.spec();
    match spec.name() {
        "connect4" => {
            let solver = Connect4Solver::new(&Connect4::from_spec(&spec)?)?;
            let solver: Box<dyn Solver<Connect4> + Send> = Box::new(solver);
            // The two are one type, since the name says that G is Connect Four.
            let solver = (Box::new(solver) as Box<dyn Any>).downcast();
            solver.map_or_else(|_| Err(no_solver(&spec)), |solver| Ok(*solver))
        }
        "tictactoe" => Ok(Box::new(ExhaustiveSolver::new(game, STATES_MAX)?)),
        "hex" if Hex::from_spec(&spec)?.size() <= HEX_SIZE_MAX => {
            Ok(Box::new(ExhaustiveSolver::new(game, STATES_MAX)?))
        }
        _ => Err(no_solver(&spec)),
    }
}

/// The games that have a solver, for people.
const SOLVABLE: &str = "connect4 (boards with width * (height + 1) up to 64), hex (size 2 and 3), \
                        tictactoe";
/// The largest Hex board that is solved exhaustively: size 4 has millions of states.
const HEX_SIZE_MAX: u16 = 3;
/// Most points of a Connect Four board left empty in the positions generated. Random positions of
/// 7x6 with fewer stones take seconds each.
const CONNECT4_EMPTY_MAX: u32 = 32;
/// Fewest points left empty: with fewer there is hardly a choice.
const CONNECT4_EMPTY_MIN: u32 = 4;

/// Distinct solved positions of a game, from a seed, spread evenly over plies (see [`Positions`]).
/// The stream ends when no more are found.
///
/// Connect Four's have 4 to 32 empty points, 10 to 38 plies on 7x6; smaller games' have any number.
///
/// # Errors
/// [`SolverError::NoSolver`], naming the games that have one; [`SolverError::Game`].
pub fn solved_positions(spec: &GameSpec, seed: u64) -> Result<PositionStream, SolverError> {
    solved_positions_from(spec, None, seed)
}

/// The same from another ply on, if `first_ply` names one. On 7x6 each position of ply 8 takes
/// seconds.
///
/// # Errors
/// As [`solved_positions`].
pub fn solved_positions_from(
    spec: &GameSpec,
    first_ply: Option<u32>,
    seed: u64,
) -> Result<PositionStream, SolverError> {
    match spec.name() {
        "connect4" => {
            let game = Connect4::from_spec(spec)?;
            let solver = Connect4Solver::new(&game)?;
            let cells = u32::from(game.width()) * u32::from(game.height());
            let first = first_ply.unwrap_or(cells.saturating_sub(CONNECT4_EMPTY_MAX));
            let last = cells.saturating_sub(CONNECT4_EMPTY_MIN);
            Ok(Box::new(Positions::new(&game, solver, first..=last, seed)))
        }
        "tictactoe" => exhaustive(&TicTacToe::from_spec(spec)?, first_ply, seed),
        "hex" => {
            let game = Hex::from_spec(spec)?;
            if game.size() > HEX_SIZE_MAX {
                return Err(no_solver(spec));
            }
            exhaustive(&game, first_ply, seed)
        }
        _ => Err(no_solver(spec)),
    }
}

fn exhaustive<G: Game>(
    game: &G,
    first_ply: Option<u32>,
    seed: u64,
) -> Result<PositionStream, SolverError> {
    let solver = ExhaustiveSolver::new(game, STATES_MAX)?;
    let last = game.plies_max().map_or(0, |plies| plies.saturating_sub(1));
    Ok(Box::new(Positions::new(game, solver, first_ply.unwrap_or(0)..=last, seed)))
}

fn no_solver(spec: &GameSpec) -> SolverError {
    SolverError::NoSolver { game: spec.to_string(), known: SOLVABLE }
}
