//! Evaluators that need no network: for generation 0, oracles and tests.

use dz_game::{Game, Wdl, mix64};

use crate::{InstantEvaluator, LeafView};

/// Knows nothing: value 0 and equal priors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uniform;

impl<G: Game> InstantEvaluator<G> for Uniform {
    fn id(&self) -> &'static str {
        "uniform"
    }

    fn evaluate(&self, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Wdl {
        fill_uniform(leaf.legal.len(), priors);
        Wdl::UNKNOWN
    }
}

/// Pseudo-random values and priors that are a function of `eval_key`: as arbitrary as an untrained
/// network, at no cost, and the same on every machine. For golden trees and determinism tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hashed;

impl<G: Game> InstantEvaluator<G> for Hashed {
    fn id(&self) -> &'static str {
        "hashed"
    }

    fn evaluate(&self, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Wdl {
        let word = leaf.eval_key.high ^ leaf.eval_key.low.rotate_left(32);
        // Multiples of 2^-8 are exact in f32, so sums are too.
        let share = |salt: u64| ((mix64(word ^ salt) >> 56) + 1) as f32 / 256.0;
        priors.clear();
        priors.extend(leaf.legal.iter().map(|mv| share(u64::from(mv.0) + 3)));
        let sum: f32 = priors.iter().sum();
        for prior in priors.iter_mut() {
            *prior /= sum;
        }
        let (win, loss) = (share(1), share(2));
        let draw = 2.0 - win - loss;
        let sum = win + draw + loss;
        Wdl { win: win / sum, draw: draw / sum, loss: loss / sum }
    }
}

/// Equal priors for `n` legal moves.
pub(crate) fn fill_uniform(n: usize, priors: &mut Vec<f32>) {
    priors.clear();
    priors.resize(n, 1.0 / n as f32);
}
