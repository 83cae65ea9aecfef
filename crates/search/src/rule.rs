//! Selection formulas that score a move without looking at the others.

use crate::{
    ExplorationTerm, GumbelInner, Puct, SearchParams, Selection,
    formula::{exploration_bonus, exploration_numerator, u_term, visits_term},
    node::{NodeId, ROOT},
    numbers::Real,
};

/// A formula that scores moves one by one.
#[derive(Clone, Copy)]
pub(crate) enum Rule<'a> {
    /// Q + c P sqrt(s + offset) / (1 + N(a)), or without the root.
    Puct { puct: &'a Puct, term: ExplorationTerm },
    /// Q + c sqrt(f ln s / N(a)) with `factor` f, or without the logarithm; unvisited moves come
    /// first.
    Bandit { c: f64, factor: f64, term: ExplorationTerm },
}

impl<'a> Rule<'a> {
    /// The formula of a node; none where the selection looks at all moves at once (`dense.rs`).
    pub(crate) fn of(params: &'a SearchParams, id: NodeId) -> Option<Self> {
        let term = params.exploration;
        let bandit = |c, factor| Self::Bandit { c, factor, term };
        match &params.selection {
            Selection::Puct(puct) => Some(Self::Puct { puct, term }),
            Selection::Ucb1 => Some(bandit(1.0, 2.0)),
            Selection::Uct { c } => Some(bandit(*c, 1.0)),
            Selection::Gumbel(gumbel) => match &gumbel.inner {
                GumbelInner::Puct(puct) if id != ROOT => Some(Self::Puct { puct, term }),
                _ => None,
            },
            Selection::Rave(_) | Selection::Regularized(_) => None,
        }
    }

    /// True if every move gets its first visit before any gets a second one.
    pub(crate) fn visits_all_first(self) -> bool {
        matches!(self, Self::Bandit { .. })
    }

    /// The terms for `sum` visits; `exploration` gives c(s).
    pub(crate) fn scorer<R: Real>(self, sum: R, exploration: impl FnOnce(&Puct) -> R) -> Scorer<R> {
        match self {
            Self::Puct { puct, term } => Scorer::Puct {
                c: exploration(puct),
                visits_term: visits_term(term, sum + R::from_f64(puct.offset)),
            },
            Self::Bandit { c, factor, term } => Scorer::Bandit {
                c: R::from_f64(c),
                numerator: R::from_f64(factor) * exploration_numerator(term, sum),
            },
        }
    }

    /// The terms of the same formula in 64 bits, multiplied in another order: both orders stay, so
    /// that searches keep their bits.
    pub(crate) fn wide_scorer(
        self,
        sum: f64,
        exploration: impl FnOnce(&Puct) -> f64,
    ) -> Scorer<f64> {
        match self {
            Self::Puct { puct, term } => Scorer::Puct {
                c: exploration(puct) * visits_term(term, sum + puct.offset),
                visits_term: 1.0,
            },
            Self::Bandit { c, factor, term } => {
                Scorer::Bandit { c: c * factor.sqrt(), numerator: exploration_numerator(term, sum) }
            }
        }
    }
}

/// A formula at one node, with the terms that all its moves share.
#[derive(Clone, Copy)]
pub(crate) enum Scorer<R> {
    /// q + c p v / (1 + n), where v is `visits_term`: the square root of the node's visits, or
    /// what the key `exploration` puts in its place.
    Puct { c: R, visits_term: R },
    /// q + c sqrt(numerator / n).
    Bandit { c: R, numerator: R },
}

impl<R: Real> Scorer<R> {
    /// The score of a move of value `q`.
    #[inline]
    pub(crate) fn score(self, q: R, prior: R, visits: R) -> R {
        match self {
            Self::Puct { c, visits_term } => q + u_term(c, visits_term, prior, visits),
            Self::Bandit { c, numerator } => q + exploration_bonus(c, numerator, visits),
        }
    }

    /// The score of an unvisited move of first-play value `q`.
    #[inline]
    pub(crate) fn score_unvisited(self, q: R, prior: R) -> R {
        match self {
            Self::Puct { .. } => self.score(q, prior, R::ZERO),
            Self::Bandit { .. } => q,
        }
    }
}
