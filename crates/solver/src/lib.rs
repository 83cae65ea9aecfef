//! Exact play where a game is small enough: the truth that networks and searches are measured by.
//!
//! - [`Connect4Solver`]: Connect Four on boards of up to 64 bits, by alpha-beta search on
//!   bitboards.
//! - [`ExhaustiveSolver`]: any acyclic game with a state space that fits in memory.
//! - [`Positions`]: distinct solved positions from a seed, spread over the plies of a game.
//! - [`solver_of`]: the solver of a game by name, for play.
//! - [`judge_of`]: which moves of a game kept its value.
//! - [`solved_positions`]: such a stream for a game by name, or an error that says which games have
//!   one.
//!
//! Connect Four was solved in 1988 by James D. Allen and by Victor Allis ("A Knowledge-based
//! Approach of Connect-Four", Vrije Universiteit Amsterdam, 1988): the first player wins, with the
//! middle column only. The board layout is John Tromp's (Fhourstones); null-window search on the
//! number of stones left, the mask of moves that do not lose at once and ordering by threats are
//! well known. The best description is Pascal Pons' ("Solving Connect 4: how to build a perfect
//! AI", blog.gamesolver.org). Scores follow his convention, see [`Score`].

mod by_game;
mod connect4;
mod error;
mod exhaustive;
mod judge;
mod positions;
mod solver;
mod value;

pub use by_game::{PositionStream, judge_of, solved_positions, solved_positions_from, solver_of};
pub use connect4::{Connect4Solver, TABLE_BYTES};
pub use error::SolverError;
pub use exhaustive::{ExhaustiveSolver, STATES_MAX, StateCounts};
pub use judge::{GameJudge, JudgedMove};
pub use positions::{PositionSource, Positions, SolvedPosition};
pub use solver::{BestMoves, Solver};
pub use value::{Score, Solved, SolvedMove, Value};
