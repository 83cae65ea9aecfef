//! Errors of rating differences, from a fit of the same rating games.

use std::collections::BTreeMap;

use dz_stats::{Elo, PairResult, Rating, RatingOptions, Ratings, Roster, rate};
use dz_store::{MatchResult, PlayerName, RatingRow};

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
    /// gatekeeper does ([`RatingOptions::of_run`]), repeated games left out.
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
        let lineage = roster.chain(|name| PlayerName::new(name).cycle());
        let ratings = rate(roster.len(), &games, &RatingOptions::of_run(None, lineage)).ok();
        Self { roster, ratings }
    }

    /// Ratings of the fit itself, for a ledger that has none: random play at 0, or else the mean.
    pub(crate) fn rows(&self) -> Vec<RatingRow> {
        let Some(ratings) = &self.ratings else { return Vec::new() };
        let zero = self.roster.find("random");
        let row = |(name, rating): (&String, &Rating)| {
            let (elo, error95) = match zero {
                Some(zero) => {
                    let difference = ratings.difference(rating.player, zero);
                    (difference.elo.0, difference.error95.0)
                }
                None => (rating.elo.0, rating.error95.0),
            };
            RatingRow {
                player: PlayerName::new(name.clone()),
                elo,
                error95,
                score: rating.record.score().0,
                games: rating.record.games(),
            }
        };
        self.roster.names().iter().zip(&ratings.players).map(row).collect()
    }

    /// Groups of players that no games connect, by name; one group where the games connect all.
    pub(crate) fn groups(&self) -> Vec<Vec<&str>> {
        let Some(ratings) = &self.ratings else { return Vec::new() };
        let mut groups: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for (name, &component) in self.roster.names().iter().zip(&ratings.components) {
            groups.entry(component).or_default().push(name);
        }
        groups.into_values().collect()
    }

    /// The score that the fit expects of `one` against `other` where it moves first, and where it moves
    /// second; `None` where the fit does not know both.
    pub(crate) fn expected(&self, one: &str, other: &str) -> Option<[f64; 2]> {
        let (one, other) = (self.roster.find(one)?, self.roster.find(other)?);
        Some(self.ratings.as_ref()?.expected(one, other))
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
