//! Dirichlet noise on the root's priors.

use rand::Rng;

use crate::{RootNoise, formula};

/// Mixes noise into priors.
pub(crate) fn mix(priors: &mut [f64], noise: RootNoise, random: &mut impl Rng) {
    let mut alphas = Vec::new();
    formula::alphas(priors, noise.shape, &mut alphas);
    let mut noisy = Vec::new();
    formula::fill_dirichlet(&alphas, random, &mut noisy);
    for (prior, sample) in priors.iter_mut().zip(noisy) {
        *prior = (1.0 - noise.share) * *prior + noise.share * sample;
    }
}
