//! All moves as first (AMAF): a playout counts for moves that were made later in it.
//!
//! For each node on the path and each of its legal moves that the same player made at it or later,
//! in the search or in the rollout, the count grows and the average moves towards the playout's
//! value (Gelly and Silver 2007).

use dz_game::{Move, Player};

use crate::{
    Numbers, Search, Selection,
    domain::Domain,
    numbers::{Prior, Real},
    path::PathStep,
    value::ValueAbs,
};

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Averages `weight` playouts of one value into the moves that they made, if the selection
    /// looks at them.
    pub(crate) fn update_amaf(
        &mut self,
        path: &[PathStep],
        rollout: &[(Player, Move)],
        sample: ValueAbs<N::Real>,
        weight: u32,
    ) {
        if !matches!(self.params.selection, Selection::Rave(_)) {
            return;
        }
        self.moves_made.begin();
        for &(player, mv) in rollout {
            self.moves_made.make(player.index(), mv.0);
        }
        for &PathStep { node, place } in path.iter().rev() {
            let node = *self.arena.node(node);
            let player = usize::from(node.sign < 0);
            self.moves_made.make(player, self.arena.priors(&node)[place].mv());
            let first = node.priors as usize;
            for at in first..first + usize::from(node.moves) {
                if self.moves_made.was_made(player, self.arena.priors[at].mv()) {
                    let side = &mut self.arena.side.moves[at];
                    side.amaf_visits += weight;
                    let count = N::Real::from_u32(side.amaf_visits);
                    let times = N::Real::from_u32(weight);
                    side.amaf += times * (sample.value - side.amaf) / count;
                }
            }
        }
    }
}
