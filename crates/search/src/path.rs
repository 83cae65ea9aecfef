//! A walk from the root: its path, and how it ends.

use dz_game::{Key, Move, Player, hash_unit, mix64};

use crate::{
    domain::Domain,
    leaf::{Asks, LeafId, Wants},
    node::NodeId,
    numbers::Numbers,
    trace::TracedStep,
    value::ValueAbs,
};

/// A walk: where it stands and how it came there.
#[derive(Clone, Debug)]
pub(crate) struct Walk<D: Domain, N: Numbers> {
    pub state: D::State,
    pub history: D::History,
    /// Moves made since the root.
    pub moves: u32,
    /// `Search::roots` when it began. While that stands, `history` goes on from the root's.
    pub root: u64,
    pub path: Vec<PathStep>,
    /// The bucket of the node that the last step led to, if it is new and its value is to be
    /// corrected.
    pub bucket: Option<Key>,
    /// A random word of this walk alone.
    pub random: u64,
    pub awaited: Awaited,
    /// 1 if the first player moves at the leaf, -1 if the second does.
    pub sign: i8,
    pub wants: Wants,
    /// What the network is asked for.
    pub asks: Asks,
    /// Its visits are counted already, though its network's answer has not come.
    pub is_counted: bool,
    pub legal: Vec<Move>,
    pub network: Option<(ValueAbs<N::Real>, bool)>,
    /// The margin that the network expects, the mover's.
    pub margin: Option<N::Real>,
    /// The error that the network expects of its value.
    pub error: Option<N::Real>,
    /// The mean outcome of its rollouts, once all have come.
    pub rollout: Option<ValueAbs<N::Real>>,
    pub priors: Vec<N::Real>,
    pub heuristics: Vec<N::Real>,
    /// The rollouts that have come.
    pub rollouts: Vec<Played<N::Real>>,
    /// The moves of all of them, one rollout after another.
    pub rollout_moves: Vec<(Player, Move)>,
    /// Choices on the way, if they are traced.
    pub trace: Vec<TracedStep>,
}

impl<D: Domain, N: Numbers> Walk<D, N> {
    /// A random word of this walk, its depth and `salt` alone.
    pub(crate) fn word(&self, salt: u64) -> u64 {
        mix64(self.random ^ mix64(salt ^ (self.path.len() as u64) << 20))
    }

    /// A number in [0, 1) of this walk, its depth and `salt` alone.
    pub(crate) fn share(&self, salt: u64) -> f64 {
        hash_unit(self.word(salt))
    }
}

/// A rollout that was played from a leaf.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Played<R> {
    pub outcome: ValueAbs<R>,
    /// Where its moves end among those of all rollouts of the leaf.
    pub moves_end: usize,
}

/// What a walk waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// The root, which is in no table.
    Root,
    /// A node that is not there yet.
    New(Key),
    /// A node that has only rollouts so far.
    Known(NodeId),
}

/// One step of a playout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathStep {
    pub node: NodeId,
    /// Place of the edge taken from `node`.
    pub place: usize,
}

/// How a walk from the root ended.
pub(crate) enum End {
    /// At a position that must be evaluated.
    Leaf(LeafId),
    /// It is counted already.
    Counted,
    /// At a position that already waits for an evaluation; nothing was changed.
    Collision,
    /// At a position that already waits for an evaluation; the walk's virtual visits stay until it
    /// has come.
    Blocked,
}
