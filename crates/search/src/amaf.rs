//! All moves as first: what a playout says about moves that were made later in it.
//!
//! For each node on the path and each of its legal moves that the same player made at it or later,
//! in the search or in the rollout, the count grows and the average moves towards the playout's
//! value (Gelly and Silver 2007).

use dz_game::{Move, Player};

use crate::{
    Numbers, Search, Selection,
    arena::Absolute,
    domain::Domain,
    numbers::{Prior, Real},
    walk::PathStep,
};

/// Which moves were made by whom, by the stamp of the playout.
#[derive(Clone, Debug, Default)]
pub(crate) struct Amaf {
    made: Vec<[u32; 2]>,
    stamp: u32,
}

impl Amaf {
    fn begin(&mut self) {
        if self.stamp == u32::MAX {
            self.made.clear();
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    fn make(&mut self, player: usize, mv: u16) {
        let index = usize::from(mv);
        if index >= self.made.len() {
            self.made.resize(index + 1, [0; 2]);
        }
        self.made[index][player] = self.stamp;
    }

    fn was_made(&self, player: usize, mv: u16) -> bool {
        self.made.get(usize::from(mv)).is_some_and(|stamps| stamps[player] == self.stamp)
    }
}

impl<D: Domain, N: Numbers> Search<D, N> {
    /// Averages a playout into the moves that it made, if the selection looks at them.
    pub(crate) fn update_amaf(
        &mut self,
        path: &[PathStep],
        rollout: &[(Player, Move)],
        sample: Absolute<N::Real>,
    ) {
        if !matches!(self.params.selection, Selection::Rave(_)) {
            return;
        }
        self.amaf.begin();
        for &(player, mv) in rollout {
            self.amaf.make(player.index(), mv.0);
        }
        for &PathStep { node, place } in path.iter().rev() {
            let node = *self.arena.node(node);
            let player = usize::from(node.sign < 0);
            self.amaf.make(player, self.arena.priors(&node)[place].mv());
            let first = node.priors as usize;
            for at in first..first + usize::from(node.moves) {
                if self.amaf.was_made(player, self.arena.priors[at].mv()) {
                    let side = &mut self.arena.side.moves[at];
                    side.amaf_visits += 1;
                    let count = N::Real::count(side.amaf_visits);
                    side.amaf += (sample.value - side.amaf) / count;
                }
            }
        }
    }
}
