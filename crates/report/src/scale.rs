//! The fit of all games that ratings count: ratings, and errors of their differences.

use std::collections::BTreeMap;

use dz_stats::{ELO_PER_NAT, Elo, League, Standings, Z95};
use dz_store::{MatchResult, PlayerName, RatingRow};

use crate::curve::CurvePoint;
use crate::facts::PlayerFacts;

/// The joint covariance of all players.
///
/// The ledger keeps each player's error against the anchor. Two networks that were measured against
/// the same opponents share much of this error, so their difference has a smaller one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scale(Option<Standings>);

/// Points that make a curve. The places of two points say no more than their difference.
const POINTS_MIN: usize = 3;

impl Scale {
    /// Fits all matches that ratings count, given by the players' names and in the first one's
    /// view, as the gatekeeper does, repeated games left out. `zero` is at 0 Elo, or the mean
    /// without one.
    pub(crate) fn fit(
        matches: &BTreeMap<(String, String), MatchResult>,
        zero: Option<&str>,
    ) -> Self {
        let mut league = League::default();
        for ((a, b), result) in matches {
            league.add(a, b, result.by_first);
        }
        Self(league.fit(zero, |name| PlayerName::new(name).line()).ok())
    }

    /// The ratings of all players. The newest entry of the ledger counts only for players that the
    /// fit does not know, because that entry names the players of the newest cycles alone, and an
    /// older version of the program may have rated them with another model.
    pub(crate) fn rows(&self, of_ledger: Vec<RatingRow>) -> Vec<RatingRow> {
        let Some(fit) = &self.0 else { return of_ledger };
        // Each entry of the ledger has the scale of the anchor that was the best connected then.
        let zero = of_ledger.iter().find(|row| row.error95 == 0.0);
        let moved = zero.and_then(|row| fit.elo(row.player.as_str())).map_or(0.0, |elo| elo.0);
        let fitted = fit.players().map(|(name, rating)| RatingRow {
            player: PlayerName::new(name),
            elo: rating.elo.0,
            error95: rating.error95.0,
            score: rating.record.score().0,
            games: rating.record.games(),
        });
        let is_unknown = |row: &RatingRow| fit.find(row.player.as_str()).is_none();
        let unknown = of_ledger.into_iter().filter(is_unknown);
        fitted.chain(unknown.map(|row| RatingRow { elo: row.elo + moved, ..row })).collect()
    }

    /// Value of the first move in Elo, and the share of draws between equals; `None` without a fit.
    pub(crate) fn terms(&self) -> Option<(f64, f64)> {
        let ratings = self.0.as_ref()?.ratings();
        Some((ratings.first_mover.0, ratings.draw_rate))
    }

    /// Groups of players that no games connect, by name; one group where the games connect all.
    pub(crate) fn groups(&self) -> Vec<Vec<&str>> {
        let Some(fit) = &self.0 else { return Vec::new() };
        let mut groups: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for ((name, _), &component) in fit.players().zip(&fit.ratings().components) {
            groups.entry(component).or_default().push(name);
        }
        groups.into_values().collect()
    }

    /// The score that the fit expects of `one` against `other` where it moves first, and where it
    /// moves second; `None` where the fit does not know both.
    pub(crate) fn expected(&self, one: &str, other: &str) -> Option<[f64; 2]> {
        self.0.as_ref()?.expected(one, other)
    }

    /// Sets the error of each point's place within a curve. Returns half the width of the 95 %
    /// interval of the curve's mean. `None`, without a change, if the fit does not know all players
    /// of the curve or they are too few.
    pub(crate) fn place_within(&self, curve: &mut [CurvePoint]) -> Option<f64> {
        if curve.len() < POINTS_MIN {
            return None;
        }
        let names: Vec<_> = curve.iter().map(|point| PlayerName::network(point.cycle)).collect();
        let (errors, shared) = self.0.as_ref()?.within(names.iter().map(PlayerName::as_str))?;
        for (point, error) in curve.iter_mut().zip(errors) {
            point.error95_within = error.0;
        }
        Some(shared.0)
    }

    /// Half the width of the 95 % interval of `one` minus `other`, from the scatter of pairs of
    /// games around their expected scores. This is the sandwich estimator (P. Huber, Proc. 5th
    /// Berkeley Symp. 1, 1967). With many pairs a bootstrap over pairs gives the same. `None` if
    /// the fit does not know both.
    pub(crate) fn error95_of_pairs(
        &self,
        matches: &BTreeMap<(String, String), MatchResult>,
        one: &str,
        other: &str,
    ) -> Option<f64> {
        let fit = self.0.as_ref()?;
        let ratings = fit.ratings();
        let one = fit.find(one)?;
        let other = fit.find(other)?;
        let mut variance = 0.0;
        for ((a, b), result) in matches {
            let (Some(a), Some(b)) = (fit.find(a), fit.find(b)) else { continue };
            let c = |i, j| ratings.covariance(i, j);
            let pull = (c(one, a) - c(one, b) - c(other, a) + c(other, b)) / ELO_PER_NAT;
            let [first, second] = ratings.expected(a, b);
            let games = result.by_first.as_flattened().iter().sum::<u64>() as f64;
            let pairs = result.pairs.iter().sum::<u64>() as f64;
            // Repeated games are among the pairs but not in the fit.
            let counted = games / (2.0 * pairs).max(1.0);
            let squares = result.pairs.iter().enumerate().map(|(half_points, &count)| {
                let off = 0.5 * half_points as f64 - (first + second);
                count as f64 * off * off
            });
            variance += counted * squares.sum::<f64>() * pull * pull;
        }
        Some(Z95 * variance.sqrt())
    }

    /// Half the width of the difference's 95 % interval. If the fit does not know both players,
    /// their errors are added as if they were independent, which is on the safe side.
    pub(crate) fn error95(&self, one: &PlayerFacts, other: &PlayerFacts) -> Elo {
        let known = self.0.as_ref().and_then(|fit| fit.difference(&one.name, &other.name));
        known.map_or(Elo(one.error95.hypot(other.error95)), |difference| difference.error95)
    }
}
