//! Which game has which solver.

use std::{any::Any, collections::HashMap, ops::RangeInclusive};

use dz_game::{
    Game, GameSpec,
    games::{Connect4, Hex, TicTacToe},
};

use crate::{
    Connect4Solver, ExhaustiveSolver, GameJudge, PositionSource, Positions, STATES_MAX, Solver,
    SolverError, judge::SolverJudge,
};

/// Returns the solver of a game for play. It answers every position that can be reached; at the
/// start of a large board an answer takes seconds.
///
/// # Errors
/// As [`solved_positions`].
pub fn solver_of<G: Game>(game: &G) -> Result<Box<dyn Solver<G> + Send>, SolverError> {
    let spec = game.spec();
    // The name says which game G is, so the two types are the same.
    let solver = any_solver(&spec)?.downcast();
    solver.map_or_else(|_| Err(no_solver(&spec)), |solver| Ok(*solver))
}

/// Returns the boxed solver of a game that is known by name only. Not generic over the game, so
/// that solvers are compiled for their own games alone.
fn any_solver(spec: &GameSpec) -> Result<Box<dyn Any>, SolverError> {
    struct Boxed;
    impl WithSolver for Boxed {
        type Out = Box<dyn Any>;
        fn take<G: Game>(self, _: G, solver: impl GameSolver<G>) -> Self::Out {
            let solver: Box<dyn Solver<G> + Send> = Box::new(solver);
            Box::new(solver)
        }
    }
    with_solver(spec, Boxed)
}

/// Returns the judge of a game's moves.
///
/// ```
/// use dz_game::{Move, Player};
/// use dz_solver::{JudgedMove, judge_of};
///
/// let spec = "tictactoe".parse().expect("the name of a game");
/// let mut judge = judge_of(&spec).expect("tic-tac-toe has a solver");
/// // After the centre an answer at an edge loses, one in a corner does not.
/// let judged = judge.judge(&[Move(4), Move(1)], 0, Player::Second).expect("a small game");
/// assert_eq!(judged, [JudgedMove { ply: 1, preserved: false, nontrivial: true }]);
/// ```
///
/// # Errors
/// As [`solved_positions`].
pub fn judge_of(spec: &GameSpec) -> Result<Box<dyn GameJudge>, SolverError> {
    struct Judge;
    impl WithSolver for Judge {
        type Out = Box<dyn GameJudge>;
        fn take<G: Game>(self, game: G, solver: impl GameSolver<G>) -> Self::Out {
            Box::new(SolverJudge { game, solver, solved: HashMap::new() })
        }
    }
    with_solver(spec, Judge)
}

/// A solver of which every thread may have a copy.
trait GameSolver<G: Game>: Solver<G> + Clone + Send + Sync + 'static {}

impl<G: Game, S: Solver<G> + Clone + Send + Sync + 'static> GameSolver<G> for S {}

/// What is done with a game and its solver.
trait WithSolver {
    type Out;
    fn take<G: Game>(self, game: G, solver: impl GameSolver<G>) -> Self::Out;
}

/// Makes the solver of a game for play.
fn with_solver<W: WithSolver>(spec: &GameSpec, with: W) -> Result<W::Out, SolverError> {
    match spec.name() {
        "connect4" => {
            let game = Connect4::from_spec(spec)?;
            let solver = Connect4Solver::new(&game)?;
            Ok(with.take(game, solver))
        }
        "tictactoe" => {
            let game = TicTacToe::from_spec(spec)?;
            let solver = ExhaustiveSolver::new(&game, STATES_MAX)?;
            Ok(with.take(game, solver))
        }
        "hex" if Hex::from_spec(spec)?.size() <= HEX_SIZE_MAX => {
            let game = Hex::from_spec(spec)?;
            let solver = ExhaustiveSolver::new(&game, STATES_MAX)?;
            Ok(with.take(game, solver))
        }
        _ => Err(no_solver(spec)),
    }
}

/// Solved positions of a game that is known by name only.
pub type PositionStream = Box<dyn PositionSource>;

/// The games that have a solver, for error messages.
const SOLVABLE: &str = "connect4 (boards with width * (height + 1) up to 64), hex (size 2 and 3), \
                        tictactoe";
/// The largest Hex board that is solved exhaustively: size 4 has millions of states.
const HEX_SIZE_MAX: u16 = 3;
/// Most points of a Connect Four board left empty in generated positions. Random positions of 7x6
/// with fewer stones take seconds each.
const CONNECT4_EMPTY_MAX: u32 = 32;
/// Fewest points left empty. With fewer there is hardly a choice of moves.
const CONNECT4_EMPTY_MIN: u32 = 4;

/// Returns distinct solved positions of a game from a seed, spread evenly over plies (see
/// [`Positions`]). The stream ends when no more are found.
///
/// Positions of Connect Four have 4 to 32 empty points, which is 10 to 38 plies on 7x6. Positions
/// of smaller games have any number of plies.
///
/// ```
/// use dz_solver::solved_positions;
///
/// let spec = "tictactoe".parse().expect("the name of a game");
/// let positions = solved_positions(&spec, 1).expect("tic-tac-toe has a solver");
/// let plies = positions.map(|position| position.expect("a small game").moves.len());
/// assert_eq!(plies.take(3).collect::<Vec<_>>(), [0, 1, 2]);
/// ```
///
/// # Errors
/// [`SolverError::NoSolver`], naming the games that have one; [`SolverError::Game`].
pub fn solved_positions(spec: &GameSpec, seed: u64) -> Result<PositionStream, SolverError> {
    solved_positions_from(spec, None, seed)
}

/// As [`solved_positions`], from ply `first_ply` on if it is given. On 7x6 each position of ply 8
/// takes seconds.
///
/// # Errors
/// As [`solved_positions`].
pub fn solved_positions_from(
    spec: &GameSpec,
    first_ply: Option<u32>,
    seed: u64,
) -> Result<PositionStream, SolverError> {
    struct Stream {
        first_ply: Option<u32>,
        seed: u64,
    }
    impl WithSolver for Stream {
        type Out = PositionStream;
        fn take<G: Game>(self, game: G, solver: impl GameSolver<G>) -> Self::Out {
            let plies = plies_of(&game);
            let plies = self.first_ply.unwrap_or(*plies.start())..=*plies.end();
            Box::new(Positions::new(&game, solver, plies, self.seed))
        }
    }
    with_solver(spec, Stream { first_ply, seed })
}

/// The plies of generated positions, unless others are asked for.
fn plies_of<G: Game>(game: &G) -> RangeInclusive<u32> {
    let plies = game.plies_max().unwrap_or_default();
    match game.spec().name() {
        "connect4" => {
            plies.saturating_sub(CONNECT4_EMPTY_MAX)..=plies.saturating_sub(CONNECT4_EMPTY_MIN)
        }
        _ => 0..=plies.saturating_sub(1),
    }
}

fn no_solver(spec: &GameSpec) -> SolverError {
    SolverError::NoSolver { game: spec.to_string(), known: SOLVABLE }
}
