//! What a cycle's rating games may cost: the share of a run that `rating.time_share` gives them.
//!
//! Costs are counted in playouts of a network, not in seconds: with a clock, the plan of matches
//! and therefore ratings would differ between machines and after every kill. Costs follow from the
//! ledger and the configuration alone. If self-play took less than its share, the rest is kept for
//! later cycles.

use dz_config::{AnchorKind, RunConfig};
use dz_store::{CycleState, MatchPurpose, MatchState, PlayerName, RunState};

/// Playouts with rollouts that cost as much as one with a network. On two cores the quick preset
/// plays 3.2 M of the former and 63 k of the latter a second (`benchmarks/connect4.md`).
pub const ROLLOUTS_A_PLAYOUT: f64 = 50.0;
/// A match is not shortened below this, so that colours are swapped over two openings. Instead,
/// matches at the end of the plan are dropped.
const GAMES_MIN: u32 = 4;

/// A rating match that is to be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Players A and B.
    pub players: [PlayerName; 2],
    /// Games; even.
    pub games: u32,
}

/// Shortens the matches of `cycle` to fit their share of the run. All are shortened equally; if too
/// few games would be left for each, the last matches are dropped. The first match always stays,
/// since a network without games has no rating.
pub(crate) fn fit(
    state: &RunState,
    config: &RunConfig,
    cycle: u32,
    pairs: Vec<[PlayerName; 2]>,
) -> Vec<Planned> {
    let games = config.rating.games;
    let plies = plies_mean(state, cycle);
    let cost = |players: &[PlayerName; 2]| plies * game_ply(config, players);
    let of = |players, games| Planned { players, games };
    let all = f64::from(games) * pairs.iter().map(cost).sum::<f64>();
    let allowed = allowed(state, config, cycle);
    if all <= allowed {
        return pairs.into_iter().map(|players| of(players, games)).collect();
    }
    let least = GAMES_MIN.min(games);
    let each = 2 * (f64::from(games / 2) * allowed.max(0.0) / all) as u32;
    if each >= least {
        return pairs.into_iter().map(|players| of(players, each)).collect();
    }
    let mut left = allowed;
    let mut kept = Vec::new();
    for players in pairs {
        left -= f64::from(least) * cost(&players);
        if left < 0.0 && !kept.is_empty() {
            break;
        }
        kept.push(of(players, least));
    }
    kept
}

/// What rating games of `cycle` may cost. No limit where nothing is known of self-play.
fn allowed(state: &RunState, config: &RunConfig, cycle: u32) -> f64 {
    let share = config.rating.time_share;
    let mut known = false;
    let mut selfplay = 0.0;
    let mut rating = 0.0;
    for (&at, now) in state.cycles.range(..=cycle) {
        if let Some(cost) = selfplay_cost(config, now) {
            known = true;
            selfplay += cost;
        }
        if at < cycle {
            rating += rating_cost(state, config, at, now);
        }
    }
    if !known || share >= 1.0 { f64::INFINITY } else { selfplay * share / (1.0 - share) - rating }
}

/// What the cycle's self-play cost; `None` before it is over.
fn selfplay_cost(config: &RunConfig, now: &CycleState) -> Option<f64> {
    let done = now.games_done.as_ref()?;
    // Counted playouts would leave out those of a process that was killed.
    Some(done.summary.positions as f64 * selfplay_ply_cost(config, done.generation))
}

/// Mean cost of a ply of self-play of a generation, in playouts of a network.
pub fn selfplay_ply_cost(config: &RunConfig, generation: u32) -> f64 {
    if generation == 0 {
        return f64::from(config.bootstrap.playouts) / ROLLOUTS_A_PLAYOUT;
    }
    let (full, fast) = config.selfplay_playouts(generation);
    let share = config.selfplay.full_share;
    share * f64::from(full) + (1.0 - share) * f64::from(fast)
}

/// What the rating games that a cycle has played cost.
fn rating_cost(state: &RunState, config: &RunConfig, cycle: u32, now: &CycleState) -> f64 {
    let of = |played: &MatchState| {
        let ply = game_ply(config, &[played.a.clone(), played.b.clone()]);
        played.result.games as f64 * plies_mean(state, cycle) * ply
    };
    now.matches.iter().filter(|played| played.purpose == MatchPurpose::Rating).map(of).sum()
}

/// Plies of a game, as the cycle's self-play had them.
fn plies_mean(state: &RunState, cycle: u32) -> f64 {
    let done = state.cycle_state(cycle).and_then(|now| now.games_done.as_ref());
    done.map_or(0.0, |done| done.summary.plies_mean)
}

