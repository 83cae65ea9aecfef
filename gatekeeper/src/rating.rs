//! One rating of all players of a run, from all its rating games and its final match.

use anyhow::{Context, Result};
use dz_stats::{League, Standings};
use dz_store::{Entry, MatchState, PlayerName, RatingRow, RunState};

/// Fits one Bradley-Terry model, with draws, a first-mover term and a lineage prior, to all rating
/// games of the run and, if `final_too`, to those of final matches ([`League`]). Gate games are
/// left out, since only their winners are seen again. The best-connected anchor
/// ([`RunState::anchor`]) is at 0 Elo, or the first player where no network has met an anchor.
/// `None` without games.
///
/// # Errors
/// If the fit does not settle.
pub fn fit(state: &RunState, final_too: bool) -> Result<Option<Standings>> {
    fit_of(state.rated_matches(final_too), state.anchor())
}

/// As [`fit`], to the rating games of the cycles before `cycle`.
///
/// # Errors
/// If the fit does not settle.
pub fn fit_before(state: &RunState, cycle: u32) -> Result<Option<Standings>> {
    let rated = state.rated_matches(false).filter(|(at, _)| *at < cycle);
    fit_of(rated, state.anchor_before(cycle))
}

fn fit_of<'a>(
    rated: impl Iterator<Item = (u32, &'a MatchState)>,
    anchor: Option<&str>,
) -> Result<Option<Standings>> {
    let mut league = League::default();
    for (_, played) in rated {
        league.add(played.a.as_str(), played.b.as_str(), played.result.by_first);
    }
    if league.is_empty() {
        return Ok(None);
    }
    let zero = anchor.or(league.first()).map(str::to_owned);
    let fitted = league.fit(zero.as_deref(), |name| PlayerName::new(name).line());
    fitted.map(Some).context("rating the run's players")
}

/// Cycles whose players an entry names: with all of them the ledger would grow with the square of
/// the cycles. The same games rate the others again at any time, as the report does.
const CYCLES_NAMED: u32 = 32;

/// The ledger's entry of a fit: the anchors, the champion and the players of the newest cycles.
pub fn entry(fit: &Standings, cycle: u32, champion: Option<u32>) -> Entry {
    let is_named = |name: &str| {
        let made = PlayerName::new(name).made_in();
        made.is_none_or(|made| made + CYCLES_NAMED > cycle || Some(made) == champion)
    };
    // The player at 0 has no error. The errors of the others are relative to it.
    let named = fit.players().filter(|(name, row)| row.error95.0 == 0.0 || is_named(name));
    let rows = named.map(|(name, rating)| RatingRow {
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

#[cfg(test)]
mod tests {
    use dz_stats::League;

    use super::*;

    /// Networks of `cycles`, each of which drew with the one before and with `random`.
    fn named(cycles: u32, champion: Option<u32>) -> Vec<String> {
        let mut league = League::default();
        for cycle in 1..=cycles {
            let before = PlayerName::network(cycle - 1);
            let after = PlayerName::network(cycle);
            if cycle > 1 {
                league.add(before.as_str(), after.as_str(), [[0, 2, 0]; 2]);
            }
            league.add("random", after.as_str(), [[1, 0, 0]; 2]);
        }
        let fit = league.fit(Some("random"), |name| PlayerName::new(name).line()).unwrap();
        let Entry::Ratings { players, .. } = entry(&fit, cycles, champion) else {
            panic!("ratings")
        };
        players.into_iter().map(|row| row.player.to_string()).collect()
    }

    #[test]
    fn an_entry_does_not_grow_with_the_run() {
        assert_eq!(named(2, Some(1)), ["random", "network-0001", "network-0002"]);
        let many = named(100, Some(7));
        assert_eq!(many.len(), 2 + CYCLES_NAMED as usize);
        assert_eq!(many[..3], ["random", "network-0007", "network-0069"]);
        assert_eq!(many.last().map(String::as_str), Some("network-0100"));
    }
}
