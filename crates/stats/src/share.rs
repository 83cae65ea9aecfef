//! The interval of a share of successes.

use crate::normal::Z95;

/// A share with its 95 % interval, all three in [0, 1] and ascending as `lo95 <= share <= hi95`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareInterval {
    /// Successes / trials; 0 where there were no trials.
    pub share: f64,
    /// Lower end.
    pub lo95: f64,
    /// Upper end.
    pub hi95: f64,
}

/// The 95 % interval of E. B. Wilson, *Probable Inference, the Law of Succession, and Statistical
/// Inference*, J. Am. Stat. Assoc. 22 (1927), without continuity correction.
///
/// It stays inside [0, 1] and has a sensible width at 0 and at `trials` successes. Without trials
/// it is the whole of [0, 1]. `successes` above `trials` count as `trials`.
pub fn wilson(successes: u64, trials: u64) -> ShareInterval {
    if trials == 0 {
        return ShareInterval { share: 0.0, lo95: 0.0, hi95: 1.0 };
    }
    let share = successes.min(trials) as f64 / trials as f64;
    let (lo95, hi95) = wilson_bounds(share, trials as f64);
    ShareInterval { share, lo95, hi95 }
}

/// Wilson's bounds for a mean of `share` over a possibly fractional number of trials above 0.
pub(crate) fn wilson_bounds(share: f64, trials: f64) -> (f64, f64) {
    let z2 = Z95 * Z95;
    let centre = (share + z2 / (2.0 * trials)) / (1.0 + z2 / trials);
    let spread = share * (1.0 - share) / trials + z2 / (4.0 * trials * trials);
    let half = Z95 * spread.sqrt() / (1.0 + z2 / trials);
    // Rounding must not push an end past the estimate or out of [0, 1].
    ((centre - half).clamp(0.0, share), (centre + half).clamp(share, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R. G. Newcombe, *Two-sided confidence intervals for the single proportion*, Statistics in
    /// Medicine 17 (1998), table I, method 3 (Wilson).
    #[test]
    fn newcombes_table() {
        for (successes, trials, lo, hi) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let interval = wilson(successes, trials);
            assert!((interval.lo95 - lo).abs() < 5.1e-5, "{interval:?}");
            assert!((interval.hi95 - hi).abs() < 5.1e-5, "{interval:?}");
        }
    }

    #[test]
    fn ends_are_sane() {
        let all = wilson(400, 400);
        assert_eq!(all.hi95, 1.0);
        assert!(all.lo95 > 0.98 && all.lo95 < 1.0);
        assert_eq!(wilson(0, 0), ShareInterval { share: 0.0, lo95: 0.0, hi95: 1.0 });
        assert_eq!(wilson(0, 5).lo95, 0.0);
    }
}
