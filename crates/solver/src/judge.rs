//! The moves of a game, judged by a solver.

use std::collections::{HashMap, hash_map::Entry};

use dz_game::{Game, Key, Move, Player};

use crate::{Solved, Solver, SolverError};

/// A move and whether it kept the value of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgedMove {
    /// Plies before it.
    pub ply: usize,
    /// Whether it kept the value.
    pub preserved: bool,
    /// Whether some legal move loses value, so that there was something to know.
    pub nontrivial: bool,
}

/// Judges the moves of games by a solver. It keeps the positions that it has solved, so many games
/// from one opening cost little more than one game.
pub trait GameJudge {
    /// Judges the moves that `player` made from ply `first_ply` on, in a game from the start.
    ///
    /// # Errors
    /// As [`Solver::values`].
    fn judge(
        &mut self,
        moves: &[Move],
        first_ply: usize,
        player: Player,
    ) -> Result<Vec<JudgedMove>, SolverError>;
}

/// The judge of a game that has a solver.
pub(crate) struct SolverJudge<G: Game, S> {
    pub(crate) game: G,
    pub(crate) solver: S,
    pub(crate) solved: HashMap<Key, Solved>,
}

impl<G: Game, S: Solver<G>> GameJudge for SolverJudge<G, S> {
    fn judge(
        &mut self,
        moves: &[Move],
        first_ply: usize,
        player: Player,
    ) -> Result<Vec<JudgedMove>, SolverError> {
        let mut state = self.game.start();
        let mut history = G::History::default();
        let mut judged = Vec::new();
        for (ply, &mv) in moves.iter().enumerate() {
            if ply >= first_ply && self.game.to_move(&state, &history) == Some(player) {
                let key = self.game.node_key(&state, &history);
                let solved = match self.solved.entry(key) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(self.solver.values(&state, &history)?),
                };
                let preserving = solved.preserving();
                judged.push(JudgedMove {
                    ply,
                    preserved: preserving.contains(&mv),
                    nontrivial: preserving.len() < solved.moves.len(),
                });
            }
            self.game.advance(&mut state, &mut history, mv);
        }
        Ok(judged)
    }
}
