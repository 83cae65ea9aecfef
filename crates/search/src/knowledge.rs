//! Knowledge of positions before they are searched: "offline knowledge" (Gelly and Silver,
//! Combining Online and Offline Knowledge in UCT, ICML 2007).

use std::fmt::Debug;

use dz_game::Move;

use crate::domain::Domain;

/// A policy of rollouts and heuristic values of moves.
pub trait OfflineKnowledge<D: Domain>: Debug + Send + Sync {
    /// Samples a move by the policy of rollouts, in a position that is not over. `last` is the move
    /// that led there, where it is known; `random` is a random word for this choice. `None` where
    /// the policy has no move.
    fn rollout_move(
        &self,
        domain: &D,
        state: &D::State,
        history: &D::History,
        last: Option<Move>,
        random: u64,
    ) -> Option<Move>;

    /// Clears `values` and fills in the value of each of the `legal` moves for the mover, in
    /// [-1, 1]; leaves it empty where nothing is known.
    fn heuristics(
        &self,
        _domain: &D,
        _state: &D::State,
        _history: &D::History,
        _legal: &[Move],
        values: &mut Vec<f64>,
    ) {
        values.clear();
    }
}
