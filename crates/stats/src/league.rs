//! Players with names, their matches and one fit of all of them.

use std::collections::{BTreeMap, BTreeSet};

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

/// Cycles, counted from the newest, whose players are all rated.
const CYCLES_WHOLE: u32 = 256;
/// A player that no cycle made keeps so many of its opponents, the newest.
const MET_KEPT: usize = 8;

/// The ratings of named players.
#[derive(Clone, Debug)]
pub struct Standings {
    roster: Roster,
    ratings: Ratings,
}

impl League {
    /// Adds a match of `a` and `b`: the games in which `a` moved first and those in which `b` did,
    /// each as the first mover's wins, draws and losses.
    pub fn add(&mut self, a: &str, b: &str, by_first: [[u64; 3]; 2]) {
        let a = self.roster.index(a);
        let b = self.roster.index(b);
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

    /// Rates the players. `anchor` is at 0 Elo; without one the mean is. For a player that a cycle
    /// made, `line` gives the name of its line, in which each player was trained on from the one
    /// before, and the cycle.
    ///
    /// A fit takes memory with the square of the players, and a run may have any number of cycles,
    /// so not all players are rated. All players of the newest 256 cycles are, and everybody who
    /// met one of them. Of the cycles before, every eighth is rated, from 8 * 256 cycles back every
    /// 64th, and so on. The anchor and other players that no cycle made keep the newest eight of
    /// their opponents, so that an anchor that retired long ago still pins the scale.
    ///
    /// # Errors
    /// As [`rate`].
    pub fn fit(
        self,
        anchor: Option<&str>,
        line: impl Fn(&str) -> Option<(&'static str, u32)>,
    ) -> Result<Standings, StatsError> {
        let thinned = self.thinned(anchor, |name| line(name).map(|(_, cycle)| cycle));
        thinned.rated(anchor, line)
    }

    /// Rates all of them.
    fn rated(
        self,
        anchor: Option<&str>,
        line: impl Fn(&str) -> Option<(&'static str, u32)>,
    ) -> Result<Standings, StatsError> {
        let Self { roster, games } = self;
        let anchor = anchor.and_then(|name| roster.find(name));
        let options = RatingOptions::of_run(anchor, roster.chain(line));
        let ratings = rate(roster.len(), &games, &options)?;
        Ok(Standings { roster, ratings })
    }

    /// Without the players that are too old to be rated, and their games.
    fn thinned(self, anchor: Option<&str>, made_in: impl Fn(&str) -> Option<u32>) -> Self {
        let made: Vec<Option<u32>> = self.roster.names().iter().map(|name| made_in(name)).collect();
        let anchor = anchor.and_then(|name| self.roster.find(name));
        let is_fixed = |index: usize| made[index].is_none() || Some(index) == anchor;
        let newest = made.iter().flatten().copied().max().unwrap_or(0);
        let age = |index: usize| made[index].map_or(0, |made| newest - made);
        if (0..made.len()).all(|index| age(index) < CYCLES_WHOLE) {
            return self;
        }
        let is_new = |index: usize| made[index].is_some() && age(index) < CYCLES_WHOLE;
        let of_step =
            |index: usize| made[index].is_some_and(|made| made.is_multiple_of(step(age(index))));
        let mut stays: Vec<bool> =
            (0..made.len()).map(|index| is_fixed(index) || of_step(index)).collect();
        let mut met: BTreeMap<usize, BTreeSet<(Option<u32>, usize)>> = BTreeMap::new();
        for game in &self.games {
            for (one, other) in [(game.first, game.second), (game.second, game.first)] {
                stays[one] |= is_new(other);
                if is_fixed(other) {
                    met.entry(other).or_default().insert((made[one], one));
                }
            }
        }
        for (_, one) in met.values().flat_map(|met| met.iter().rev().take(MET_KEPT)) {
            stays[*one] = true;
        }
        let mut kept = Self::default();
        for game in self.games.iter().filter(|game| stays[game.first] && stays[game.second]) {
            let [first, second] =
                [game.first, game.second].map(|old| kept.roster.index(&self.roster.names()[old]));
            kept.games.push(PairResult { first, second, ..*game });
        }
        kept
    }
}

/// For players of this age, in cycles: every so many cycles one is rated.
fn step(age: u32) -> u32 {
    let mut step = 1;
    while age / CYCLES_WHOLE >= step {
        step *= 8;
    }
    step
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

    /// As [`Ratings::within`]; `None` if one of them was never rated.
    pub fn within<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Option<(Vec<Elo>, Elo)> {
        let group: Option<Vec<usize>> = names.into_iter().map(|name| self.find(name)).collect();
        Some(self.ratings.within(&group?))
    }

    /// As [`Ratings::expected`]; `None` if one of them was never rated.
    pub fn expected(&self, one: &str, other: &str) -> Option<[f64; 2]> {
        Some(self.ratings.expected(self.find(one)?, self.find(other)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each of `cycles` networks scores 60 % against the one before, and one of four against the
    /// anchor.
    fn run(cycles: u32) -> Standings {
        played(cycles).fit(Some("anchor"), line).unwrap()
    }

    fn line(name: &str) -> Option<(&'static str, u32)> {
        Some(("network", name.parse().ok()?))
    }

    fn played(cycles: u32) -> League {
        let mut league = League::default();
        for cycle in 1..=cycles {
            let name = cycle.to_string();
            league.add(&name, "anchor", [[1, 0, 1], [1, 0, 1]]);
            if cycle > 1 {
                league.add(&name, &(cycle - 1).to_string(), [[6, 0, 4], [4, 0, 6]]);
            }
        }
        league
    }

    #[test]
    fn steps_grow_with_age() {
        let of = [0, 255, 256, 2047, 2048, 16_383, 16_384].map(step);
        assert_eq!(of, [1, 1, 8, 8, 64, 64, 512]);
    }

    #[test]
    fn a_fit_does_not_grow_with_the_run() {
        let names = |cycles| -> Vec<String> {
            run(cycles).players().map(|(name, _)| name.to_owned()).collect()
        };
        assert_eq!(names(256).len(), 1 + 256);
        let many = names(1000);
        // Every eighth of 744 old ones, and the one that the oldest of the new ones met.
        assert_eq!(many.len(), 1 + 256 + 744 / 8);
        for name in ["anchor", "8", "736", "744", "745", "1000"] {
            assert!(many.iter().any(|n| n == name), "{name}");
        }
        assert!(!many.iter().any(|name| name == "743"));
        assert!(names(3000).len() < 2 * names(256).len());
    }

    /// Games with old networks give little information about the newest.
    #[test]
    fn the_newest_are_rated_as_with_all() {
        let (thinned, whole) = (run(600), played(600).rated(Some("anchor"), line).unwrap());
        assert_eq!((thinned.players().count(), whole.players().count()), (1 + 256 + 344 / 8, 601));
        for name in ["600", "599", "500", "400"] {
            let [one, other] = [&thinned, &whole].map(|fit| fit.elo(name).unwrap().0);
            assert!((one - other).abs() < 1.0, "{name}: {one} {other}");
        }
        let gain = thinned.difference("600", "599").unwrap();
        assert!(gain.elo.0 > 10.0, "{gain:?}");
    }

    /// The random player meets the first three of a thousand networks, then retires; it is at 0 all
    /// the same.
    #[test]
    fn an_anchor_that_retired_long_ago_holds_the_scale() {
        let fit = |anchor: &str, has_anchors: bool| {
            let mut league = League::default();
            for cycle in 1..=1000 {
                let name = cycle.to_string();
                if has_anchors {
                    let other = if cycle <= 3 { "random" } else { "rollout" };
                    league.add(&name, other, [[1, 0, 1]; 2]);
                }
                if cycle > 1 {
                    league.add(&name, &(cycle - 1).to_string(), [[6, 0, 4], [4, 0, 6]]);
                }
            }
            let fit = league.fit(Some(anchor), line).unwrap();
            let zero = &fit.ratings().players[fit.find(anchor).expect("it stays")];
            assert_eq!((zero.elo.0, zero.error95.0), (0.0, 0.0), "{anchor}");
            fit.players().count()
        };
        assert_eq!(fit("random", true), 2 + 3 + 256 + 744 / 8);
        // The first network, where there is no other anchor, and the one that it met.
        assert_eq!(fit("1", false), 1 + 1 + 256 + 1);
    }
}
