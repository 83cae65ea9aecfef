//! Ends a match once a sequential test knows enough.

use std::collections::BTreeMap;

use dz_play::PlayedGame;
use dz_stats::{Sprt, SprtPlan};

use crate::Played;

/// Gives pairs to a test in the order in which they were scheduled, whenever their games end: short
/// games end first, and would otherwise decide. What counts is then the same for any number of games
/// played at once.
#[derive(Debug, Default)]
pub(crate) struct Referee {
    test: Option<Sprt>,
    /// A's half points in games that ended before their turn, by number.
    waiting: BTreeMap<u64, u64>,
}

impl Referee {
    /// Of a match of which these games are played; without a plan it lets all games be played.
    pub(crate) fn new(plan: Option<SprtPlan>, played: &[PlayedGame]) -> Self {
        let mut referee = Self { test: plan.map(Sprt::new), waiting: BTreeMap::new() };
        for game in played {
            referee.see(game);
        }
        referee
    }

    /// Takes a finished game; says whether the match is over.
    pub(crate) fn see(&mut self, game: &PlayedGame) -> bool {
        let Some(test) = &mut self.test else { return false };
        let result = dz_play::MatchResult::of(std::slice::from_ref(game));
        self.waiting.insert(game.number, 2 * result.wins + result.draws);
        let next = |test: &Sprt| 2 * test.pairs().pairs();
        while let (None, Some(one), Some(other)) =
            (test.stop(), self.waiting.get(&next(test)), self.waiting.get(&(next(test) + 1)))
        {
            test.add((one + other) as usize);
        }
        self.is_over()
    }

    /// Whether the test has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.test.as_ref().is_some_and(|test| test.stop().is_some())
    }

    /// The match up to the pair that ended the test; all of it if none did.
    pub(crate) fn cut(&self, mut played: Played) -> Played {
        played.games.sort_by_key(|game| game.number);
        if let Some(test) = self.test.as_ref().filter(|test| test.stop().is_some()) {
            played.header.games = 2 * test.pairs().pairs();
            played.games.retain(|game| game.number < played.header.games);
        }
        played
    }
}
