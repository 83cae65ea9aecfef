//! Resigning, and the threshold that keeps wrong resignations rare (Silver et al. 2017, Methods,
//! "Self-play": fewer than 5 % false positives, measured on 10 % of games that are played on).

/// Whether the mover resigns: both the root's value and its best child's are below `threshold`, in
/// [-1, 1] for the mover. AlphaGo's threshold was -0.8, a chance of 10 %.
pub fn resigns(root_q: f64, best_child_q: f64, threshold: f64) -> bool {
    resign_value(root_q, best_child_q) < threshold
}

/// AlphaGo's own rule: the mover resigns at once when `max_a Q(s,a)` is below `threshold` (Silver
/// et al. 2016, Methods, "Search algorithm": -0.8). The root's value plays no part.
pub fn resigns_at_once(best_child_q: f64, threshold: f64) -> bool {
    best_child_q < threshold
}

/// What is compared with the threshold: the larger of the root's and the best child's value.
pub fn resign_value(root_q: f64, best_child_q: f64) -> f64 {
    root_q.max(best_child_q)
}

/// A threshold with the share of false positives that it would have had.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResignThreshold {
    /// Resign below this, in [-1, 1].
    pub threshold: f64,
    /// Share in [0, 1) of the played-on games in which a player who did not lose would have
    /// resigned.
    pub false_positives: f64,
    /// Games that it was measured on.
    pub games: usize,
}

/// The largest threshold whose false positives stay below `rate_max`, in (0, 1].
///
/// `winner_minima` has one number a game that was played on to its end: the smallest
/// [`resign_value`] that the winner met in it, or either player in a draw. The game is a false
/// positive of every threshold above that number. The order does not matter. `None` without games:
/// nothing can be measured then, and nobody should resign.
pub fn resign_threshold(winner_minima: &[f64], rate_max: f64) -> Option<ResignThreshold> {
    let mut sorted = winner_minima.to_vec();
    sorted.sort_by(f64::total_cmp);
    let games = sorted.len();
    let below = |wrong: &usize| (*wrong as f64 / games as f64) < rate_max;
    let allowed = (1..games).take_while(below).count();
    let threshold = *sorted.get(allowed)?;
    Some(ResignThreshold {
        threshold,
        false_positives: false_positive_rate(winner_minima, threshold)?,
        games,
    })
}

/// The share of played-on games in which a player who did not lose would have resigned at
/// `threshold`: the error of a threshold from earlier games, measured in these. `winner_minima` as
/// for [`resign_threshold`]; none without games.
pub fn false_positive_rate(winner_minima: &[f64], threshold: f64) -> Option<f64> {
    let wrong = winner_minima.iter().filter(|&&minimum| minimum < threshold).count();
    (!winner_minima.is_empty()).then(|| wrong as f64 / winner_minima.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_values_must_be_low() {
        assert!(resigns(-0.95, -0.9, -0.8));
        assert!(!resigns(-0.95, -0.7, -0.8));
        assert!(!resigns(-0.7, -0.95, -0.8));
        assert!(!resigns(-0.8, -0.8, -0.8));
        assert_eq!(resign_value(-0.5, -0.75), -0.5);
        assert!(resigns_at_once(-0.81, -0.8) && !resigns_at_once(-0.8, -0.8));
    }

    #[test]
    fn the_threshold_keeps_the_rate() {
        // A hundred games; winners' minima -1.00, -0.98, ..., 0.98, out of order.
        let mut minima: Vec<f64> = (0..100).map(|i| f64::from(i) * 0.02 - 1.0).collect();
        minima.reverse();
        let five = resign_threshold(&minima, 0.05).unwrap();
        assert_eq!(five.games, 100);
        // Four games lie below the fifth smallest; with one more the rate would be 5 %, not below
        // it.
        assert!((five.threshold + 0.92).abs() < 1e-12);
        assert!((five.false_positives - 0.04).abs() < 1e-12);
        assert_eq!(false_positive_rate(&minima, five.threshold + 1e-9), Some(0.05));
        let all = resign_threshold(&minima, 1.0).unwrap();
        assert!((all.threshold - 0.98).abs() < 1e-12 && all.false_positives < 1.0);
    }

    #[test]
    fn few_games_ties_and_none() {
        let one = resign_threshold(&[-0.3], 0.05).unwrap();
        assert_eq!((one.threshold, one.false_positives), (-0.3, 0.0));
        // Ties fall on the safe side.
        let tied = resign_threshold(&[-0.5; 40], 0.05).unwrap();
        assert_eq!((tied.threshold, tied.false_positives), (-0.5, 0.0));
        assert_eq!(resign_threshold(&[], 0.05), None);
        assert_eq!(false_positive_rate(&[], 0.05), None);
    }

    #[test]
    fn the_largest_safe_threshold_by_brute_force() {
        use rand::{RngExt, SeedableRng};
        let mut random = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(9);
        for _ in 0..300 {
            let games = random.random_range(1..60);
            let minima: Vec<f64> =
                (0..games).map(|_| f64::from(random.random_range(-20..=20)) / 20.0).collect();
            let rate = f64::from(random.random_range(1..=100)) / 100.0;
            let found = resign_threshold(&minima, rate).unwrap();
            assert!(found.false_positives < rate);
            let above = minima.iter().copied().filter(|&minimum| minimum > found.threshold);
            for candidate in above {
                assert!(false_positive_rate(&minima, candidate).unwrap() >= rate);
            }
        }
    }
}