/// What a ply of a game of these two costs.
fn game_ply(config: &RunConfig, players: &[PlayerName; 2]) -> f64 {
    let rating = &config.rating;
    let of = |name: &PlayerName| {
        let anchor = rating.anchors.iter().find(|anchor| anchor.name == name.as_str());
        match anchor.map(|anchor| &anchor.kind) {
            // How long a solver takes is not known before.
            Some(AnchorKind::Random | AnchorKind::Solver { .. }) => 0.0,
            Some(AnchorKind::Rollout(rollout)) => f64::from(rollout.playouts) / ROLLOUTS_A_PLAYOUT,
            None if name.policy_cycle().is_some() => 1.0,
            // Another program is given about as long as a network.
            Some(AnchorKind::Engine(_)) | None => f64::from(rating.playouts),
        }
    };
    0.5 * players.iter().map(of).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use dz_store::{GamesDoneState, MatchResult, ObjectRef, SelfplaySummary};

    use super::*;

    /// 30,000 positions a cycle of 100 playouts each, games of 30 plies.
    fn run(cycles: u32) -> RunState {
        let mut state = RunState::default();
        for cycle in 1..=cycles {
            let summary = SelfplaySummary {
                games: 1_000,
                positions: 30_000,
                plies_mean: 30.0,
                ..SelfplaySummary::default()
            };
            let games_done = Some(GamesDoneState { generation: 1, summary });
            state.cycles.insert(cycle, CycleState { games_done, ..CycleState::default() });
        }
        state
    }

    fn config(time_share: f64, games: u32) -> RunConfig {
        let text = "format = 1\nrun = { game = \"tictactoe\", cycles = 9 }\nselfplay.games = 1\n\
                    selfplay.playouts = 100\nselfplay.full_share = 1.0\nbootstrap.games = 1\n\
                    network = { blocks = 1, channels = 8 }\ngate.rule = \"always\"\n\
                    rating.playouts = 100\n";
        let sets = [format!("rating.time_share={time_share:?}"), format!("rating.games={games}")];
        RunConfig::from_text(text, &sets).unwrap()
    }

    fn pairs() -> Vec<[PlayerName; 2]> {
        ["random", "rollout-1000", "network-0001"]
            .map(|name| [PlayerName::network(2), PlayerName::new(name)])
            .to_vec()
    }

    fn games(planned: &[Planned]) -> Vec<u32> {
        planned.iter().map(|planned| planned.games).collect()
    }

    /// A ply of the three matches costs 50, 60 and 100 playouts, a game of each together 6,300.
    #[test]
    fn matches_are_cut_alike_to_their_share() {
        let planned = |share, wanted| fit(&run(1), &config(share, wanted), 1, pairs());
        // 3 M playouts of self-play leave 158 k of 5 %: 25.06 games of each.
        assert_eq!(games(&planned(0.05, 20)), [20; 3]);
        assert_eq!(games(&planned(0.05, 26)), [24; 3]);
        assert_eq!(games(&planned(0.05, 400)), [24; 3]);
        assert_eq!(games(&planned(1.0, 400)), [400; 3]);
        // 30 k: 4 games of each cost 25.2 k. 15 k: the last match is dropped. 3 k: the first one
        // stays.
        assert_eq!(games(&planned(0.01, 400)), [4; 3]);
        assert_eq!(games(&planned(0.005, 400)), [4; 2]);
        assert_eq!(games(&planned(0.000_1, 400)), [4]);
    }

    #[test]
    fn what_earlier_cycles_left_is_kept_and_what_they_overdrew_is_missing() {
        let mut state = run(2);
        let cut = |state: &RunState| games(&fit(state, &config(0.05, 400), 2, pairs()));
        // Twice 158 k, nothing spent: 50.1 games of each.
        assert_eq!(cut(&state), [50; 3]);
        state.cycles.get_mut(&1).unwrap().matches.push(MatchState {
            purpose: MatchPurpose::Rating,
            a: PlayerName::network(1),
            b: PlayerName::new("random"),
            // 30 plies of 50 playouts: 150 k.
            result: MatchResult { games: 100, ..MatchResult::default() },
            games: ObjectRef::of("x", b""),
        });
        assert_eq!(cut(&state), [26; 3]);
        state.cycles.get_mut(&1).unwrap().matches[0].result.games = 1_000;
        assert_eq!(cut(&state), [4]);
    }

    #[test]
    fn without_selfplay_nothing_is_cut() {
        let planned = fit(&RunState::default(), &config(0.01, 40), 1, pairs());
        assert_eq!(games(&planned), [40; 3]);
    }
}
