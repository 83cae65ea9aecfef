//! The moves of a game, judged by a solver.

use std::collections::HashMap;

use dz_game::{Game, Key, Move, Player};

use crate::{Solved, Solver, SolverError};

/// A move and whether it kept the value of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgedMove {
    /// Plies before it.
    pub ply: usize,
    /// It kept the value.
    pub preserved: bool,
    /// Some legal move loses value, so that there was something to know.
    pub nontrivial: bool,
}

/// Judges games of one kind. What it has solved stays in memory, so that many games from one start
/// cost little more than one.
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
                if !self.solved.contains_key(&key) {
                    self.solved.insert(key, self.solver.values(&state, &history)?);
                }
                let solved = &self.solved[&key];
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
