//! How games of self-play begin: with an opening, as a fork of an earlier game, or as the whole of
//! one.

use dz_game::{Game, Komi, Move};
use dz_shard::{GameRecord, ParentGame};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::GamePlan;
use crate::komi::own_komi;
use crate::opening::Opening;

/// How one game begins.
#[derive(Clone, Debug)]
pub(crate) struct Beginning {
    pub(crate) opening: Opening,
    /// Moves before those of the opening.
    pub(crate) start_moves: Vec<Move>,
    pub(crate) parent: Option<ParentGame>,
    pub(crate) komi: Option<Komi>,
}

impl Beginning {
    /// Of the game with this seed, which is played: as a fork, or with an opening of its own.
    pub(crate) fn of<G: Game>(
        game: &G,
        plan: &GamePlan,
        game_seed: u64,
        random: &mut Xoshiro256PlusPlus,
    ) -> Self {
        let Some(fork) = plan.forks.as_ref().and_then(|forks| forks.fork(game_seed)) else {
            return Self {
                opening: plan.opening.opening(random),
                start_moves: Vec::new(),
                parent: None,
                komi: own_komi(game, plan.komi, game_seed),
            };
        };
        let opening = Opening { left: 1, other_than: Some(fork.next) };
        Self { opening, start_moves: fork.moves, parent: Some(fork.parent), komi: fork.komi }
    }

    /// Of a reanalyzed game, which keeps everything of the original.
    pub(crate) fn of_reanalyzed(original: &GameRecord) -> Self {
        let parent = ParentGame { game: original.number, ply: original.plies_total() as u16 };
        Self {
            opening: Opening { left: 0, other_than: None },
            start_moves: original.start_moves.clone(),
            parent: Some(parent),
            komi: original.komi,
        }
    }
}
