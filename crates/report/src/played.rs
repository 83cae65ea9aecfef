//! What each player has played, summed up over the games that ratings count.

use std::collections::BTreeMap;

use dz_stats::{ELO_PER_DEVIATION, Moments, Record as Wdl, Z95, moments};
use dz_store::{MatchResult, PlayerName, RatingRow};

use crate::facts::{CycleFacts, Played, PlayerFacts};

/// Matches that ratings count, added up by the two names in order, in the first one's view.
pub(crate) type Matches = BTreeMap<(String, String), MatchResult>;

impl Played {
    /// Wins, draws and losses, repeated games left out.
    pub(crate) fn record(&self) -> Wdl {
        Wdl { wins: self.wins, draws: self.draws, losses: self.losses }
    }
}

/// Everybody who has a rating, strongest first.
pub(crate) fn players(
    rows: &[RatingRow],
    cycles: &[CycleFacts],
    matches: &Matches,
) -> Vec<PlayerFacts> {
    let elo: BTreeMap<&str, f64> = rows.iter().map(|row| (row.player.as_str(), row.elo)).collect();
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for ((a, b), result) in matches {
        let a = a.as_str();
        let b = b.as_str();
        sums.entry(a).or_default().add(result, elo.get(b).copied());
        sums.entry(b).or_default().add(&flipped(result), elo.get(a).copied());
    }
    let trained_by: BTreeMap<PlayerName, &CycleFacts> =
        cycles.iter().map(|facts| (PlayerName::network(facts.cycle), facts)).collect();
    let player = |row: &RatingRow| {
        let facts = trained_by.get(&row.player);
        let policy_cycle = row.player.policy_cycle();
        let network = policy_cycle.map_or(row.player.clone(), PlayerName::network);
        PlayerFacts {
            generation: facts.and_then(|facts| facts.promoted),
            cycle: facts.map(|facts| facts.cycle),
            policy_cycle,
            step: trained_by.get(&network).and_then(|facts| facts.step),
            name: row.player.to_string(),
            elo: row.elo,
            error95: row.error95,
            error95_pairs: None,
            score: row.score,
            games: row.games,
            played: sums.get(row.player.as_str()).map(Sum::finish).unwrap_or_default(),
            behind: None,
            behind_error95: None,
            behind_los: None,
        }
    };
    let mut players: Vec<PlayerFacts> = rows.iter().map(player).collect();
    players.sort_by(|a, b| b.elo.total_cmp(&a.elo).then_with(|| a.name.cmp(&b.name)));
    players
}

#[derive(Default)]
struct Sum {
    result: MatchResult,
    /// Games against rated opponents, and the sum of these opponents' Elo.
    met: f64,
    elo: f64,
}

impl Sum {
    fn add(&mut self, result: &MatchResult, opponent: Option<f64>) {
        add_counts(&mut self.result, result);
        if let Some(elo) = opponent {
            self.met += result.games as f64;
            self.elo += result.games as f64 * elo;
        }
    }

    fn finish(&self) -> Played {
        let result = &self.result;
        let [first, theirs] = result.by_first;
        // The second row counts the opponent's wins first, because it moves first there.
        let second = [theirs[2], theirs[1], theirs[0]];
        let both = |place: usize| first[place] + second[place];
        let counts = Wdl { wins: both(0), draws: both(1), losses: both(2) };
        let pairs = result.pairs.iter().sum::<u64>() as f64;
        let Moments { mean, variance: of_pair } = moments(&result.pairs.map(|n| n as f64));
        let games = [counts.losses, counts.draws, counts.wins].map(|n| n as f64);
        let of_game = moments(&games).variance;
        let deviation = (2.0 * of_pair).sqrt();
        let known = pairs >= 2.0 && of_pair > 0.0;
        Played {
            wins: counts.wins,
            draws: counts.draws,
            losses: counts.losses,
            by_first: [first, second],
            pairs: result.pairs,
            duplicates: result.duplicates,
            effective_games: if of_pair > 0.0 {
                counts.games() as f64 * of_game / (2.0 * of_pair)
            } else {
                counts.games() as f64
            },
            normalised_elo: known.then(|| (mean - 0.5) / deviation * ELO_PER_DEVIATION),
            normalised_error95: known.then(|| {
                Z95 * ELO_PER_DEVIATION / (2.0 * pairs).sqrt() * far_from_even(&result.pairs)
            }),
            opponents_elo: (self.met > 0.0).then(|| self.elo / self.met),
            plies_mean: (result.plies > 0).then(|| result.plies as f64 / result.games as f64),
            adjudicated: result.adjudicated,
            forfeits: result.forfeits,
        }
    }
}

