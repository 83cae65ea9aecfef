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

use crate::{PositionSource, SolvedPosition, Solver, SolverError};

/// Solved positions, without end until all are found: each ply of a range in turn, uniform random
/// play up to it, positions that are over or were there before left out. Positions are told apart
/// by `node_key`, so mirror images are two.
///
/// The same game, range and seed give the same positions in the same order, whatever the solver
/// has solved before.
#[derive(Debug)]
pub struct Positions<G: Game, S> {
    game: G,
    solver: S,
    random: Xoshiro256PlusPlus,
    /// Plies at which new positions are still found, and whose turn it is.
    plies: Vec<u32>,
    turn: usize,
    seen: HashSet<Key>,
}

/// Random games in a row without a new position after which a ply counts as exhausted. At 1,500
/// positions, the most that tic-tac-toe has at a ply, an unseen one is missed by as many games
/// about once in 600,000 times.
const MISSES_MAX: u32 = 20_000;

/// A position that is not solved yet.
struct Drawn<G: Game> {
    moves: Vec<Move>,
    state: G::State,
    history: G::History,
}

impl<G: Game, S: Solver<G>> Positions<G, S> {
    /// Positions after a number of plies in `plies`, lowest first.
    pub fn new(game: &G, solver: S, plies: RangeInclusive<u32>, seed: u64) -> Self {
        Self {
            game: game.clone(),
            solver,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            plies: plies.collect(),
            turn: 0,
            seen: HashSet::new(),
        }
    }

    /// The next position; `None` if there are no more.
    fn draw(&mut self) -> Option<Drawn<G>> {
        loop {
            if self.turn >= self.plies.len() {
                self.turn = 0;
            }
            let plies = *self.plies.get(self.turn)?;
            let Some(drawn) = self.find(plies) else {
                self.plies.remove(self.turn);
                continue;
            };
            self.turn += 1;
            return Some(drawn);
        }
    }

    /// A new position at this ply, or `None` after [`MISSES_MAX`] games.
    fn find(&mut self, plies: u32) -> Option<Drawn<G>> {
        (0..MISSES_MAX).find_map(|_| {
            let drawn = self.play(plies)?;
            let key = self.game.node_key(&drawn.state, &drawn.history);
            self.seen.insert(key).then_some(drawn)
        })
    }

    /// Random moves; `None` if the game ends before the ply or at it.
    fn play(&mut self, plies: u32) -> Option<Drawn<G>> {
        let (mut state, mut history) = (self.game.start(), G::History::default());
        let (mut moves, mut legal) = (Vec::new(), Vec::new());
        for _ in 0..plies {
            self.game.legal_moves(&state, &history, &mut legal);
            if legal.is_empty() {
                return None;
            }
            let mv = legal[self.random.random_range(0..legal.len())];
            self.game.advance(&mut state, &mut history, mv);
            moves.push(mv);
        }
        self.game.to_move(&state, &history).map(|_| Drawn { moves, state, history })
    }
}

impl<G: Game, S: Solver<G>> Iterator for Positions<G, S> {
    type Item = Result<SolvedPosition, SolverError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Drawn { moves, state, history } = self.draw()?;
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
        let drawn: Vec<Drawn<G>> = iter::from_fn(|| self.draw()).take(count).collect();
        // Solvers that no thread uses at the moment; what each has learned stays with it.
        let idle = Mutex::new(Vec::new());
        let idle = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        let solve = |Drawn { moves, state, history }: Drawn<G>| {
            let taken = idle().pop();
            let mut solver = taken.unwrap_or_else(|| self.solver.clone());
            let solved = solver.values(&state, &history)?;
            idle().push(solver);
            each();
            Ok(SolvedPosition { moves, solved })
        };
        drawn.into_par_iter().map(solve).collect()
    }
}
