//! Errors of rating differences, from a fit of the same rating games.

use std::collections::BTreeMap;

use dz_stats::{Elo, PairResult, RatingOptions, Ratings, Roster, rate};
use dz_store::MatchResult;

use crate::facts::PlayerFacts;

/// The joint covariance of all players.
///
/// The ledger keeps each player's own error against the anchor; two networks measured against the
/// same opponents share much of it, so their difference is known better than the two errors say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scale {
    roster: Roster,
    ratings: Option<Ratings>,
}

impl Scale {
    /// Fits all rating matches, given by the players' names and in the first one's view, as the
    /// gatekeeper does: with a first-mover term, repeated games left out.
    pub(crate) fn fit(matches: &BTreeMap<(String, String), MatchResult>) -> Self {
        let mut roster = Roster::default();
        let mut games = Vec::new();
        for ((a, b), result) in matches {
            let (a, b) = (roster.index(a), roster.index(b));
            for (first, second, counts) in [(a, b, result.by_first[0]), (b, a, result.by_first[1])]
            {
                let [wins_first, draws, wins_second] = counts;
                games.push(PairResult { first, second, wins_first, draws, wins_second });
            }
        }
        let ratings = rate(roster.len(), &games, &RatingOptions::default()).ok();
        Self { roster, ratings }
    }

    /// Half the width of the difference's 95 % interval; the two errors added as if they were
    /// independent, which is on the safe side, where the fit does not know both players.
    pub(crate) fn error95(&self, one: &PlayerFacts, other: &PlayerFacts) -> Elo {
        let place = |player: &PlayerFacts| self.roster.find(&player.name);
        match (&self.ratings, place(one), place(other)) {
            (Some(ratings), Some(one), Some(other)) => ratings.difference(one, other).error95,
            _ => Elo(one.error95.hypot(other.error95)),
        }
    }
}
