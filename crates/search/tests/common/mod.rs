//! What the tests of this crate share: evaluators, games and the drive of a search.

#![allow(dead_code)] // Each test binary uses a part.

pub mod forgetful;
pub mod unfolded;

use dz_game::{Game, Key, Move, Wdl, mix64};
use dz_search::{
    Budget, Gathered, LeafId, NoiseShape, Puct, RootNoise, Search, SearchParams, Selection,
};

/// An evaluator of the tests: chances of the mover and a prior a legal move, by `eval_key`.
pub type Judge = fn(Key, &[Move]) -> (Wdl, Vec<f32>);

/// Value 0 and equal priors.
pub fn uniform(_key: Key, legal: &[Move]) -> (Wdl, Vec<f32>) {
    (Wdl::UNKNOWN, vec![1.0 / legal.len() as f32; legal.len()])
}

/// Pseudo-random values and priors, a function of the position.
pub fn hashed(key: Key, legal: &[Move]) -> (Wdl, Vec<f32>) {
    let share = |salt: u64| ((mix64(key.high ^ key.low ^ salt) >> 56) + 1) as f32 / 256.0;
    let raw: Vec<f32> = legal.iter().map(|mv| share(u64::from(mv.0) + 3)).collect();
    let sum: f32 = raw.iter().sum();
    let (win, draw, loss) = (share(0), share(1), share(2));
    let all = win + draw + loss;
    let wdl = Wdl { win: win / all, draw: draw / all, loss: loss / all };
    (wdl, raw.iter().map(|p| p / sum).collect())
}

/// The plain reference.
pub fn puct() -> SearchParams {
    SearchParams::default()
}

pub fn puct_of(c: f64) -> Selection {
    Selection::Puct(Puct::constant(c))
}

/// Noise of the same concentration for every move.
pub fn noise(alpha: f64, share: f64) -> RootNoise {
    RootNoise { shape: NoiseShape::Plain { alpha }, share }
}

/// A search from the position after `moves`.
pub fn search_at<G: Game>(game: &G, params: SearchParams, moves: &[u16]) -> Search<G> {
    let (state, history) = position(game, moves);
    Search::new(game.clone(), params, state, history)
}

pub fn position<G: Game>(game: &G, moves: &[u16]) -> (G::State, G::History) {
    let (mut state, mut history) = (game.start(), G::History::default());
    for &mv in moves {
        game.advance(&mut state, &mut history, Move(mv));
    }
    (state, history)
}

/// Runs a search to its end.
pub fn run<G: Game>(search: &mut Search<G>, budget: Budget, judge: Judge) {
    run_with(search, budget, 0, None, judge);
}

pub fn run_with<G: Game>(
    search: &mut Search<G>,
    budget: Budget,
    seed: u64,
    noise: Option<RootNoise>,
    judge: Judge,
) {
    search.start(budget, seed, noise);
    while let Gathered::Need(leaf) = search.gather() {
        feed(search, leaf, judge);
    }
}

/// Answers a leaf that waits.
pub fn feed<G: Game>(search: &mut Search<G>, leaf: LeafId, judge: Judge) {
    let key = search.leaf_eval_key(leaf).expect("a leaf waits");
    let (wdl, priors) = judge(key, search.leaf(leaf).expect("a leaf waits").legal);
    search.apply(leaf, wdl, &priors);
}
