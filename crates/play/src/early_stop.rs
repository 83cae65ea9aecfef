//! Ends a match once its result is decided.

use std::collections::{BTreeMap, BTreeSet};

use dz_game::Move;
use dz_stats::{Sprt, SprtPlan};

use crate::{MatchCounts, PlayedGame, Seat};

/// When a match is decided before its last game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EarlyStop {
    /// A sequential test has ended.
    Test(SprtPlan),
    /// The games that are left cannot change on which side of this score, 0 to 1, A ends.
    Score(f64),
}

/// Applies an [`EarlyStop`] to pairs in their scheduled order. Short games end first and would
/// otherwise decide, so the games that count would depend on how many are played at once.
#[derive(Debug, Default)]
pub(crate) struct EarlyStopper {
    rule: Option<Rule>,
    /// Pairs that count.
    pairs: u64,
    /// Games that ended before their turn, by number.
    waiting: BTreeMap<u64, PlayedGame>,
}

#[derive(Debug)]
enum Rule {
    Test(PairTest),
    Score(Curtailed),
}

/// A sequential test of player A over pairs of games.
#[derive(Debug)]
pub struct PairTest {
    test: Sprt,
    seen: BTreeSet<(bool, Vec<Move>)>,
}

impl PairTest {
    /// A test that has seen no games.
    pub fn new(plan: SprtPlan) -> Self {
        Self { test: Sprt::new(plan), seen: BTreeSet::new() }
    }

    /// Adds the next scheduled pair. A pair that repeats earlier games move by move is no new
    /// evidence and is left out.
    pub fn add(&mut self, pair: [&PlayedGame; 2]) {
        let new = pair.map(|game| self.seen.insert((game.first == Seat::A, game.moves.clone())));
        if new != [false; 2] {
            self.test.add(half_points(pair) as usize);
        }
    }

    /// The test.
    pub fn into_test(self) -> Sprt {
        self.test
    }
}

/// A's half points in a pair.
fn half_points(pair: [&PlayedGame; 2]) -> u64 {
    pair.iter().map(|game| MatchCounts::of(std::slice::from_ref(*game)).half_points()).sum()
}

/// A match for a score, which ends where the games left cannot change the side on which it ends.
#[derive(Debug)]
struct Curtailed {
    /// A's score that decides, 0 to 1.
    score_min: f64,
    games: u64,
    half_points: u64,
    played: u64,
}

impl Curtailed {
    fn is_decided(&self) -> bool {
        // Half points, of which there are two a game.
        let needed = 2.0 * self.score_min * self.games as f64;
        let left = 2 * (self.games - self.played);
        self.half_points as f64 >= needed || ((self.half_points + left) as f64) < needed
    }
}

impl EarlyStopper {
    /// The state of a match of `games` games, of which `played` are finished. Without a rule all
    /// games are played.
    pub(crate) fn new(rule: Option<EarlyStop>, games: u64, played: &[PlayedGame]) -> Self {
        let rule = rule.map(|rule| match rule {
            EarlyStop::Test(plan) => Rule::Test(PairTest::new(plan)),
            EarlyStop::Score(score_min) => {
                Rule::Score(Curtailed { score_min, games, half_points: 0, played: 0 })
            }
        });
        let mut stopper = Self { rule, ..Self::default() };
        for game in played {
            stopper.add(game);
        }
        stopper
    }

    /// Adds a finished game. Returns whether the match is decided.
    pub(crate) fn add(&mut self, game: &PlayedGame) -> bool {
        if self.rule.is_none() {
            return false;
        }
        self.waiting.insert(game.number, game.clone());
        while !self.is_decided() {
            let number = 2 * self.pairs;
            let pair = [number, number + 1].map(|number| self.waiting.get(&number));
            let [Some(one), Some(other)] = pair else { break };
            self.pairs += 1;
            match &mut self.rule {
                Some(Rule::Test(test)) => test.add([one, other]),
                Some(Rule::Score(score)) => {
                    score.half_points += half_points([one, other]);
                    score.played += 2;
                }
                None => {}
            }
        }
        self.is_decided()
    }

    /// Whether the match is decided.
    pub(crate) fn is_decided(&self) -> bool {
        match &self.rule {
            Some(Rule::Test(test)) => test.test.stop().is_some(),
            Some(Rule::Score(score)) => score.is_decided(),
            None => false,
        }
    }

    /// Games up to the pair that decided the match; `games` if none did.
    pub(crate) fn games_counted(&self, games: u64) -> u64 {
        if self.is_decided() { 2 * self.pairs } else { games }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_pairs_are_no_evidence() {
        let game = |number: u64, mv: u16| PlayedGame {
            number,
            first: if number.is_multiple_of(2) { Seat::A } else { Seat::B },
            opening_plies: 0,
            moves: vec![Move(mv)],
            outcome: dz_game::Outcome::DRAW,
            adjudicated: false,
            forfeit: None,
            dispute: None,
        };
        let mut test = PairTest::new(SprtPlan::new(0.0, 50.0, 0.05, 0.05, 100).unwrap());
        for (pair, mv) in [1, 1, 2, 1].into_iter().enumerate() {
            let number = 2 * pair as u64;
            test.add([&game(number, mv), &game(number + 1, mv)]);
        }
        assert_eq!(test.test.pairs().pairs(), 2);
    }

    #[test]
    fn a_score_is_decidedwhen_the_rest_cannot_change_it() {
        let at = |half_points, played| {
            Curtailed { score_min: 0.55, games: 20, half_points, played }.is_decided()
        };
        // 11 points are needed, 22 half points.
        assert!(at(22, 12) && !at(21, 12));
        // After 12 games 8 are left: below 3 points nothing helps.
        assert!(at(5, 12) && !at(6, 12));
        assert!(at(22, 20) && at(21, 20), "all are played");
    }
}
