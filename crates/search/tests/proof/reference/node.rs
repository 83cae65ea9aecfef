//! What the reference keeps of a position: plain numbers and an edge for every legal move.

use dz_game::Key;
use dz_search::{Compact, Exact, Numbers, Real};

use super::bias::BucketName;
use super::score::Score;

/// Numbers whose priors can be rounded as the core stores them.
pub trait Rounds: Numbers {
    fn stored(prior: Self::Real) -> Self::Real;
}

impl Rounds for Exact {
    fn stored(prior: f64) -> f64 {
        prior
    }
}

impl Rounds for Compact {
    fn stored(prior: f32) -> f32 {
        (prior.clamp(0.0, 1.0) * 65535.0).round_ties_even() * (1.0 / 65535.0)
    }
}

/// A node's name: its key, or none for the root, which is a private copy.
pub type Name = Option<Key>;

/// Value and draw share, the first player's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<R> {
    pub value: R,
    pub draw: R,
}

impl<R: Real> Pair<R> {
    pub(super) fn plus(self, weight: R, other: Self) -> Self {
        Self { value: self.value + weight * other.value, draw: self.draw + weight * other.draw }
    }

    /// The average of `count` samples, the last `weight` of which are this one.
    pub(super) fn towards(self, sample: Self, weight: R, count: R) -> Self {
        Self {
            value: self.value + weight * (sample.value - self.value) / count,
            draw: self.draw + weight * (sample.draw - self.draw) / count,
        }
    }
}

/// A legal move.
#[derive(Clone, Debug)]
pub struct Edge<R> {
    pub mv: u16,
    pub prior: R,
    pub visits: u32,
    pub child: Option<Name>,
    /// `Q_e` of delta backup.
    pub average: R,
    pub(super) average_draw: R,
    pub(super) cycle_draws: u32,
    pub(super) amaf: R,
    pub(super) amaf_visits: u32,
    pub(super) heuristic: R,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Expanded,
    Unexpanded,
    Terminal,
}

#[derive(Clone, Debug)]
pub struct Node<R> {
    pub key: Key,
    pub kind: Kind,
    pub sign: R,
    pub own: Pair<R>,
    pub average: Pair<R>,
    pub visits: u32,
    pub own_visits: u32,
    pub square: R,
    pub lower: R,
    pub upper: R,
    /// By ascending move.
    pub edges: Vec<Edge<R>>,
    /// Places in `edges`: the visited ones in the order of their first visits, then the others.
    /// Sums of floats and draws among shares go in this order.
    pub row: Vec<usize>,
    pub visited: usize,
    pub(super) head_ready: bool,
    /// The epsilon trick: visits for which the choice holds, and the choice.
    pub(super) held: (u32, usize),
    pub(super) parents: Vec<Name>,
    /// Where its error counts, what it weighs, the weighted error, and what is taken off its value.
    pub bucket: Option<BucketName>,
    pub weight: R,
    pub error: R,
    pub correction: R,
    /// Points by its own evaluation or outcome, and the average with the children.
    pub own_score: Score<R>,
    pub score: Score<R>,
    /// What a visit that ended here counts, and a visit on average.
    pub own_weight: R,
    pub mean_weight: R,
}

/// (1 - share) v + share z.
pub(super) fn mix<R: Real>(network: Pair<R>, rollout: Pair<R>, share: f64) -> Pair<R> {
    zero().plus(R::ONE - R::from_f64(share), network).plus(R::from_f64(share), rollout)
}

pub(super) fn zero<R: Real>() -> Pair<R> {
    Pair { value: R::ZERO, draw: R::ZERO }
}

pub(super) fn blank<R: Real>(key: Key, kind: Kind, sign: R, own: Pair<R>) -> Node<R> {
    let is_over = kind == Kind::Terminal;
    Node {
        key,
        kind,
        sign,
        own,
        average: own,
        visits: 1,
        own_visits: 1,
        square: own.value * own.value,
        lower: if is_over { own.value } else { -R::ONE },
        upper: if is_over { own.value } else { R::ONE },
        edges: Vec::new(),
        row: Vec::new(),
        visited: 0,
        head_ready: false,
        held: (0, 0),
        parents: Vec::new(),
        bucket: None,
        weight: R::ZERO,
        error: R::ZERO,
        correction: R::ZERO,
        own_score: Score::default(),
        score: Score::default(),
        own_weight: R::ONE,
        mean_weight: R::ONE,
    }
}

pub(super) fn edge<R: Real>(mv: u16, prior: R, heuristic: R) -> Edge<R> {
    Edge {
        mv,
        prior,
        visits: 0,
        child: None,
        average: R::ZERO,
        average_draw: R::ZERO,
        cycle_draws: 0,
        amaf: R::ZERO,
        amaf_visits: 0,
        heuristic,
    }
}

pub(super) fn expand<R: Real>(node: &mut Node<R>, edges: Vec<Edge<R>>) {
    node.kind = Kind::Expanded;
    node.row = (0..edges.len()).collect();
    node.edges = edges;
}
