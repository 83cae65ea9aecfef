//! A sequential test between two normalised Elo differences, fed with pairs of games.
//!
//! Sources: A. Wald, *Sequential Tests of Statistical Hypotheses* (1945) for the bounds;
//! M. Van den Bergh, *Comments on normalized Elo* and *The generalized maximum likelihood ratio for
//! the expectation value of a distribution* (<https://www.cantate.be/Fishtest/>) for the statistic;
//! fishtest's `server/fishtest/stats` for the estimate at the end.

mod likelihood;
mod walk;

use crate::error::StatsError;
use crate::score::Pentanomial;
use likelihood::log_likelihood_ratio;
use walk::Walk;

/// Normalised Elo in one standard deviation of a game's score: 800 / ln 10.
///
/// Normalised Elo is this times (mean score - 1/2) / standard deviation, so that a difference costs
/// the same number of games to prove whatever the share of draws. Between equals who never draw, it
/// is Elo.
pub const ELO_PER_DEVIATION: f64 = 800.0 / std::f64::consts::LN_10;

/// The hypotheses of a test, and its error probabilities.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtPlan {
    elo: [f64; 2],
    bounds: [f64; 2],
    pairs_max: u64,
}

impl SprtPlan {
    /// A test of "no better than `elo0`" against "at least `elo1`", both in normalised Elo, that
    /// accepts with at most probability `alpha` if the first is true and refuses with at most
    /// probability `beta` if the second is; it ends undecided after `pairs_max` pairs.
    ///
    /// # Errors
    /// If `elo0` is not below `elo1`, or `alpha` and `beta` are not above 0 with a sum below 1.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        pairs_max: u64,
    ) -> Result<Self, StatsError> {
        let elos_fit = elo0 < elo1 && elo0.is_finite() && elo1.is_finite();
        if !(elos_fit && alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(StatsError::BadSprt { elo0, elo1, alpha, beta });
        }
        let bounds = [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()];
        Ok(Self { elo: [elo0, elo1], bounds, pairs_max })
    }

    /// The log-likelihood ratios at which the test refuses and accepts: ln(beta / (1 - alpha)) and
    /// ln((1 - beta) / alpha).
    pub fn bounds(&self) -> [f64; 2] {
        self.bounds
    }

    /// The log-likelihood ratio of `elo1` against `elo0` after these pairs, of whatever order.
    pub fn llr(&self, pairs: Pentanomial) -> f64 {
        // A pair's score is the mean of two games, with half the variance of one.
        let t = self.elo.map(|elo| elo / ELO_PER_DEVIATION * std::f64::consts::SQRT_2);
        log_likelihood_ratio(pairs.0, t)
    }

    /// Whether a test with these pairs, that was not over before the last of them, is over.
    pub fn stop(&self, pairs: Pentanomial) -> Option<SprtStop> {
        self.stop_at(pairs, self.llr(pairs))
    }

    fn stop_at(&self, pairs: Pentanomial, llr: f64) -> Option<SprtStop> {
        let [lower, upper] = self.bounds;
        if llr >= upper {
            Some(SprtStop::Accepted)
        } else if llr <= lower {
            Some(SprtStop::Refused)
        } else if pairs.pairs() >= self.pairs_max {
            Some(SprtStop::Exhausted)
        } else {
            (!self.in_reach(pairs)).then_some(SprtStop::OutOfReach)
        }
    }

    /// The difference with its 95 % interval after a test that ended with these pairs, taking into
    /// account that the test chose when to stop; `None` without pairs.
    ///
    /// The log-likelihood ratio is taken for a Brownian motion, as fishtest does: good for
    /// differences of the size of `elo1 - elo0`, rough far beyond, where tests end after few pairs.
    pub fn estimate(&self, pairs: Pentanomial) -> Option<SprtEstimate> {
        if pairs.pairs() == 0 {
            return None;
        }
        let last = self.llr(pairs);
        let [lower, upper] = self.bounds;
        let games = 2.0 * pairs.pairs() as f64;
        // A bound was met a little before the pair that went past it.
        let place = last.clamp(lower, upper);
        let games = if place == last { games } else { games * place / last };
        let [t0, t1] = self.elo.map(|elo| elo / ELO_PER_DEVIATION);
        let worse = |t: f64| {
            let drift = (t - 0.5 * (t0 + t1)) * (t1 - t0);
            let variance = (t1 - t0).powi(2);
            Walk { lower, upper, drift, variance }.worse(games, place)
        };
        // The probability of a worse outcome falls with the true difference.
        let where_it_is = |p: f64| {
            let mut lo = -T_MAX;
            let mut hi = T_MAX;
            for _ in 0..60 {
                let middle = 0.5 * (lo + hi);
                if worse(middle) > p {
                    lo = middle;
                } else {
                    hi = middle;
                }
            }
            0.5 * (lo + hi) * ELO_PER_DEVIATION
        };
        let elo = where_it_is(0.5);
        let lo95 = where_it_is(0.975);
        let hi95 = where_it_is(0.025);
        Some(SprtEstimate { elo, lo95, hi95 })
    }
    /// Whether winning every pair that is left reaches the upper bound on the way.
    fn in_reach(&self, pairs: Pentanomial) -> bool {
        let left = self.pairs_max.saturating_sub(pairs.pairs());
        let after = |won: u64| {
            let mut pairs = pairs;
            pairs.0[4] += won;
            self.llr(pairs) >= self.bounds[1]
        };
        // The end is nearly always the best place, and one look at it the common case.
        left > 0 && (after(left) || (1..left).any(after))
    }
}

