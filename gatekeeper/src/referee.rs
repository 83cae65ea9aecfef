//! Ends a match once enough is known.

use std::collections::{BTreeMap, BTreeSet};

use dz_game::Move;
use dz_play::{PlayedGame, Seat};
use dz_stats::{Sprt, SprtPlan};

use crate::{Bout, Decided, Played};

/// Takes pairs in the order in which they were scheduled, whenever their games end: short games end
/// first, and would otherwise decide. What counts is then the same for any number of games played
/// at once.
#[derive(Debug, Default)]
pub(crate) struct Referee {
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

/// A sequential test that is fed with games, of which A is the player that the test is about.
#[derive(Debug)]
pub(crate) struct PairTest {
    test: Sprt,
    seen: BTreeSet<(bool, Vec<Move>)>,
}

impl PairTest {
    pub(crate) fn new(plan: SprtPlan) -> Self {
        Self { test: Sprt::new(plan), seen: BTreeSet::new() }
    }

    /// Adds the next scheduled pair. One that repeats earlier games move by move says nothing new,
    /// and is left out.
    pub(crate) fn add(&mut self, pair: [&PlayedGame; 2]) {
        let new = pair.map(|game| self.seen.insert((game.first == Seat::A, game.moves.clone())));
        if new != [false; 2] {
            self.test.add(half_points(&pair) as usize);
        }
    }

    pub(crate) fn into_test(self) -> Sprt {
        self.test
    }
}

/// A's half points.
fn half_points(games: &[&PlayedGame]) -> u64 {
    let of = |game: &&PlayedGame| {
        let result = dz_play::MatchResult::of(std::slice::from_ref(*game));
        2 * result.wins + result.draws
    };
    games.iter().map(of).sum()
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

impl Referee {
    /// Of a match of which these games are played; it may let all games be played.
    pub(crate) fn new(bout: &Bout, played: &[PlayedGame]) -> Self {
        let rule = bout.decided.map(|decided| match decided {
            Decided::Test(plan) => Rule::Test(PairTest::new(plan)),
            Decided::Score(score_min) => {
                let games = bout.games;
                Rule::Score(Curtailed { score_min, games, half_points: 0, played: 0 })
            }
        });
        let mut referee = Self { rule, ..Self::default() };
        for game in played {
            referee.see(game);
        }
        referee
    }

    /// Takes a finished game; says whether the match is over.
    pub(crate) fn see(&mut self, game: &PlayedGame) -> bool {
        if self.rule.is_none() {
            return false;
        }
        self.waiting.insert(game.number, game.clone());
        while !self.is_over() {
            let number = 2 * self.pairs;
            let pair = [number, number + 1].map(|number| self.waiting.get(&number));
            let [Some(one), Some(other)] = pair else { break };
            self.pairs += 1;
            match &mut self.rule {
                Some(Rule::Test(test)) => test.add([one, other]),
                Some(Rule::Score(score)) => {
                    score.half_points += half_points(&[one, other]);
                    score.played += 2;
                }
                None => {}
            }
        }
        self.is_over()
    }

    /// Whether the match is decided.
    pub(crate) fn is_over(&self) -> bool {
        match &self.rule {
            Some(Rule::Test(test)) => test.test.stop().is_some(),
            Some(Rule::Score(score)) => score.is_decided(),
            None => false,
        }
    }

    /// The match up to the pair that decided it; all of it if none did.
    pub(crate) fn cut(&self, mut played: Played) -> Played {
        played.games.sort_by_key(|game| game.number);
        if self.is_over() {
            played.header.games = 2 * self.pairs;
            played.games.retain(|game| game.number < played.header.games);
        }
        played
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
    fn a_score_is_decided_when_the_rest_cannot_change_it() {
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
