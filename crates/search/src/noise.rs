//! Dirichlet noise on the root's priors.

use rand::Rng;
use rand_distr::{Distribution, Gamma};

use crate::{RootNoise, root::RootEdge};

/// Mixes noise into `noisy_prior` of every edge, from the evaluator's priors.
pub(crate) fn mix(edges: &mut [RootEdge], noise: RootNoise, random: &mut impl Rng) {
    let Ok(gamma) = Gamma::new(noise.alpha, 1.0) else { return };
    let draws: Vec<f64> = edges.iter().map(|_| gamma.sample(random)).collect();
    let sum: f64 = draws.iter().sum();
    // With a tiny alpha all draws can round to 0; then there is no noise to mix in.
    if sum > 0.0 {
        for (edge, draw) in edges.iter_mut().zip(draws) {
            let noise_share = (draw / sum) as f32;
            edge.noisy_prior = (1.0 - noise.share) * edge.prior + noise.share * noise_share;
        }
    }
}
