//! Laws of what rollouts use: random moves, and play that keeps no keys.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{LawBroken, Position};
use crate::{Game, Move};

/// Random moves sampled at every position.
const SAMPLES: u64 = 3;

/// The game so far, played by `advance_unkeyed` alone.
pub(super) struct Unkeyed<G: Game> {
    state: G::State,
    history: G::History,
}

impl<G: Game> Unkeyed<G> {
    pub fn new(game: &G) -> Self {
        Self { state: game.start(), history: G::History::default() }
    }

    pub fn play(&mut self, game: &G, mv: Move) {
        game.advance_unkeyed(&mut self.state, &mut self.history, mv);
    }

    pub fn check(&self, here: &Position<'_, G>) -> Result<(), LawBroken> {
        let game = here.game;
        let state = &self.state;
        let history = &self.history;
        let mut legal = vec![Move(0); 3];
        game.legal_moves(state, history, &mut legal);
        let same = state == here.state
            && legal == here.legal
            && game.status(state, history) == game.status(here.state, here.history);
        here.law("advance_unkeyed plays as advance does", same, || {
            format!("legal moves {:?} and {legal:?}, {state:?}", here.legal)
        })?;
        (0..SAMPLES).try_for_each(|sample| {
            let seed = SAMPLES * here.moves.len() as u64 + sample;
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let sampled = game.random_move(state, history, &mut random, &mut legal);
            let fits = sampled.map_or(here.legal.is_empty(), |mv| here.legal.contains(&mv));
            here.law("a random move is a legal one", fits, || format!("{sampled:?}"))?;
            let last = here.moves.last().copied();
            let sampled = game.informed_move(state, history, last, &mut random, &mut legal);
            let fits = sampled.map_or(here.legal.is_empty(), |mv| here.legal.contains(&mv));
            here.law("an informed move is a legal one", fits, || format!("{sampled:?}"))
        })
    }
}
