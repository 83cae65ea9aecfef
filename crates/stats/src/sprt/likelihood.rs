//! The generalised log-likelihood ratio of pair results between two normalised Elo differences.
//!
//! A hypothesis fixes t = (mean - 1/2) / standard deviation of a pair's score and nothing else;
//! under each the distribution over the five kinds of pairs is the likeliest one that has this t
//! (M. Van den Bergh, *Comments on normalized Elo*, section 4.1,
//! <https://www.cantate.be/Fishtest/normalized_elo_practical.pdf>).

/// Scores of the five kinds of pairs, a game.
const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// A kind of pair that was never seen counts as this many, so that every hypothesis is possible
/// (fishtest, `LLRcalc.py`, `regularize`).
const NEVER_SEEN: f64 = 1e-3;

/// Rounds of the fixed point; 5 are usual, 50 rare.
const ROUNDS_MAX: usize = 200;

/// ln of how much likelier the pairs are with `t[1]` than with `t[0]`; both in standard deviations
/// of a pair's score.
pub(super) fn log_likelihood_ratio(pairs: [u64; 5], t: [f64; 2]) -> f64 {
    let counts = pairs.map(|count| if count == 0 { NEVER_SEEN } else { count as f64 });
    let total: f64 = counts.iter().sum();
    let observed = counts.map(|count| count / total);
    let [null, alternative] = t.map(|t| likeliest(&observed, t));
    (0..5).map(|k| counts[k] * (alternative[k] / null[k]).ln()).sum()
}

/// The distribution with this t that makes `observed` likeliest: the fixed point of solving for the
/// constraint made linear at the distribution of the round before.
fn likeliest(observed: &[f64; 5], t: f64) -> [f64; 5] {
    let mut p = [0.2; 5];
    for _ in 0..ROUNDS_MAX {
        let mean: f64 = (0..5).map(|k| p[k] * SCORES[k]).sum();
        let variance: f64 = (0..5).map(|k| p[k] * (SCORES[k] - mean).powi(2)).sum();
        let sd = variance.sqrt();
        let pull =
            SCORES.map(|score| score - 0.5 - 0.5 * t * sd * (1.0 + ((mean - score) / sd).powi(2)));
        let x = multiplier(observed, &pull);
        let next: [f64; 5] = std::array::from_fn(|k| observed[k] / (1.0 + x * pull[k]));
        let moved = (0..5).map(|k| (next[k] - p[k]).abs()).fold(0.0, f64::max);
        p = next;
        if moved < 1e-10 {
            break;
        }
    }
    p
}

/// The Lagrange multiplier: the x with sum of p a / (1 + x a) = 0 for which all 1 + x a are
/// above 0. The sum falls all the way between the two poles.
fn multiplier(p: &[f64; 5], a: &[f64; 5]) -> f64 {
    let most = a.iter().copied().fold(f64::MIN, f64::max);
    let least = a.iter().copied().fold(f64::MAX, f64::min);
    if least >= 0.0 || most <= 0.0 {
        return 0.0;
    }
    let mut lo = -1.0 / most;
    let mut hi = -1.0 / least;
    let mut x = 0.0;
    for _ in 0..200 {
        let mut value = 0.0;
        let mut slope = 0.0;
        for (p, a) in p.iter().zip(a) {
            let ratio = a / (1.0 + x * a);
            value += p * ratio;
            slope -= p * ratio * ratio;
        }
        if value > 0.0 {
            lo = x;
        } else {
            hi = x;
        }
        // Newton's step where it stays inside, and halving where it does not.
        let newton = x - value / slope;
        let next = if newton > lo && newton < hi { newton } else { 0.5 * (lo + hi) };
        let done = (next - x).abs() <= 1e-14 * (1.0 + x.abs());
        x = next;
        if done {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sprt::ELO_PER_DEVIATION;

    /// Normalised Elo a game, for pairs.
    fn ratio(pairs: [u64; 5], elo: [f64; 2]) -> f64 {
        log_likelihood_ratio(pairs, elo.map(|elo| elo / ELO_PER_DEVIATION * 2.0_f64.sqrt()))
    }

    /// The tests of fastchess (github.com/Disservin/fastchess, `app/tests/sprt_test.cpp`, commit
    /// 74deac23), which come from fishtest's pages; counts from both lost to both won.
    #[test]
    fn fastchess_says_the_same() {
        for (pairs, elo, published) in [
            ([365, 16618, 36229, 16974, 390], [0.0, 2.0], 2.25),
            ([127, 4883, 10712, 5150, 104], [-1.75, 0.25], 3.01),
            ([0, 0, 0, 0, 5550], [0.0, 5.0], 111.82),
        ] {
            let ours = ratio(pairs, elo);
            assert!((ours - published).abs() < 0.01 * published, "{ours} {published}");
        }
    }

    /// Pairs that are only won or lost are coins: with p = P(won), t = (p - 1/2) / sqrt(p (1 - p)).
    #[test]
    fn coins_have_a_closed_form() {
        let t = [0.1, 0.4];
        let [p0, p1] = t.map(|t: f64| 0.5 + 0.5 * t / (1.0 + t * t).sqrt());
        // The mean that gives t on two points: (p - 1/2)^2 = t^2 p (1 - p).
        let want = 30.0 * (p1 / p0).ln() + 20.0 * ((1.0 - p1) / (1.0 - p0)).ln();
        let ours = log_likelihood_ratio([20, 0, 0, 0, 30], t);
        assert!((ours - want).abs() < 2e-3 * want.abs(), "{ours} {want}");
    }

    #[test]
    fn the_constraint_holds_and_the_other_side_sees_the_mirror_image() {
        for pairs in [[1, 0, 0, 0, 0], [0, 0, 7, 0, 0], [3, 1, 0, 4, 1], [0, 0, 1, 0, 40]] {
            let observed: [f64; 5] = {
                let counts = pairs.map(|n: u64| if n == 0 { NEVER_SEEN } else { n as f64 });
                let total: f64 = counts.iter().sum();
                counts.map(|count| count / total)
            };
            for t in [-0.5, 0.0, 0.2, 0.8] {
                let p = likeliest(&observed, t);
                let mean: f64 = (0..5).map(|k| p[k] * SCORES[k]).sum();
                let variance: f64 = (0..5).map(|k| p[k] * (SCORES[k] - mean).powi(2)).sum();
                assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-7);
                assert!(((mean - 0.5) / variance.sqrt() - t).abs() < 1e-6, "{pairs:?} {t}");
            }
            let mut flipped = pairs;
            flipped.reverse();
            let (ours, theirs) = (
                log_likelihood_ratio(pairs, [0.1, 0.3]),
                log_likelihood_ratio(flipped, [-0.3, -0.1]),
            );
            assert!((ours + theirs).abs() < 1e-6 * (1.0 + ours.abs()), "{ours} {theirs}");
        }
    }
}
