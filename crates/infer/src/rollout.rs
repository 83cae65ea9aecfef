//! Rollouts: the original "Monte Carlo" evaluator (Coulom 2006; Kocsis and Szepesvari 2006).

use dz_game::{Game, Status, Wdl};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{InstantEvaluator, LeafView, fakes::fill_uniform};

/// Plays one uniformly random game from the leaf to its end; equal priors.
#[derive(Clone, Copy, Debug)]
pub struct Rollout {
    /// A rollout that is not over after this many plies counts as a draw; for games without an end.
    pub plies_max: u32,
}

impl Default for Rollout {
    fn default() -> Self {
        Self { plies_max: 10_000 }
    }
}

impl<G: Game> InstantEvaluator<G> for Rollout {
    fn id(&self) -> &'static str {
        "rollout"
    }

    fn evaluate(&self, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Wdl {
        fill_uniform(leaf.legal.len(), priors);
        let game = leaf.game;
        let mover = game.to_move(leaf.state, leaf.history);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(leaf.random);
        let (mut state, mut history) = (leaf.state.clone(), leaf.history.clone());
        let mut legal = leaf.legal.to_vec();
        for _ in 0..self.plies_max {
            let mv = legal[random.random_range(0..legal.len())];
            game.advance(&mut state, &mut history, mv);
            if let (Status::Over(outcome), Some(mover)) = (game.status(&state, &history), mover) {
                return outcome.wdl_for(mover);
            }
            game.legal_moves(&state, &history, &mut legal);
        }
        Wdl::DRAW
    }
}
