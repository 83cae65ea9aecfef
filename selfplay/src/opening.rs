//! Openings: the first moves of a game, which no search chooses.

use dz_config::OpeningSampler;
use dz_game::{Game, Move};
use dz_search::{Summary, sample};
use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// How the openings of a cycle's games are sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpeningPlan {
    /// A game starts with 0 to this many sampled plies.
    pub plies_max: u32,
    /// What they are sampled from.
    pub sampler: OpeningSampler,
    /// Temperature of the policy, above 0.
    pub temperature: f64,
}

/// What is left to be sampled of one game's opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// Plies.
    pub(crate) left: u32,
    /// The move that the next of them is not: what the game did that this one is a fork of.
    pub(crate) other_than: Option<Move>,
}

impl OpeningPlan {
    /// 0 to `plies_max` plies, each count equally likely.
    pub(crate) fn opening(&self, random: &mut Xoshiro256PlusPlus) -> Opening {
        Opening { left: random.random_range(0..=self.plies_max), other_than: None }
    }
}

impl Opening {
    /// The next move of the opening, each legal one equally likely. None where that would end the
    /// game: the opening is then over.
    pub(crate) fn random<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        history: &G::History,
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<Move> {
        let mut legal = Vec::new();
        game.legal_moves(state, history, &mut legal);
        legal.retain(|&mv| Some(mv) != self.other_than);
        if legal.is_empty() {
            return None;
        }
        let mv = legal[random.random_range(0..legal.len())];
        goes_on(game, state, history, mv).then_some(mv)
    }

    /// The same, sampled from the policy that a search of one playout found at its root.
    pub(crate) fn by_policy<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        history: &G::History,
        summary: &Summary,
        temperature: f64,
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<Move> {
        let moves = summary.moves.iter().filter(|m| Some(m.mv) != self.other_than);
        let (moves, weights): (Vec<Move>, Vec<f64>) =
            moves.map(|m| (m.mv, m.prior.powf(temperature.recip()))).unzip();
        let sampled = sample(&weights, random).map(|place| moves[place]);
        // Rounding can leave a crumb.
        let mv = sampled.or(moves.last().copied())?;
        goes_on(game, state, history, mv).then_some(mv)
    }
}

/// Whether the game is not over after a move.
fn goes_on<G: Game>(game: &G, state: &G::State, history: &G::History, mv: Move) -> bool {
    let mut state = state.clone();
    let mut history = history.clone();
    game.advance(&mut state, &mut history, mv);
    game.to_move(&state, &history).is_some()
}
