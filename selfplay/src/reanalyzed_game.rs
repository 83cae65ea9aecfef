//! One game that is reanalyzed: the moves of an earlier game, with new searches.

use std::sync::Arc;

use dz_game::Move;
use dz_shard::{GameRecord, PlyRecord, SearchKind};

/// A game that is being reanalyzed.
#[derive(Debug)]
pub(crate) struct ReanalyzedGame {
    original: Arc<GameRecord>,
    /// Plies of it that were made.
    plies: usize,
}

impl ReanalyzedGame {
    /// Before the first recorded ply.
    pub(crate) fn new(original: Arc<GameRecord>) -> Self {
        Self { original, plies: 0 }
    }

    /// Makes the next ply if it had no full search: it is not searched now either. What there is to
    /// learn of it is in the original, so it has no weight here. The value stays, for averages over
    /// plies.
    pub(crate) fn make_unsearched(&mut self) -> Option<PlyRecord> {
        let ply = self.original.plies.get(self.plies)?;
        if ply.kind == SearchKind::Full {
            return None;
        }
        self.plies += 1;
        Some(PlyRecord { network: 0, budget: 0, flags: 0, weight: 0.0, ..ply.clone() })
    }

    /// Makes the ply that was searched: the original's move, whatever the search found.
    pub(crate) fn make_searched(&mut self) -> Option<Move> {
        let ply = self.original.plies.get(self.plies)?;
        self.plies += 1;
        Some(ply.mv)
    }

    /// Whether there are no more plies.
    pub(crate) fn is_over(&self) -> bool {
        self.plies >= self.original.plies.len()
    }
}
