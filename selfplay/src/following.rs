//! Following the moves of an earlier game, whose positions are searched anew.

use std::sync::Arc;

use dz_game::Move;
use dz_shard::{GameRecord, PlyRecord, SearchKind};

/// A game that is followed while it is searched anew.
#[derive(Debug)]
pub(crate) struct Following {
    original: Arc<GameRecord>,
    /// Plies of it that were made.
    plies: usize,
}

impl Following {
    /// Before the first recorded ply.
    pub(crate) fn new(original: Arc<GameRecord>) -> Self {
        Self { original, plies: 0 }
    }

    /// The next ply, if it had no full search: it is not searched now either. What there is to
    /// learn of it is in the original, so it has no weight here; the value stays for those who
    /// average over plies.
    pub(crate) fn passed(&mut self) -> Option<PlyRecord> {
        let ply = self.original.plies.get(self.plies)?;
        if ply.kind == SearchKind::Full {
            return None;
        }
        self.plies += 1;
        Some(PlyRecord { network: 0, budget: 0, flags: 0, weight: 0.0, ..ply.clone() })
    }

    /// Makes the ply that was searched: its move, whatever the search found.
    pub(crate) fn follow(&mut self) -> Option<Move> {
        let ply = self.original.plies.get(self.plies)?;
        self.plies += 1;
        Some(ply.mv)
    }

    /// Whether there are no more plies.
    pub(crate) fn is_over(&self) -> bool {
        self.plies >= self.original.plies.len()
    }
}
