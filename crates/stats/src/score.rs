//! One match: its score, its Elo, and how sure both are.

use crate::elo::{Elo, Score};
use crate::normal::normal_cdf;
use crate::share::wilson_bounds;

/// Games of one player: won, drawn, lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

/// Pairs of games over one opening with colours swapped, counted by the points that the pair
/// brought: index k counts pairs worth k half points, 0 (both lost) to 4 (both won).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

/// A score with its 95 % interval; `lo95 <= score <= hi95`, all in [0, 1].
///
/// The method is Wilson's interval with an effective number of games: the interval holds every mean
/// m with |score - m| <= z sqrt(r m (1 - m) / n), where r = variance / (mean (1 - mean)) is how
/// much less (draws) or more (pairs that share an opening) the results scatter than coin tosses do.
/// r is taken from the counts with half an observation added to each kind of result (Jeffreys'
/// prior), so it exists when all results are equal. With wins and losses alone this is close to
/// Wilson (1927) itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreInterval {
    /// Games behind the score.
    pub games: u64,
    /// The average score; 1/2 where there are no games.
    pub score: Score,
    /// Lower end.
    pub lo95: Score,
    /// Upper end.
    pub hi95: Score,
}

impl ScoreInterval {
    /// The Elo difference of the score; `None` where no game or every game was won: the games bound
    /// it on one side only.
    pub fn elo(&self) -> Option<Elo> {
        Elo::from_score(self.score)
    }
    /// The lower end in Elo; `None` means unbounded below.
    pub fn elo_lo95(&self) -> Option<Elo> {
        Elo::from_score(self.lo95)
    }
    /// The upper end in Elo; `None` means unbounded above.
    pub fn elo_hi95(&self) -> Option<Elo> {
        Elo::from_score(self.hi95)
    }

    /// The same score with an interval of only `distinct` of the games: repeated games are no new
    /// evidence.
    #[must_use]
    pub fn of_distinct(self, distinct: u64) -> Self {
        let wider = (self.games.max(1) as f64 / distinct.max(1) as f64).sqrt();
        let Score(score) = self.score;
        let lo95 = (score - wider * (score - self.lo95.0)).max(0.0);
        let hi95 = (score + wider * (self.hi95.0 - score)).min(1.0);
        Self { lo95: Score(lo95), hi95: Score(hi95), ..self }
    }
}

impl Record {
    /// All games.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }
    /// The average score, 1/2 without games.
    pub fn score(self) -> Score {
        Score(moments(&[self.losses as f64, self.draws as f64, self.wins as f64]).mean)
    }
    /// The same games seen by the opponent.
    #[must_use]
    pub fn flip(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }
    /// Score and interval, games taken as independent (trinomial).
    pub fn interval(self) -> ScoreInterval {
        interval([self.losses, self.draws, self.wins], self.games())
    }
    /// [`los`] of these games.
    pub fn los(self) -> f64 {
        los(self.wins, self.losses)
    }
}

impl Pentanomial {
    /// All pairs.
    pub fn pairs(self) -> u64 {
        self.0.iter().sum()
    }
    /// Adds a pair worth `half_points`, 0 to 4; more counts as 4.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points.min(4)] += 1;
    }
    /// Score and interval, *pairs* taken as independent (pentanomial): the two games of a pair
    /// share their opening, and a lopsided opening must not count as evidence.
    pub fn interval(self) -> ScoreInterval {
        interval(self.0, 2 * self.pairs())
    }
    /// Probability that the expected score is above 1/2, by the normal approximation to the mean of
    /// the pairs. 1/2 without pairs.
    pub fn los(self) -> f64 {
        let pairs = self.pairs() as f64;
        if pairs == 0.0 {
            return 0.5;
        }
        let mean = moments(&self.0.map(|count| count as f64)).mean;
        let variance = moments(&self.0.map(|count| count as f64 + 0.5)).variance;
        normal_cdf((mean - 0.5) / (variance / pairs).sqrt())
    }
}

/// Likelihood of superiority: the probability that a player who won and lost this many games is the
/// stronger one. Draws say nothing about it.
///
/// Exact under a uniform prior on the share of wins among decided games: the mass above 1/2 of
/// Beta(wins + 1, losses + 1), which is the chance of at most `wins` heads in n = wins + losses + 1
/// tosses. The usual Phi((w - l) / sqrt(w + l)) (Chess Programming Wiki, *Match Statistics*)
/// approximates it.
pub fn los(wins: u64, losses: u64) -> f64 {
    if wins > losses {
        return 1.0 - los(losses, wins);
    }
    let tosses = (wins + losses + 1) as f64;
    // ln C(tosses, wins) - tosses ln 2, then downwards, where terms only shrink.
    let ln_choose: f64 = (0..wins).map(|k| ((tosses - k as f64) / (k + 1) as f64).ln()).sum();
    let mut term = (ln_choose - tosses * std::f64::consts::LN_2).exp();
    let mut sum = 0.0;
    for heads in (0..=wins).rev() {
        sum += term;
        term *= heads as f64 / (tosses - heads as f64 + 1.0);
        if term < sum * f64::EPSILON * 1e-3 {
            break;
        }
    }
    sum
}

/// Mean and variance of one observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// The mean, 0 to 1.
    pub mean: f64,
    /// The variance; 0 without weight.
    pub variance: f64,
}

/// Of results 0, 1/(K-1), ..., 1 with these weights; a mean of 1/2 without weight.
pub fn moments(weights: &[f64]) -> Moments {
    let total: f64 = weights.iter().sum();
    if total == 0.0 {
        return Moments { mean: 0.5, variance: 0.0 };
    }
    let steps = (weights.len() - 1) as f64;
    let value = |k: usize| k as f64 / steps;
    let mean = weights.iter().enumerate().map(|(k, w)| w * value(k)).sum::<f64>() / total;
    let variance =
        weights.iter().enumerate().map(|(k, w)| w * (value(k) - mean).powi(2)).sum::<f64>() / total;
    Moments { mean, variance }
}

/// The interval that [`ScoreInterval`] describes, from observations of K kinds.
fn interval<const K: usize>(counts: [u64; K], games: u64) -> ScoreInterval {
    let observations = counts.iter().sum::<u64>() as f64;
    if observations == 0.0 {
        return ScoreInterval { games, score: Score::EVEN, lo95: Score(0.0), hi95: Score(1.0) };
    }
    let score = moments(&counts.map(|count| count as f64)).mean;
    let smoothed = moments(&counts.map(|count| count as f64 + 0.5));
    let dispersion = smoothed.variance / (smoothed.mean * (1.0 - smoothed.mean));
    let (lo95, hi95) = wilson_bounds(score, observations / dispersion);
    ScoreInterval { games, score: Score(score), lo95: Score(lo95), hi95: Score(hi95) }
}
