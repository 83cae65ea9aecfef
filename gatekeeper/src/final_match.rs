//! The match that ends a run: its champion against the best-connected anchor.
//!
//! It is played in the turn of the last cycle, before the entry that ends the cycle. So it needs no
//! turn of its own, and after a kill it is resumed like every other match.

use std::collections::BTreeSet;

use anyhow::Result;
use dz_config::{Anchor, AnchorKind, RunConfig};
use dz_play::anchor_player;
use dz_store::{MatchPurpose, RunState, best_connected};

use crate::cycle::{GateCycle, is_lost};

impl GateCycle<'_> {
    /// Whether the cycle has played the final match.
    pub(crate) fn has_final_match(&self) -> bool {
        self.state().matches.iter().any(|played| played.purpose == MatchPurpose::Final)
    }

    /// Plays the final match if the run ends with this cycle, which took `wall_ms`; false if it was
    /// stopped.
    pub(crate) fn final_match(&mut self, wall_ms: u64) -> Result<bool> {
        let state = self.ledger.state();
        let walls_ms = state.walls_ms().chain([wall_ms]);
        let games = self.config.r#final.games;
        if games == 0
            || self.has_final_match()
            || self.unplanned.cycles_planned(walls_ms) > self.cycle
        {
            return Ok(true);
        }
        let Some(champion) = state.champion.clone() else { return Ok(true) };
        let Some(anchor) = opponent(state, &self.config.rating.anchors, self.denied) else {
            return Ok(true);
        };
        let anchor = anchor_player(anchor)?;
        let playouts = self.config.final_playouts();
        match self.network(champion.cycle, &champion.network, playouts) {
            Ok(champion) => self.play(MatchPurpose::Final, vec![([champion, anchor], games)]),
            // Only the verdict's first sentence depends on these games.
            Err(error) if is_lost(&error) => {
                tracing::warn!("the final match is left out: {error:#}");
                Ok(true)
            }
            Err(error) => Err(error),
        }
    }
}

/// The anchor of the configuration that is the best connected by the run's rating games. Without
/// such games, the first that does not move at random, or else the first. Programs that may not be
/// started are left out.
fn opponent<'a>(
    state: &RunState,
    anchors: &'a [Anchor],
    denied: &BTreeSet<String>,
) -> Option<&'a Anchor> {
    let may_play = || anchors.iter().filter(|anchor| !denied.contains(&anchor.name));
    let find = |name: &str| may_play().find(|anchor| anchor.name == name);
    let rated = state.matches().map(|(_, played)| played).filter(|played| {
        let names = [played.a.as_str(), played.b.as_str()];
        played.purpose == MatchPurpose::Rating && names.into_iter().any(|name| find(name).is_some())
    });
    let best = best_connected(rated.map(|m| (m.a.as_str(), m.b.as_str(), m.result.by_first)));
    best.and_then(find)
        .or_else(|| may_play().find(|anchor| anchor.kind != AnchorKind::Random))
        .or_else(|| may_play().next())
}

/// Games of the final match that the turn of `cycle` has, as far as is known before it ends.
pub(crate) fn games_expected(unplanned: &RunConfig, state: &RunState, cycle: u32) -> u64 {
    let is_last = unplanned.cycles_planned(state.walls_ms()) <= cycle;
    if is_last { unplanned.r#final.games.into() } else { 0 }
}

#[cfg(test)]
mod tests {
    use dz_config::RolloutAnchor;
    use dz_store::{CycleState, MatchResult, MatchState, ObjectRef, PlayerName};

    use super::*;

    fn anchors() -> Vec<Anchor> {
        let anchor = |name: &str, kind| Anchor { name: name.to_owned(), kind };
        vec![
            anchor("random", AnchorKind::Random),
            anchor("rollout", AnchorKind::Rollout(RolloutAnchor::plain(10))),
            anchor("ahead", AnchorKind::Solver { depth: Some(2) }),
        ]
    }

    /// A cycle whose network won so many of twenty games against each.
    fn run(won: &[(&str, u64)]) -> RunState {
        let played = |&(name, wins): &(&str, u64)| MatchState {
            purpose: MatchPurpose::Rating,
            a: PlayerName::network(1),
            b: PlayerName::new(name),
            result: MatchResult {
                by_first: [[wins, 0, 20 - wins], [0; 3]],
                ..MatchResult::default()
            },
            games: ObjectRef::of("matches/x", b""),
        };
        let matches = won.iter().map(played).collect();
        let mut state = RunState::default();
        state.cycles.insert(1, CycleState { matches, ..CycleState::default() });
        state
    }

    #[test]
    fn the_opponent_is_the_anchor_whose_games_give_most_information() {
        let chosen = |won: &[(&str, u64)], denied: &[&str]| {
            let denied = denied.iter().map(|&name| name.to_owned()).collect();
            opponent(&run(won), &anchors(), &denied).map(|anchor| anchor.name.clone())
        };
        let won = [("random", 20), ("rollout", 17), ("ahead", 8), ("gone", 10)];
        assert_eq!(chosen(&won, &[]).as_deref(), Some("ahead"));
        assert_eq!(chosen(&won, &["ahead"]).as_deref(), Some("rollout"));
        assert_eq!(chosen(&[], &[]).as_deref(), Some("rollout"));
        assert_eq!(chosen(&[], &["rollout", "ahead"]).as_deref(), Some("random"));
        assert_eq!(chosen(&won, &["random", "rollout", "ahead"]), None);
    }
}
