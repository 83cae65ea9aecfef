//! Distinct solved positions from a seed.

use std::{
    collections::HashSet,
    iter,
    ops::RangeInclusive,
    sync::{Mutex, PoisonError},
};

use dz_game::{Game, Key, Move};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{Solved, Solver, SolverError};

/// A position with the truth about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolvedPosition {
    /// Moves from the start; as many as plies.
    pub moves: Vec<Move>,
    /// Values of the position and of its moves, for the player to move.
    pub solved: Solved,
}

/// Distinct solved positions of a game, until all are found.
///
/// The plies of a range take turns. A position is reached by uniform random moves up to its ply;
/// positions that are over or were found before are left out. Two positions are the same if their
/// `node_key` is, so mirror images count as two.
///
/// The same game, range and seed give the same positions in the same order, whatever the solver
/// has solved before.
#[derive(Debug)]
pub struct Positions<G: Game, S> {
    game: G,
    solver: S,
    random: Xoshiro256PlusPlus,
    /// Plies at which new positions are still found.
    plies: Vec<u32>,
    /// Index in `plies` of the next position's ply.
    next_ply: usize,
    seen: HashSet<Key>,
}

/// Solved positions: one at a time, with scores where the solver knows them, or many at once.
pub trait PositionSource: Iterator<Item = Result<SolvedPosition, SolverError>> {
    /// Returns the next `count` positions without scores, or fewer if there are no more. All
    /// threads of rayon's pool solve them. `each` is called after every position, on any thread.
    ///
    /// The positions and their order are those of the iterator. Each thread has a solver of its
    /// own; a Connect Four solver has a table of [`crate::TABLE_BYTES`].
    ///
    /// # Errors
    /// The error of a position that cannot be solved.
    fn values(
        &mut self,
        count: usize,
        each: &(dyn Fn() + Sync),
    ) -> Result<Vec<SolvedPosition>, SolverError>;
}

/// Random games in a row without a new position after which a ply counts as exhausted. At 1,500
/// positions, the most that tic-tac-toe has at a ply, an unseen one is missed by as many games
/// about once in 600,000 times.
const MISSES_MAX: u32 = 20_000;

/// A position that is not solved yet.
struct Unsolved<G: Game> {
    moves: Vec<Move>,
    state: G::State,
    history: G::History,
}

impl<G: Game, S: Solver<G>> Positions<G, S> {
    /// Makes a source of positions at the given plies, lowest first.
    pub fn new(game: &G, solver: S, plies: RangeInclusive<u32>, seed: u64) -> Self {
        Self {
            game: game.clone(),
            solver,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            plies: plies.collect(),
            next_ply: 0,
            seen: HashSet::new(),
        }
    }

    /// Returns the next position; `None` if there are no more.
    fn next_unsolved(&mut self) -> Option<Unsolved<G>> {
        loop {
            if self.next_ply >= self.plies.len() {
                self.next_ply = 0;
            }
            let plies = *self.plies.get(self.next_ply)?;
            let Some(unsolved) = self.find(plies) else {
                self.plies.remove(self.next_ply);
                continue;
            };
            self.next_ply += 1;
            return Some(unsolved);
        }
    }

    /// A new position at this ply, or `None` after [`MISSES_MAX`] games.
    fn find(&mut self, plies: u32) -> Option<Unsolved<G>> {
        (0..MISSES_MAX).find_map(|_| {
            let unsolved = self.play(plies)?;
            let key = self.game.node_key(&unsolved.state, &unsolved.history);
            self.seen.insert(key).then_some(unsolved)
        })
    }

    /// Random moves; `None` if the game ends before the ply or at it.
    fn play(&mut self, plies: u32) -> Option<Unsolved<G>> {
        let mut state = self.game.start();
        let mut history = G::History::default();
        let mut moves = Vec::new();
        let mut legal = Vec::new();
        for _ in 0..plies {
            self.game.legal_moves(&state, &history, &mut legal);
            if legal.is_empty() {
                return None;
            }
            let mv = legal[self.random.random_range(0..legal.len())];
            self.game.advance(&mut state, &mut history, mv);
            moves.push(mv);
        }
        self.game.to_move(&state, &history).map(|_| Unsolved { moves, state, history })
    }
}

impl<G: Game, S: Solver<G>> Iterator for Positions<G, S> {
    type Item = Result<SolvedPosition, SolverError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Unsolved { moves, state, history } = self.next_unsolved()?;
        let solved = self.solver.analyze(&state, &history);
        Some(solved.map(|solved| SolvedPosition { moves, solved }))
    }
}

impl<G: Game, S: Solver<G> + Clone + Send + Sync> PositionSource for Positions<G, S> {
    fn values(
        &mut self,
        count: usize,
        each: &(dyn Fn() + Sync),
    ) -> Result<Vec<SolvedPosition>, SolverError> {
        let unsolved: Vec<Unsolved<G>> =
            iter::from_fn(|| self.next_unsolved()).take(count).collect();
        // Solvers that no thread uses at the moment. Each keeps the values that it has computed.
        let idle = Mutex::new(Vec::new());
        let idle = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        let solve = |Unsolved { moves, state, history }: Unsolved<G>| {
            let taken = idle().pop();
            let mut solver = taken.unwrap_or_else(|| self.solver.clone());
            let solved = solver.values(&state, &history)?;
            idle().push(solver);
            each();
            Ok(SolvedPosition { moves, solved })
        };
        unsolved.into_par_iter().map(solve).collect()
    }
}
