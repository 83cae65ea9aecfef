//! Players with names, their matches and one fit of all of them.

use crate::elo::Elo;
use crate::error::StatsError;
use crate::games::PairResult;
use crate::rating::{Difference, Rating, RatingOptions, Ratings, rate};
use crate::roster::Roster;

/// Matches between named players, which are rated as the players of a run are
/// ([`RatingOptions::of_run`]).
#[derive(Clone, Debug, Default)]
pub struct League {
    roster: Roster,
    games: Vec<PairResult>,
}

/// What a fit says of named players.
#[derive(Clone, Debug)]
pub struct Standings {
    roster: Roster,
    ratings: Ratings,
}

impl League {
    /// Adds a match of `a` and `b`: the games in which `a` moved first and those in which `b` did, each as
    /// the first mover's wins, draws and losses.
    pub fn add(&mut self, a: &str, b: &str, by_first: [[u64; 3]; 2]) {
        let (a, b) = (self.roster.index(a), self.roster.index(b));
        for (first, second, [wins_first, draws, wins_second]) in
            [(a, b, by_first[0]), (b, a, by_first[1])]
        {
            self.games.push(PairResult { first, second, wins_first, draws, wins_second });
        }
    }

    /// Whether no game was played.
    pub fn is_empty(&self) -> bool {
        self.games.iter().all(|result| result.games() == 0)
    }

    /// Whether a player has a match.
    pub fn knows(&self, name: &str) -> bool {
        self.roster.find(name).is_some()
    }

    /// The first player that was named.
    pub fn first(&self) -> Option<&str> {
        self.roster.names().first().map(String::as_str)
    }

    /// Rates everybody; `anchor` is at 0 Elo, or the mean without one. `place` puts those in a line who
    /// were trained on from one another.
    ///
    /// # Errors
    /// As [`rate`].
    pub fn fit(
        self,
        anchor: Option<&str>,
        place: impl Fn(&str) -> Option<u32>,
    ) -> Result<Standings, StatsError> {
        let anchor = anchor.and_then(|name| self.roster.find(name));
        let options = RatingOptions::of_run(anchor, self.roster.chain(place));
        let ratings = rate(self.roster.len(), &self.games, &options)?;
        Ok(Standings { roster: self.roster, ratings })
    }
}

impl Standings {
    /// All players with their ratings, in the order in which they were first named.
    pub fn players(&self) -> impl Iterator<Item = (&str, &Rating)> {
        self.roster.names().iter().map(String::as_str).zip(&self.ratings.players)
    }

    /// The fit, by index.
    pub fn ratings(&self) -> &Ratings {
        &self.ratings
    }

    /// A player's index in the fit.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.roster.find(name)
    }

    /// A player's rating; `None` without one.
    pub fn elo(&self, name: &str) -> Option<Elo> {
        Some(self.ratings.players[self.find(name)?].elo)
    }

    /// How far `one` is above `other`; `None` if one of them was never rated.
    pub fn difference(&self, one: &str, other: &str) -> Option<Difference> {
        Some(self.ratings.difference(self.find(one)?, self.find(other)?))
    }

    /// As [`Ratings::expected`]; `None` if one of them was never rated.
    pub fn expected(&self, one: &str, other: &str) -> Option<[f64; 2]> {
        Some(self.ratings.expected(self.find(one)?, self.find(other)?))
    }
}
