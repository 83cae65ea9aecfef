//! Who plays a match.

use std::sync::Arc;

use dz_external_engines::EnginePool;
use dz_search::{Budget, MoveChoice, RootSetup, SearchParams, Selection, TieBreak};

/// A player of a match: a name and how it finds its moves.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerSetup {
    /// The name in records and ratings.
    pub name: String,
    /// How it plays.
    pub kind: PlayerKind,
}

/// How a player finds its moves.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a run has a handful of players")]
pub enum PlayerKind {
    /// Any legal move, each as likely.
    Random,
    /// A search.
    Search {
        /// Settings of the search.
        params: SearchParams,
        /// How its root differs.
        root: RootSetup,
        /// The move that it plays.
        choice: MoveChoice,
        /// Budget of a move.
        budget: Budget,
        /// Whether the search keeps what is reachable from move to move.
        reuse: bool,
        /// Index of its source of evaluations.
        source: usize,
    },
    /// Another program.
    External(Arc<EnginePool>),
}

/// How a player finds a move, whatever its budget.
#[derive(Clone, Copy, Debug)]
pub struct MoveSearch {
    /// Settings of the search.
    pub params: SearchParams,
    /// How its root differs.
    pub root: RootSetup,
    /// The move that it plays.
    pub choice: MoveChoice,
}

impl PlayerKind {
    /// How it finds a move, if it searches.
    pub fn move_search(&self) -> Option<MoveSearch> {
        match *self {
            Self::Search { params, root, choice, .. } => Some(MoveSearch { params, root, choice }),
            Self::Random | Self::External(_) => None,
        }
    }
}

impl PlayerSetup {
    /// Whether it is another program, which takes a processor of its own and bounded time.
    pub fn is_external(&self) -> bool {
        matches!(self.kind, PlayerKind::External(_))
    }
}

/// The rollout anchor: tree UCT with c = sqrt 2 on values in [-1, 1], one rollout a leaf, no reuse,
/// most visits (Kocsis and Szepesvari 2006). `source` must be a [`dz_infer::Rollout`].
pub fn rollout_anchor(name: &str, playouts: u32, source: usize) -> PlayerSetup {
    let params = SearchParams {
        graph: false,
        selection: Selection::Uct { c: std::f64::consts::SQRT_2 },
        tie_break: TieBreak::Random,
        ..SearchParams::default()
    };
    let kind = PlayerKind::Search {
        params,
        root: RootSetup::default(),
        choice: MoveChoice::MostVisits,
        budget: Budget::Playouts(playouts),
        reuse: false,
        source,
    };
    PlayerSetup { name: name.to_owned(), kind }
}