/// The factor by which the standard error of mean / standard deviation exceeds 1 / sqrt(n), its
/// value where the mean is 0. The delta method gives sqrt(1 - t g + t^2 (k - 1) / 4) for a mean of
/// t deviations, skewness g and kurtosis k of the samples.
fn far_from_even(pairs: &[u64; 5]) -> f64 {
    let counts = pairs.map(|n| n as f64);
    let Moments { mean, variance } = moments(&counts);
    let all: f64 = counts.iter().sum();
    let standard = |place: usize| (place as f64 / 4.0 - mean) / variance.sqrt();
    let moment = |power: i32| {
        counts.iter().enumerate().map(|(at, n)| n * standard(at).powi(power)).sum::<f64>() / all
    };
    let t = (mean - 0.5) / variance.sqrt();
    (1.0 - t * moment(3) + t * t * (moment(4) - 1.0) / 4.0).max(0.0).sqrt()
}

/// The same match in the other player's view.
pub(crate) fn flipped(result: &MatchResult) -> MatchResult {
    let mut pairs = result.pairs;
    pairs.reverse();
    let [by_a, by_b] = result.by_first;
    MatchResult {
        wins: result.losses,
        losses: result.wins,
        pairs,
        by_first: [by_b, by_a],
        ..result.clone()
    }
}

pub(crate) fn add_counts(sum: &mut MatchResult, more: &MatchResult) {
    sum.games += more.games;
    sum.wins += more.wins;
    sum.draws += more.draws;
    sum.losses += more.losses;
    sum.duplicates += more.duplicates;
    sum.plies += more.plies;
    sum.adjudicated += more.adjudicated;
    sum.forfeits += more.forfeits;
    for (pairs, more) in sum.pairs.iter_mut().zip(more.pairs) {
        *pairs += more;
    }
    let counts = sum.by_first.as_flattened_mut().iter_mut();
    for (count, more) in counts.zip(more.by_first.as_flattened()) {
        *count += more;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_give_more_information_than_their_games_where_openings_decide() {
        // Whoever moves first wins, but for one pair.
        let result = MatchResult {
            games: 40,
            wins: 21,
            losses: 19,
            pairs: [0, 0, 19, 0, 1],
            by_first: [[20, 0, 0], [19, 0, 1]],
            plies: 400,
            ..MatchResult::default()
        };
        let mut sum = Sum::default();
        sum.add(&result, Some(100.0));
        let played = sum.finish();
        assert_eq!(played.by_first, [[20, 0, 0], [1, 0, 19]]);
        assert_eq!((played.wins, played.losses), (21, 19));
        assert!(played.effective_games > 150.0, "{played:?}");
        assert!(played.normalised_elo.unwrap() > 0.0);
        assert_eq!((played.opponents_elo, played.plies_mean), (Some(100.0), Some(10.0)));
        let mut other = Sum::default();
        other.add(&flipped(&result), None);
        let other = other.finish();
        assert_eq!(other.normalised_elo, played.normalised_elo.map(|elo| -elo));
        assert_eq!(other.opponents_elo, None);
    }

    /// A player who wins nearly always is so many deviations away that a few hundred games cannot
    /// show how many.
    #[test]
    fn far_from_even_the_error_of_normalised_elo_grows() {
        // 100 pairs of games won with probability 0.95, as often as they come on average.
        let pairs = [0, 0, 10, 0, 90];
        let factor = far_from_even(&pairs);
        // Mean 0.95, deviation 0.15, so t = 3; skewness -8 / 3, kurtosis 73 / 9: the root of 1 +
        // 8 + 16.
        assert!((factor - 5.0).abs() < 1e-9, "{factor}");
        assert!((far_from_even(&[4, 0, 8, 0, 4]) - 1.0).abs() < 1e-12);
        assert!(
            (far_from_even(&[90, 0, 10, 0, 0]) - factor).abs() < 1e-9,
            "the same for the loser"
        );
    }

    /// Independent games are worth what they are.
    #[test]
    fn independent_games_count_once() {
        let result = MatchResult {
            games: 32,
            wins: 16,
            losses: 16,
            pairs: [4, 0, 8, 0, 4],
            by_first: [[8, 0, 8], [8, 0, 8]],
            ..MatchResult::default()
        };
        let mut sum = Sum::default();
        sum.add(&result, None);
        let played = sum.finish();
        assert!((played.effective_games - 32.0).abs() < 1e-9, "{played:?}");
        assert_eq!(played.normalised_elo, Some(0.0));
        assert_eq!(played.plies_mean, None);
    }
}
