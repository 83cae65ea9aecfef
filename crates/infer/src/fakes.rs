//! Evaluators that need no network: for generation 0, oracles and tests.

use dz_game::{Game, Key, Move, Wdl, mix64};

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

impl Hashed {
    /// The same in 64 bits: fills `priors`, one a legal move, and answers win, draw and loss of the
    /// mover.
    pub fn exact(eval_key: Key, legal: &[Move], priors: &mut Vec<f64>) -> [f64; 3] {
        let share = |salt: u64| f64::from(shares_of(eval_key, salt)) / 256.0;
        priors.clear();
        priors.extend(legal.iter().map(|mv| share(u64::from(mv.0) + 3)));
        let sum: f64 = priors.iter().sum();
        for prior in priors.iter_mut() {
            *prior /= sum;
        }
        let win = share(1);
        let loss = share(2);
        [win / 2.0, 1.0 - f64::midpoint(win, loss), loss / 2.0]
    }
}

impl<G: Game> InstantEvaluator<G> for Hashed {
    fn id(&self) -> &'static str {
        "hashed"
    }

    fn evaluate(&self, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Wdl {
        // Multiples of 2^-8 are exact in f32, so sums are too.
        let share = |salt: u64| f32::from(shares_of(leaf.eval_key, salt)) / 256.0;
        priors.clear();
        priors.extend(leaf.legal.iter().map(|mv| share(u64::from(mv.0) + 3)));
        let sum: f32 = priors.iter().sum();
        for prior in priors.iter_mut() {
            *prior /= sum;
        }
        let win = share(1);
        let loss = share(2);
        let draw = 2.0 - win - loss;
        let sum = win + draw + loss;
        Wdl { win: win / sum, draw: draw / sum, loss: loss / sum }
    }
}

/// A position's pseudo-random number for a salt, 1 to 256.
fn shares_of(eval_key: Key, salt: u64) -> u16 {
    let word = eval_key.high ^ eval_key.low.rotate_left(32);
    (mix64(word ^ salt) >> 56) as u16 + 1
}

/// Equal priors for `n` legal moves.
pub(crate) fn fill_uniform(n: usize, priors: &mut Vec<f32>) {
    priors.clear();
    priors.resize(n, 1.0 / n as f32);
}

#[cfg(test)]
mod tests {
    use dz_game::{Symmetry, games::Connect4};

    use super::*;

    #[test]
    fn both_widths_say_the_same() {
        let game = Connect4::from_spec(&"connect4".parse().unwrap()).unwrap();
        let mut state = game.start();
        let mut legal = Vec::new();
        for mv in [3, 3, 2, 0, 6] {
            game.legal_moves(&state, &(), &mut legal);
            let eval_key = game.eval_key(&state, &());
            let leaf = LeafView {
                game: &game,
                state: &state,
                history: &(),
                legal: &legal,
                eval_key,
                symmetry: Symmetry::IDENTITY,
                last: None,
                random: 0,
            };
            let mut narrow = Vec::new();
            let mut wide = Vec::new();
            let wdl = Hashed.evaluate(&leaf, &mut narrow);
            let exact = Hashed::exact(eval_key, &legal, &mut wide);
            assert_eq!(wdl.to_array().map(f64::from), exact);
            assert!((wide.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            let near = |(&a, &b): (&f32, &f64)| (f64::from(a) - b).abs() < 1e-7;
            assert!(narrow.iter().zip(&wide).all(near) && narrow.len() == wide.len());
            game.advance(&mut state, &mut (), Move(mv));
        }
    }
}
