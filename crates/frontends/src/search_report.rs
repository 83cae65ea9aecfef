//! What a session reports about a search.

use dz_game::{Move, Wdl};
use dz_search::SearchCounts;

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Visits of the root, those kept from earlier searches included.
    pub visits: u32,
    /// Counters since the search began.
    pub counts: SearchCounts,
    /// Chances of the player to move ([`Summary::outlook`](dz_search::Summary::outlook)).
    pub wdl: Wdl,
    /// By how many points that player is expected to win, komi counted; `None` where that is
    /// unknown.
    pub lead: Option<f64>,
    /// The legal moves, the one to play first, then by visits and priors.
    pub moves: Vec<MoveReport>,
}

/// What a search found of a move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// Visits.
    pub visits: u32,
    /// Its prior.
    pub prior: f64,
    /// Chances of the player who plays it; `None` without visits.
    pub wdl: Option<Wdl>,
    /// That player's expected lead in points; `None` without visits and where it is unknown.
    pub lead: Option<f64>,
    /// The move and what is expected to follow.
    pub line: Vec<Move>,
}
