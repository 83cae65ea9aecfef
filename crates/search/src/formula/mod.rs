//! The formulas of search as plain mathematics: `f64`, slices, no arena and no search.
//!
//! Letters, the same in every file: `s` is a node's sum of edge visits, `n` a move's edge visits,
//! `p` its prior, `q` its value. Values are the mover's (the player to move at the node), in [-1,
//! 1]: 1 is a win. What a formula fills is a caller's `Vec`, cleared first, so that nothing is
//! allocated once its capacity is there.

pub mod bandit;
pub mod dirichlet;
pub mod gumbel;
pub mod lcb;
pub mod puct;
pub mod regularized;
pub mod resign;
pub mod score;
pub mod target;
pub mod uncertainty;

pub use bandit::*;
pub use dirichlet::*;
pub use gumbel::*;
pub use lcb::*;
pub use puct::*;
pub use regularized::*;
pub use resign::*;
pub use score::*;
pub use target::*;
pub use uncertainty::*;

/// A move of a node, as formulas see it. A node's moves come as a slice in any order; indices in
/// results are places in it, and of equals the first wins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Child {
    /// The prior, in [0, 1]; a node's priors sum to 1, or to nearly 1 where a formula says that it
    /// normalises them.
    pub prior: f64,
    /// Edge visits, at least 0; whole except where equivalent visits or weights are counted in.
    pub visits: f64,
    /// The mover's value in [-1, 1]; none while there is no visit.
    pub q: Option<f64>,
}

/// The sum of edge visits, s.
pub fn visits_sum(children: &[Child]) -> f64 {
    children.iter().map(|child| child.visits).sum()
}

/// The sum of the priors of moves that have visits: "visited policy mass", in [0, 1].
pub fn visited_mass(children: &[Child]) -> f64 {
    children.iter().filter(|child| child.visits > 0.0).map(|child| child.prior).sum()
}

/// The place of the largest score, the first of equals; none without scores. A score that is not a
/// number never wins.
pub fn argmax(scores: impl IntoIterator<Item = f64>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (place, score) in scores.into_iter().enumerate() {
        if !score.is_nan() && best.is_none_or(|(_, most)| score > most) {
            best = Some((place, score));
        }
    }
    best.map(|(place, _)| place)
}

/// Divides by the sum, so that the shares sum to 1; a sum of 0 gives equal shares.
pub fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    let equal = 1.0 / weights.len() as f64;
    for weight in weights {
        *weight = if sum > 0.0 { *weight / sum } else { equal };
    }
}
