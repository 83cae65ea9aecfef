//! Rollouts: the original "Monte Carlo" evaluator (Coulom 2006; Kocsis and Szepesvari 2006).

use dz_game::{Game, Move, Player, Status, Wdl};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{InstantEvaluator, LeafView, fakes::fill_uniform};

/// The function of a game that draws a rollout's moves.
///
/// The key `search.rollout` is `dz_search_settings::RolloutSampler`. That type also names policies
/// that were learned, which no game has, so `dz-play` chooses one of these two by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum RolloutSampler {
    /// [`Game::random_move`]: each legal move with the same chance.
    #[default]
    Uniform,
    /// [`Game::informed_move`].
    Informed,
}

impl RolloutSampler {
    /// Samples a move; `None` where the game is over. `scratch` is working memory.
    pub fn sample<G: Game>(
        self,
        at: &Position<'_, G>,
        random: &mut Xoshiro256PlusPlus,
        scratch: &mut Vec<Move>,
    ) -> Option<Move> {
        match self {
            Self::Uniform => at.game.random_move(at.state, at.history, random, scratch),
            Self::Informed => at.game.informed_move(at.state, at.history, at.last, random, scratch),
        }
    }
}

/// A position of a rollout.
#[derive(Debug)]
pub struct Position<'a, G: Game> {
    /// The rules.
    pub game: &'a G,
    /// Where the rollout stands.
    pub state: &'a G::State,
    /// Its past.
    pub history: &'a G::History,
    /// The move that led there, where it is known.
    pub last: Option<Move>,
}

/// Plays one random game from the leaf to its end; equal priors.
#[derive(Clone, Copy, Debug)]
pub struct Rollout {
    /// How both players move.
    pub sampler: RolloutSampler,
    /// A rollout that is not over after this many plies counts as a draw; for games without an end.
    pub plies_max: u32,
}

impl Default for Rollout {
    fn default() -> Self {
        Self { sampler: RolloutSampler::Uniform, plies_max: 10_000 }
    }
}

impl Rollout {
    /// Rollouts whose moves `sampler` draws.
    pub fn by(sampler: RolloutSampler) -> Self {
        Self { sampler, ..Self::default() }
    }

    /// Returns the chances of the leaf's mover after one random game. Clears `moves` and fills in
    /// who made which moves, for searches that use them (RAVE).
    pub fn play<G: Game>(&self, leaf: &LeafView<'_, G>, moves: &mut Vec<(Player, Move)>) -> Wdl {
        moves.clear();
        self.run(leaf, |player, mv| moves.push((player, mv)))
    }

    /// As [`Rollout::play`], but moves are chosen by `sample`, which gets the position, random
    /// words and working memory. The rollout's own sampler is ignored.
    pub fn play_by<G: Game>(
        &self,
        leaf: &LeafView<'_, G>,
        sample: impl Fn(&Position<'_, G>, &mut Xoshiro256PlusPlus, &mut Vec<Move>) -> Option<Move>,
        moves: &mut Vec<(Player, Move)>,
    ) -> Wdl {
        moves.clear();
        self.run_by(leaf, sample, |player, mv| moves.push((player, mv)))
    }

    fn run<G: Game>(&self, leaf: &LeafView<'_, G>, made: impl FnMut(Player, Move)) -> Wdl {
        let sampler = self.sampler;
        self.run_by(leaf, |at, random, legal| sampler.sample(at, random, legal), made)
    }

    fn run_by<G: Game>(
        &self,
        leaf: &LeafView<'_, G>,
        sample: impl Fn(&Position<'_, G>, &mut Xoshiro256PlusPlus, &mut Vec<Move>) -> Option<Move>,
        mut made: impl FnMut(Player, Move),
    ) -> Wdl {
        let game = leaf.game;
        let Some(mover) = game.to_move(leaf.state, leaf.history) else { return Wdl::UNKNOWN };
        let mut player = mover;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(leaf.random);
        let mut state = leaf.state.clone();
        let mut history = leaf.history.clone();
        let mut scratch = Vec::new();
        let mut last = leaf.last;
        for _ in 0..self.plies_max {
            let at = Position { game, state: &state, history: &history, last };
            let sampled = sample(&at, &mut random, &mut scratch);
            let Some(mv) = sampled else { break };
            last = Some(mv);
            made(player, mv);
            game.advance_unkeyed(&mut state, &mut history, mv);
            match game.status(&state, &history) {
                Status::Over(outcome) => return outcome.wdl_for(mover),
                Status::ToMove(next) => player = next,
            }
        }
        Wdl::DRAW
    }
}

impl<G: Game> InstantEvaluator<G> for Rollout {
    fn id(&self) -> &'static str {
        match self.sampler {
            RolloutSampler::Uniform => "rollout",
            RolloutSampler::Informed => "rollout-informed",
        }
    }

    fn evaluate(&self, leaf: &LeafView<'_, G>, priors: &mut Vec<f32>) -> Wdl {
        fill_uniform(leaf.legal.len(), priors);
        self.run(leaf, |_, _| {})
    }
}

#[cfg(test)]
mod tests {
    use dz_game::{Outcome, Symmetry, games::TicTacToe};

    use super::*;

    #[test]
    fn the_moves_lead_to_the_outcome() {
        let game = TicTacToe;
        let mut moves = vec![(Player::Second, Move(0))];
        let mut priors = Vec::new();
        let mut legal = Vec::new();
        for random in 0..50 {
            let start = game.start();
            let mut first_moves = Vec::new();
            game.legal_moves(&start, &(), &mut first_moves);
            let leaf = LeafView {
                game: &game,
                state: &start,
                history: &(),
                legal: &first_moves,
                eval_key: game.eval_key(&start, &()),
                symmetry: Symmetry::IDENTITY,
                last: None,
                random,
            };
            let wdl = Rollout::default().play(&leaf, &mut moves);
            assert_eq!(wdl, Rollout::default().evaluate(&leaf, &mut priors));
            let mut state = start;
            for &(player, mv) in &moves {
                assert_eq!(game.to_move(&state, &()), Some(player));
                game.legal_moves(&state, &(), &mut legal);
                assert!(legal.contains(&mv));
                game.advance(&mut state, &mut (), mv);
            }
            let Status::Over(outcome) = game.status(&state, &()) else { panic!("it goes on") };
            assert_eq!(wdl, outcome.wdl_for(Player::First));
            assert!(outcome == Outcome::DRAW || moves.len() >= 5);
        }
    }
}
