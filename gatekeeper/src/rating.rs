//! One rating of all players of a run, from all its rating games.

use anyhow::{Context, Result};
use dz_config::{Anchor, AnchorKind};
use dz_stats::{Difference, PairResult, RatingOptions, Ratings, Roster, rate};
use dz_store::{Entry, MatchPurpose, PlayerName, RatingRow, RunState};

/// Players with names and their fitted ratings.
#[derive(Debug)]
pub struct Fit {
    roster: Roster,
    ratings: Ratings,
}

/// Fits one Bradley-Terry model, with draws, a first-mover term and a lineage prior
/// ([`RatingOptions::of_run`]), to all rating games of the run; gate games
/// are no part of it, since only winners of them are seen again. The anchor that moves at random
/// is at 0 Elo, or else the first anchor, or else the first player. `None` without games.
///
/// # Errors
/// If the fit does not settle.
pub fn fit(state: &RunState, anchors: &[Anchor]) -> Result<Option<Fit>> {
    fit_before(state, anchors, u32::MAX)
}

/// As [`fit`], to the games of the cycles before `cycle`.
///
/// # Errors
/// If the fit does not settle.
pub fn fit_before(state: &RunState, anchors: &[Anchor], cycle: u32) -> Result<Option<Fit>> {
    let mut roster = Roster::default();
    let mut games = Vec::new();
    let rated = state.matches().filter(|(at, m)| *at < cycle && m.purpose == MatchPurpose::Rating);
    for (_, played) in rated {
        let (a, b) = (roster.index(played.a.as_str()), roster.index(played.b.as_str()));
        for (first, second, counts) in
            [(a, b, played.result.by_first[0]), (b, a, played.result.by_first[1])]
        {
            let [wins_first, draws, wins_second] = counts;
            games.push(PairResult { first, second, wins_first, draws, wins_second });
        }
    }
    if games.iter().all(|result| result.games() == 0) {
        return Ok(None);
    }
    let by_moving_at_random =
        |anchor: &&Anchor| anchor.kind == AnchorKind::Random && roster.find(&anchor.name).is_some();
    let pinned = anchors.iter().find(by_moving_at_random).or(anchors.first());
    let anchor = pinned.and_then(|anchor| roster.find(&anchor.name)).unwrap_or(0);
    let lineage = roster.chain(|name| PlayerName::new(name).cycle());
    let options = RatingOptions::of_run(Some(anchor), lineage);
    let ratings = rate(roster.len(), &games, &options).context("rating the run's players")?;
    Ok(Some(Fit { roster, ratings }))
}

impl Fit {
    /// The ledger's entry.
    pub fn entry(&self, cycle: u32) -> Entry {
        let rows =
            self.roster.names().iter().zip(&self.ratings.players).map(|(name, rating)| RatingRow {
                player: PlayerName::new(name.clone()),
                elo: rating.elo.0,
                error95: rating.error95.0,
                score: rating.record.score().0,
                games: rating.record.games(),
            });
        Entry::Ratings {
            cycle,
            players: rows.collect(),
            first_mover_elo: self.ratings.first_mover.0,
            draw_rate: self.ratings.draw_rate,
        }
    }

    /// Elo of a player; `None` if it was never rated.
    pub fn elo(&self, name: &str) -> Option<f64> {
        Some(self.ratings.players[self.roster.find(name)?].elo.0)
    }

    /// How far `one` is above `other`; `None` if one of them was never rated.
    pub fn difference(&self, one: &str, other: &str) -> Option<Difference> {
        let (one, other) = (self.roster.find(one)?, self.roster.find(other)?);
        Some(self.ratings.difference(one, other))
    }
}
