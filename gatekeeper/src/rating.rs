//! One rating of all players of a run, from all its rating games.

use anyhow::{Context, Result};
use dz_config::{Anchor, AnchorKind};
use dz_stats::{League, Standings};
use dz_store::{Entry, MatchPurpose, PlayerName, RatingRow, RunState};

/// Fits one Bradley-Terry model, with draws, a first-mover term and a lineage prior, to all rating games of
/// the run ([`League`]); gate games are no part of it, since only winners of them are seen again. The anchor
/// that moves at random is at 0 Elo, or else the first anchor, or else the first player. `None` without
/// games.
///
/// # Errors
/// If the fit does not settle.
pub fn fit(state: &RunState, anchors: &[Anchor]) -> Result<Option<Standings>> {
    fit_before(state, anchors, u32::MAX)
}

/// As [`fit`], to the games of the cycles before `cycle`.
///
/// # Errors
/// If the fit does not settle.
pub fn fit_before(state: &RunState, anchors: &[Anchor], cycle: u32) -> Result<Option<Standings>> {
    let mut league = League::default();
    let rated = state.matches().filter(|(at, m)| *at < cycle && m.purpose == MatchPurpose::Rating);
    for (_, played) in rated {
        league.add(played.a.as_str(), played.b.as_str(), played.result.by_first);
    }
    if league.is_empty() {
        return Ok(None);
    }
    let by_moving_at_random =
        |anchor: &&Anchor| anchor.kind == AnchorKind::Random && league.knows(&anchor.name);
    let pinned = anchors.iter().find(by_moving_at_random).or(anchors.first());
    let pinned = pinned.map(|anchor| anchor.name.as_str()).filter(|name| league.knows(name));
    let zero = pinned.or(league.first()).map(str::to_owned);
    let fitted = league.fit(zero.as_deref(), |name| PlayerName::new(name).cycle());
    fitted.map(Some).context("rating the run's players")
}

/// The ledger's entry of a fit.
pub fn entry(fit: &Standings, cycle: u32) -> Entry {
    let rows = fit.players().map(|(name, rating)| RatingRow {
        player: PlayerName::new(name),
        elo: rating.elo.0,
        error95: rating.error95.0,
        score: rating.record.score().0,
        games: rating.record.games(),
    });
    Entry::Ratings {
        cycle,
        players: rows.collect(),
        first_mover_elo: fit.ratings().first_mover.0,
        draw_rate: fit.ratings().draw_rate,
    }
}
