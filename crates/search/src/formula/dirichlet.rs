//! Dirichlet noise for the root's priors: concentrations a move, and samples.

use rand::{Rng, RngExt, distr::Open01};
use rand_distr::{Distribution, Gamma};

use dz_search_settings::NoiseShape;

use super::normalise;

/// Priors above this look the same to the shaped noise (KataGo).
const SHAPE_PRIOR_MAX: f64 = 0.01;
/// Added to a prior before its logarithm (KataGo), so that 0 has one.
const SHAPE_PRIOR_MIN: f64 = 1e-20;

/// Fills `out` with each legal move's concentration, above 0; `priors` are the legal moves' before
/// noise.
pub fn alphas(priors: &[f64], shape: NoiseShape, out: &mut Vec<f64>) {
    out.clear();
    match shape {
        NoiseShape::Plain { alpha } => out.extend(priors.iter().map(|_| alpha)),
        NoiseShape::Total { total } => {
            out.extend(priors.iter().map(|_| total / priors.len() as f64));
        }
        NoiseShape::Shaped { total } => {
            let logarithm = |&p: &f64| (p.clamp(0.0, SHAPE_PRIOR_MAX) + SHAPE_PRIOR_MIN).ln();
            let mean = priors.iter().map(logarithm).sum::<f64>() / priors.len() as f64;
            out.extend(priors.iter().map(|p| (logarithm(p) - mean).max(0.0)));
            // All alike: no move is above the mean, and the second half is equal shares too.
            normalise(out);
            let equal = 1.0 / priors.len() as f64;
            for alpha in out {
                *alpha = total * f64::midpoint(*alpha, equal);
            }
        }
    }
}

/// Fills `out` with one sample of Dir(`alphas`): shares that sum to 1.
///
/// Gamma samples are made as logarithms, ln g(a) = ln g(a + 1) + ln(u) / a, since for small
/// concentrations all of them would round to 0. A concentration that is not above 0 gets no share.
pub fn fill_dirichlet(alphas: &[f64], random: &mut impl Rng, out: &mut Vec<f64>) {
    out.clear();
    out.extend(alphas.iter().map(|&alpha| match Gamma::new(alpha + 1.0, 1.0) {
        Ok(gamma) if alpha > 0.0 => {
            let uniform: f64 = random.sample(Open01);
            gamma.sample(random).ln() + uniform.ln() / alpha
        }
        _ => f64::NEG_INFINITY,
    }));
    let most = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for share in &mut *out {
        *share = if most == f64::NEG_INFINITY { 0.0 } else { (*share - most).exp() };
    }
    normalise(out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn of(priors: &[f64], shape: NoiseShape) -> Vec<f64> {
        let mut out = vec![9.0];
        alphas(priors, shape, &mut out);
        out
    }

    #[test]
    fn concentrations() {
        assert_eq!(of(&[0.5, 0.5], NoiseShape::Plain { alpha: 0.3 }), [0.3, 0.3]);
        let total = of(&[1.0 / 361.0; 361], NoiseShape::Total { total: 10.83 });
        assert!(total.iter().all(|alpha| (alpha - 0.03).abs() < 1e-15));
        // ln .01, ln .01, ln .0001: mean -ln 100 - (ln 100) / 3; the first two share the shaped
        // half.
        let shaped = of(&[0.9, 0.0999, 0.0001], NoiseShape::Shaped { total: 6.0 });
        let wanted = [2.5, 2.5, 1.0];
        assert!(shaped.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12), "{shaped:?}");
        // ln .01 - 2 d, - d, - 0 around the mean: excess 1 : 0 above it.
        let ladder = of(&[1e-2, 1e-3, 1e-4], NoiseShape::Shaped { total: 6.0 });
        assert!((ladder[0] - 4.0).abs() < 1e-9 && (ladder[2] - 1.0).abs() < 1e-9, "{ladder:?}");
        let alike = of(&[0.25; 4], NoiseShape::Shaped { total: 4.0 });
        assert!(alike.iter().all(|alpha| (alpha - 1.0).abs() < 1e-12));
        assert!(of(&[0.0, 1.0], NoiseShape::Shaped { total: 2.0 })[0] > 0.49);
        assert!(of(&[], NoiseShape::Shaped { total: 2.0 }).is_empty());
    }

    #[test]
    fn samples_have_the_moments_of_the_distribution() {
        let alphas = [0.3, 0.9, 1.8];
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut sum = [0.0; 3];
        let mut squares = [0.0; 3];
        let mut out = Vec::new();
        let samples = 40_000;
        for _ in 0..samples {
            fill_dirichlet(&alphas, &mut random, &mut out);
            assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for (place, share) in out.iter().enumerate() {
                sum[place] += share / f64::from(samples);
                squares[place] += share * share / f64::from(samples);
            }
        }
        for (place, alpha) in alphas.iter().enumerate() {
            let mean = alpha / 3.0;
            let variance = mean * (1.0 - mean) / 4.0;
            assert!((sum[place] - mean).abs() < 0.005);
            assert!((squares[place] - sum[place] * sum[place] - variance).abs() < 0.003);
        }
    }

    #[test]
    fn tiny_and_absent_concentrations() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
        let mut out = Vec::new();
        let mut winners = [0; 4];
        for _ in 0..400 {
            fill_dirichlet(&[1e-6, 1e-6, 1e-6, 0.0], &mut random, &mut out);
            assert!((out.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert_eq!(out[3], 0.0);
            winners[crate::formula::argmax(out.iter().copied()).unwrap()] += 1;
        }
        // Nearly all on one move, and on each of the three in turn.
        assert!(winners[..3].iter().all(|&times| times > 90), "{winners:?}");
        fill_dirichlet(&[], &mut random, &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn a_seed_gives_the_same_sample() {
        let sample = |seed| {
            let mut out = Vec::new();
            fill_dirichlet(&[0.3; 7], &mut Xoshiro256PlusPlus::seed_from_u64(seed), &mut out);
            out
        };
        assert_eq!(sample(1), sample(1));
        assert_ne!(sample(1), sample(2));
    }
}
