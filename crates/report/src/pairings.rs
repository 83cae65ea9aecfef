//! Games of every two players that ratings count, compared with what their ratings predict.

use std::collections::BTreeMap;

use dz_store::MatchResult;
use serde::Serialize;

use crate::scale::Scale;

/// The games of two players that ratings count, repeated ones left out, in the first one's view.
#[derive(Clone, Debug, Serialize)]
pub struct Pairing {
    /// The one player.
    pub a: String,
    /// The other player.
    pub b: String,
    /// Distinct games.
    pub games: u64,
    /// Games that A won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games that A lost.
    pub losses: u64,
    /// Games that repeat an earlier one of their match.
    pub duplicates: u64,
    /// A's mean score, 0 to 1.
    pub score: f64,
    /// The score that the ratings expect of A.
    pub expected: f64,
    /// `score - expected` in standard errors, which are those that the ratings predict. Beyond 3 in
    /// either direction one scale of strength does not describe how the two play each other.
    pub deviation: f64,
}

/// All pairings with distinct games, by name.
pub(crate) fn pairings(
    matches: &BTreeMap<(String, String), MatchResult>,
    scale: &Scale,
) -> Vec<Pairing> {
    let mut all = Vec::new();
    for ((a, b), result) in matches {
        let [by_a, by_b] = result.by_first;
        let firsts = by_a.iter().sum::<u64>();
        let seconds = by_b.iter().sum::<u64>();
        let games = firsts + seconds;
        let Some([first, second]) = scale.expected(a, b).filter(|_| games > 0) else { continue };
        let wins = by_a[0] + by_b[2];
        let losses = by_a[2] + by_b[0];
        let draws = by_a[1] + by_b[1];
        let score = (wins as f64 + 0.5 * draws as f64) / games as f64;
        let expected = (firsts as f64 * first + seconds as f64 * second) / games as f64;
        // A game's variance is at most that of a coin with this bias; draws make it smaller.
        let coin = firsts as f64 * first * (1.0 - first) + seconds as f64 * second * (1.0 - second);
        let variance = (coin - 0.25 * draws as f64).max(0.25 * coin) / (games * games) as f64;
        all.push(Pairing {
            a: a.clone(),
            b: b.clone(),
            games,
            wins,
            draws,
            losses,
            duplicates: result.duplicates,
            score,
            expected,
            // Half a game of slack, as with any count of whole games.
            deviation: (score - expected)
                / (variance + (0.25 / games as f64).powi(2)).sqrt().max(1e-9),
        });
    }
    all
}