/// Why a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtStop {
    /// The upper bound was reached: at least `elo1`, as far as the test can say.
    Accepted,
    /// The lower bound was reached: no better than `elo0`.
    Refused,
    /// All pairs are played, and neither bound was reached.
    Exhausted,
    /// Not even winning every pair that is left would reach the upper bound.
    OutOfReach,
}

/// A test under way.
///
/// Pairs go in in the order in which they were scheduled, not in which they ended: short games end
/// first, and those are not like the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Sprt {
    plan: SprtPlan,
    pairs: Pentanomial,
    trace: Vec<f64>,
    stop: Option<SprtStop>,
}

/// What a test says about the difference, in normalised Elo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtEstimate {
    /// Median-unbiased: as often too high as too low, which the observed score of a match that was
    /// stopped for being good is not.
    pub elo: f64,
    /// Lower end of the 95 % interval.
    pub lo95: f64,
    /// Upper end.
    pub hi95: f64,
}

impl Sprt {
    /// A test without pairs.
    pub fn new(plan: SprtPlan) -> Self {
        let stop = (plan.pairs_max == 0).then_some(SprtStop::Exhausted);
        Self { plan, pairs: Pentanomial::default(), trace: Vec::new(), stop }
    }

    /// Adds the next scheduled pair, worth `half_points` (0 to 4) to the player that the test is
    /// about, and says whether the test is over. After its end nothing counts any more.
    pub fn add(&mut self, half_points: usize) -> Option<SprtStop> {
        if self.stop.is_none() {
            self.pairs.add(half_points);
            let llr = self.plan.llr(self.pairs);
            self.trace.push(llr);
            self.stop = self.plan.stop_at(self.pairs, llr);
        }
        self.stop
    }

    /// Why it ended; `None` while it has not.
    pub fn stop(&self) -> Option<SprtStop> {
        self.stop
    }

    /// The pairs that count.
    pub fn pairs(&self) -> Pentanomial {
        self.pairs
    }

    /// The log-likelihood ratio after each pair.
    pub fn trace(&self) -> &[f64] {
        &self.trace
    }

    /// [`SprtPlan::estimate`] of the pairs so far.
    pub fn estimate(&self) -> Option<SprtEstimate> {
        self.plan.estimate(self.pairs)
    }
}

/// No difference is looked for beyond this many standard deviations, 1,390 normalised Elo.
const T_MAX: f64 = 4.0;
