//! How fast rules are: random games and perft from the start.

use std::time::Instant;

use dz_game::{Game, Key, Move, Symmetry, mix64, perft};
use dz_infer::{InstantEvaluator, LeafView, Rollout, RolloutSampler};

/// The shortest sample, in seconds: long against what a clock costs.
const SAMPLE_SECONDS: f64 = 0.1;
/// Leaf nodes of the deepest perft that is timed, about.
const LEAVES_MAX: u64 = 10_000_000;
/// Perft looks no deeper than this, for toys with few moves.
const DEPTH_MAX: usize = 20;

/// Times work in samples of about a tenth of a second each.
#[derive(Debug)]
pub struct Timer<W> {
    work: W,
    /// Calls a sample.
    calls: u64,
}

impl<W: FnMut() -> u64> Timer<W> {
    /// Finds out how often `work`, which answers how much it has done, is called in a sample.
    pub fn new(work: W) -> Self {
        let mut timer = Self { work, calls: 1 };
        while timer.run().1 < SAMPLE_SECONDS {
            timer.calls *= 2;
        }
        timer
    }

    /// Work a second in one more sample.
    pub fn sample(&mut self) -> f64 {
        let (done, seconds) = self.run();
        done as f64 / seconds
    }

    fn run(&mut self) -> (u64, f64) {
        let started = Instant::now();
        let done = (0..self.calls).map(|_| (self.work)()).sum();
        (done, started.elapsed().as_secs_f64())
    }
}

/// The depth whose perft is timed: the deepest of about ten million leaf nodes at most, and no
/// deeper than where there are the most of them.
pub fn perft_depth<G: Game>(game: &G) -> u32 {
    let mut counts = leaf_counts(game, 1);
    while counts.len() <= DEPTH_MAX {
        let [.., before, last] = counts[..] else { break };
        // As many moves a position as one ply earlier.
        if before == 0 || last.saturating_mul(last) / before > LEAVES_MAX {
            break;
        }
        let deeper = leaf_counts(game, counts.len() as u32);
        if deeper.last().is_none_or(|&leaves| leaves <= last || leaves > LEAVES_MAX) {
            break;
        }
        counts = deeper;
    }
    counts.len() as u32 - 1
}

/// Leaf nodes at `depth` plies from the start.
pub fn perft_leaves<G: Game>(game: &G, depth: u32) -> u64 {
    leaf_counts(game, depth).last().copied().unwrap_or(0)
}

fn leaf_counts<G: Game>(game: &G, depth: u32) -> Vec<u64> {
    perft(game, &game.start(), &G::History::default(), depth)
}

/// Random games from the start, each from a stream of its own.
#[derive(Debug)]
pub struct RolloutGames<'a, G: Game> {
    game: &'a G,
    state: G::State,
    history: G::History,
    legal: Vec<Move>,
    eval_key: Key,
    /// Games that were played.
    number: u64,
    priors: Vec<f32>,
    rollout: Rollout,
}

impl<'a, G: Game> RolloutGames<'a, G> {
    /// None played yet.
    pub fn new(game: &'a G, sampler: RolloutSampler) -> Self {
        let state = game.start();
        let history = G::History::default();
        let mut legal = Vec::new();
        game.legal_moves(&state, &history, &mut legal);
        let eval_key = game.eval_key(&state, &history);
        Self {
            game,
            state,
            history,
            legal,
            eval_key,
            number: 0,
            priors: Vec::new(),
            rollout: Rollout::by(sampler),
        }
    }

    /// Plays one game, as a search does that asks the evaluator `rollout` about the start.
    pub fn play(&mut self) {
        let mut priors = std::mem::take(&mut self.priors);
        let rollout = self.rollout;
        let wdl = rollout.evaluate(&self.next(), &mut priors);
        // The outcome is used, so no compiler may leave the game out.
        std::hint::black_box(wdl);
        self.priors = priors;
    }

    /// Plies of a game, on average over `games` more of them.
    pub fn plies_mean(&mut self, games: u32) -> f64 {
        let mut moves = Vec::new();
        let mut plies = 0;
        let rollout = self.rollout;
        for _ in 0..games {
            rollout.play(&self.next(), &mut moves);
            plies += moves.len();
        }
        plies as f64 / f64::from(games.max(1))
    }

    fn next(&mut self) -> LeafView<'_, G> {
        self.number += 1;
        LeafView {
            game: self.game,
            state: &self.state,
            history: &self.history,
            legal: &self.legal,
            eval_key: self.eval_key,
            symmetry: Symmetry::IDENTITY,
            last: None,
            random: mix64(self.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use dz_game::games::{Chess, Shuttle, TicTacToe};

    use super::*;

    #[test]
    fn perft_is_timed_where_there_are_the_most_leaves_that_it_may_have() {
        assert_eq!(perft_depth(&TicTacToe), 8);
        assert_eq!(perft_leaves(&TicTacToe, 8), 200_448);
        assert_eq!(perft_depth(&Chess::new()), 5);
        // 1, 2, 4, 4, 8, 0: it stops where depth brings no more.
        let shuttle = Shuttle::from_spec(&"shuttle".parse().unwrap()).unwrap();
        assert_eq!(perft_depth(&shuttle), 2);
    }

    #[test]
    fn a_sample_is_long_and_counts_all_that_was_done() {
        let mut calls = 0;
        let mut timer = Timer::new(|| {
            calls += 1;
            std::thread::sleep(std::time::Duration::from_millis(20));
            3
        });
        let rate = timer.sample();
        assert!(rate > 0.0 && rate <= 150.0, "{rate}");
        // At most 1, 2, 4 and 8 calls to find out, of which the last took long enough, and 8 more.
        assert!((2..=23).contains(&calls), "{calls}");
    }

    #[test]
    fn random_games_differ_and_have_plies() {
        let mut games = RolloutGames::new(&TicTacToe, RolloutSampler::Uniform);
        games.play();
        let mean = games.plies_mean(1000);
        // The mean over all random games is 7.63: OpenSpiel's random games say so too.
        assert!((7.4..7.85).contains(&mean), "{mean}");
        assert_eq!(games.number, 1001);
    }
}
