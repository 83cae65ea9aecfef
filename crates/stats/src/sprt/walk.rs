//! A Brownian motion between two barriers, which is what the log-likelihood ratio of many games
//! looks like.

use std::f64::consts::PI;

use crate::normal::normal_cdf;

/// A motion that begins at 0 and ends where it meets a barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk {
    /// The barriers, below and above 0.
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// Mean of a step.
    pub(super) drift: f64,
    /// Variance of a step.
    pub(super) variance: f64,
}

impl Walk {
    /// The probability of an outcome worse than being at `place` after `steps` steps: to have met
    /// the lower barrier earlier, or to be still on the way (or just met a barrier) and not above
    /// `place`. In this order, the stage-wise one, an early end at the upper barrier is the best
    /// (D. Siegmund, *Sequential Analysis*, 1985, section III.5; M. Van den Bergh's `brownian.py`
    /// in fishtest).
    pub(super) fn worse(&self, steps: f64, place: f64) -> f64 {
        let width = self.upper - self.lower;
        // The series in sines falls with e^-(this n^2 pi^2 / 2), and its terms grow with the drift;
        // where either is unfavourable, only the reflections at each single barrier matter.
        let spread = self.variance * steps / (width * width);
        let tilt = self.drift / self.variance * width;
        let p = if spread < 1e-2 || tilt.abs() > 15.0 {
            self.reflections(steps, place)
        } else {
            self.series(steps, place)
        };
        p.clamp(0.0, 1.0)
    }

    fn series(&self, steps: f64, place: f64) -> f64 {
        let width = self.upper - self.lower;
        let start = -self.lower;
        let end = place - self.lower;
        let tilt = self.drift / self.variance;
        // The probability of the lower barrier in the end, minus what may still get there.
        let ever = if (tilt * width).abs() < 1e-8 {
            (width - start) / width
        } else {
            (2.0 * tilt * (width - start)).exp_m1() / (2.0 * tilt * width).exp_m1()
        };
        let common = tilt * (end - start) - 0.5 * self.drift * tilt * steps;
        let mut sum = 0.0;
        for n in 1..=200 {
            let wave = f64::from(n) * PI / width;
            let decay = common - 0.5 * wave * wave * self.variance * steps;
            // 2 / width e^(-tilt y) times the primitive of e^(tilt y) sin(wave y).
            let (sin, cos) = (wave * end).sin_cos();
            let primitive = 2.0 / width * (tilt * sin - wave * cos) / (tilt * tilt + wave * wave);
            sum += decay.exp() * primitive * (wave * start).sin();
            if decay < -40.0 {
                break;
            }
        }
        ever + sum
    }

    fn reflections(&self, steps: f64, place: f64) -> f64 {
        let sd = (self.variance * steps).sqrt();
        let gone = self.drift * steps;
        let tilt = self.drift / self.variance;
        let a = self.lower;
        let b = self.upper;
        normal_cdf((place - gone) / sd)
            + weighted_tail(2.0 * tilt * a, (2.0 * a - place + gone) / sd)
            - weighted_tail(2.0 * tilt * b, (place - gone - 2.0 * b) / sd)
    }
}

/// e^`log_weight` Phi(z), also where the one is huge and the other tiny.
fn weighted_tail(log_weight: f64, z: f64) -> f64 {
    if z > -6.0 {
        return log_weight.exp() * normal_cdf(z);
    }
    // Abramowitz and Stegun, 26.2.12.
    let z2 = z * z;
    let series = 1.0 - 1.0 / z2 + 3.0 / (z2 * z2);
    (log_weight - 0.5 * z2).exp() * series / (-z * (2.0 * PI).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(drift: f64) -> Walk {
        Walk { lower: -2.944, upper: 2.944, drift, variance: 0.02 }
    }

    /// In the end a driftless motion meets either barrier as often; one with drift as Wald says.
    #[test]
    fn in_the_end_it_is_walds_ruin() {
        assert!((walk(0.0).worse(1e5, -2.944) - 0.5).abs() < 1e-9);
        for drift in [0.004, -0.004, 0.01] {
            let odds = (2.0 * drift / 0.02 * 2.944_f64).exp();
            let lower = 1.0 / (1.0 + odds);
            assert!((walk(drift).worse(1e5, -2.944) - lower).abs() < 1e-9);
            assert!((walk(drift).worse(1e5, 2.944) - lower).abs() < 1e-9);
        }
    }

    /// The two ways to compute it meet where one takes over from the other.
    #[test]
    fn series_and_reflections_agree() {
        for drift in [-0.03, 0.0, 0.01, 0.03] {
            for steps in [20.0, 60.0, 100.0] {
                for place in [-2.944, -1.0, 0.5, 2.944] {
                    let walk = walk(drift);
                    let (one, other) = (walk.series(steps, place), walk.reflections(steps, place));
                    assert!((one - other).abs() < 2e-3, "{drift} {steps} {place}: {one} {other}");
                }
            }
        }
    }

    #[test]
    fn it_falls_with_the_drift_and_grows_with_the_place() {
        let mut last = 1.0;
        for step in -40..=40 {
            let p = walk(f64::from(step) * 0.01).worse(150.0, 1.0);
            assert!(p <= last + 1e-6, "{step}: {p} {last}");
            last = p;
        }
        let walk = walk(0.005);
        let places = [-2.944, -1.5, 0.0, 1.5, 2.944].map(|place| walk.worse(150.0, place));
        assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{places:?}");
    }
}
