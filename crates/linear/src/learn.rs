//! Learning by TD(0) from self-play.

use dz_game::{Game, Move, Player, Status};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{LinearValue, SIDE_MAX, shapes::look, value::sigmoid};

/// How a value function is learned (Silver, Sutton and Mueller 2007, section 5: windows up to 3x3,
/// epsilon 0.1, step size 0.1 shared by the features that hold).
#[derive(Clone, Debug)]
pub struct Lessons {
    /// Games of self-play.
    pub games: u32,
    /// Share of moves that are random, from 0 to 1.
    pub epsilon: f64,
    /// How far a value moves to its target, from 0 to 1: each of n features that hold moves by
    /// `step` / n. In the second half of the games it falls to 0: with a constant step, all values
    /// follow the last games (Sutton, Koop and Silver 2007).
    pub step: f64,
    /// Sides of the windows, 1 to [`SIDE_MAX`].
    pub sides: Vec<u8>,
    /// A game that is not over after this many plies counts as a draw.
    pub plies_max: u32,
    /// Fixes every random choice.
    pub seed: u64,
}

impl Default for Lessons {
    fn default() -> Self {
        Self {
            // With five times as many on 9x9, values agree with rollouts no better.
            games: 20_000,
            epsilon: 0.1,
            step: 0.1,
            sides: (1..=SIDE_MAX).collect(),
            plies_max: 1_000,
            seed: 1,
        }
    }
}

/// Where learning stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lesson {
    /// Games played.
    pub games: u32,
    /// Of the last games (a hundredth of all): the mean plies, and the mean squared difference of a
    /// value and its target.
    pub plies: f64,
    /// See `plies`.
    pub error: f64,
}

/// Learns a value function. `progress` is called after each hundredth of the games, and ends it by
/// returning `false`.
///
/// After a move of player P the value V(s) is P's chance. Its target is the opponent's chance after
/// the next move, seen from P: 1 - V(s'), or the outcome at the end (a draw is 1/2). theta moves by
/// step (target - V) / n along the n features that hold. The player moves to the largest V, or at
/// random with probability epsilon. `None` for games without stones.
pub fn learn<G: Game>(
    game: &G,
    lessons: &Lessons,
    mut progress: impl FnMut(&Lesson) -> bool,
) -> Option<LinearValue> {
    let mut value = LinearValue::blank(game, &lessons.sides)?;
    let mut student = Student::new(lessons.seed);
    let each = (lessons.games / 100).max(1);
    for number in 1..=lessons.games {
        student.play(game, lessons, step_at(lessons, number), &mut value);
        if number % each == 0 || number == lessons.games {
            let lesson = student.report(number);
            if !progress(&lesson) {
                break;
            }
        }
    }
    Some(value)
}

/// The step of a game: constant in the first half of the games, then falling to 0.
fn step_at(lessons: &Lessons, number: u32) -> f64 {
    let left = f64::from(lessons.games - number) / f64::from(lessons.games);
    lessons.step * (2.0 * left).min(1.0)
}

/// What learning works with.
struct Student {
    random: Xoshiro256PlusPlus,
    legal: Vec<Move>,
    stones: Vec<u8>,
    /// Features of the position before, who moved to it, and its value.
    before: Option<Before>,
    active: Vec<usize>,
    games: u32,
    plies: u64,
    errors: f64,
}

struct Before {
    player: Player,
    active: Vec<usize>,
    chance: f64,
}

impl Student {
    fn new(seed: u64) -> Self {
        Self {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            legal: Vec::new(),
            stones: Vec::new(),
            before: None,
            active: Vec::new(),
            games: 0,
            plies: 0,
            errors: 0.0,
        }
    }

    /// Plays a game and learns from each of its moves.
    fn play<G: Game>(&mut self, game: &G, lessons: &Lessons, step: f64, value: &mut LinearValue) {
        let mut state = game.start();
        let mut history = G::History::default();
        self.before = None;
        self.games += 1;
        for _ in 0..lessons.plies_max {
            let mover = match game.status(&state, &history) {
                Status::ToMove(mover) => mover,
                Status::Over(outcome) => {
                    let wdl = outcome.wdl_for(Player::First);
                    let first = f64::from(wdl.win) + 0.5 * f64::from(wdl.draw);
                    self.learn(value, step, |player| match player {
                        Player::First => first,
                        Player::Second => 1.0 - first,
                    });
                    return;
                }
            };
            game.legal_moves(&state, &history, &mut self.legal);
            let mv = self.choose(game, &state, mover, lessons.epsilon, value);
            game.advance(&mut state, &mut history, mv);
            self.plies += 1;
            look(&game.stones(&state).unwrap_or_default(), mover, &mut self.stones);
            value.shapes.active(&self.stones, &mut self.active);
            let chance = sigmoid(sum(value.weights_of(mover), &self.active));
            self.learn(value, step, |player| if player == mover { chance } else { 1.0 - chance });
            let active = self.active.clone();
            // The weights have just changed, so the value is computed with the new ones.
            let chance = sigmoid(sum(value.weights_of(mover), &active));
            self.before = Some(Before { player: mover, active, chance });
        }
        self.learn(value, step, |_| 0.5);
    }

    /// The move to the best value, the first of several, or any move.
    fn choose<G: Game>(
        &mut self,
        game: &G,
        state: &G::State,
        mover: Player,
        epsilon: f64,
        value: &LinearValue,
    ) -> Move {
        let count = self.legal.len();
        if self.random.random::<f64>() < epsilon {
            return self.legal[self.random.random_range(0..count)];
        }
        let logits = value.logits_after(game, state, mover, &self.legal);
        let best = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let equal = logits.iter().filter(|&&logit| logit == best).count();
        let nth = if equal > 1 { self.random.random_range(0..equal) } else { 0 };
        let mut best_moves = (0..count).filter(|&at| logits[at] == best);
        self.legal[best_moves.nth(nth).unwrap_or(0)]
    }

    /// Moves the value of the position before towards `target`, seen from its player.
    fn learn(&mut self, value: &mut LinearValue, step: f64, target: impl Fn(Player) -> f64) {
        let Some(before) = self.before.take() else { return };
        let error = target(before.player) - before.chance;
        self.errors += error * error;
        let by = (step * error / before.active.len() as f64) as f32;
        let players = value.weights.len();
        let weights = &mut value.weights[before.player.index() % players];
        for &index in &before.active {
            weights[index] += by;
        }
    }

    fn report(&mut self, games: u32) -> Lesson {
        let plies = self.plies as f64 / f64::from(self.games.max(1));
        let error = self.errors / self.plies.max(1) as f64;
        (self.games, self.plies, self.errors) = (0, 0, 0.0);
        Lesson { games, plies, error }
    }
}

fn sum(weights: &[f32], active: &[usize]) -> f64 {
    active.iter().map(|&index| f64::from(weights[index])).sum()
}
