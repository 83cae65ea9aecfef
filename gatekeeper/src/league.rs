//! Who meets whom in a cycle's rating games.
//!
//! The candidate plays champions at growing distances and every anchor whose games still give
//! information; its raw policy plays these anchors too, if that is asked for. An anchor retires
//! when the latest networks nearly always beat it, and waits while they nearly always lose to it.
//! Its games go to the champion with the least certain rating, against the opponent whose games
//! give most information. The plan follows from the ledger's earlier cycles and this cycle's
//! self-play, so a restarted gatekeeper plans the same.

use anyhow::Result;
use dz_config::{RatingSection, RunConfig};
use dz_stats::Standings;
use dz_store::{MatchPurpose, MatchState, PlayerName, RunState};

use crate::budget::{self, Planned};
use crate::rating;

/// How many champions back the candidate's opponents are, in the order in which places are given:
/// neighbours first, then what connects the ends of a long run. (Lc0 plays each network against
/// those 1, 3 and 10 before it.)
const DISTANCES: [usize; 8] = [1, 3, 10, 2, 30, 5, 100, 7];

/// An anchor retires when each of the last [`SATURATED_BY`] networks that met it scored at least
/// this.
const SATURATED: f64 = 0.97;
/// See [`SATURATED`].
const SATURATED_BY: usize = 2;
/// An anchor that is too strong, by the same measure, is met again after so many cycles: networks
/// grow.
const AGAIN_AFTER: u32 = 4;

/// The matches of `cycle` within their share of the run (`rating.time_share`), in the order in
/// which they are entered; none where nobody is rated.
///
/// # Errors
/// If the fit of the games so far does not settle.
pub fn scheduled(state: &RunState, config: &RunConfig, cycle: u32) -> Result<Vec<Planned>> {
    if config.rating.games == 0 {
        return Ok(Vec::new());
    }
    Ok(budget::fit(state, config, cycle, plan(state, &config.rating, cycle)?))
}

/// The matches of `cycle`, by the names of their players; the candidate's own come first.
///
/// # Errors
/// If the fit of the games so far does not settle.
pub fn plan(state: &RunState, rating: &RatingSection, cycle: u32) -> Result<Vec<[PlayerName; 2]>> {
    let candidate = PlayerName::network(cycle);
    let fit = rating::fit_before(state, cycle)?;
    let champions: Vec<PlayerName> = state
        .cycles
        .range(..cycle)
        .rev()
        .filter_map(|(_, now)| Some(PlayerName::network(now.champion.as_ref()?.cycle)))
        .collect();
    let idle = idle(state, rating, cycle, fit.as_ref());
    let active: Vec<PlayerName> = rating
        .anchors
        .iter()
        .map(|anchor| PlayerName::new(anchor.name.clone()))
        .filter(|name| !idle.contains(name))
        .collect();
    let near = DISTANCES.iter().filter_map(|&back| champions.get(back - 1));
    let opponents = active.iter().chain(near.take(rating.neighbours as usize));
    let mut plan: Vec<[PlayerName; 2]> =
        opponents.map(|opponent| [candidate.clone(), opponent.clone()]).collect();
    if rating.policy {
        let policy = PlayerName::policy(cycle);
        plan.extend(active.iter().map(|anchor| [policy.clone(), anchor.clone()]));
    }
    if let Some(fit) = &fit {
        for _ in &idle {
            let Some(pair) = most_informative(fit, &champions, &active, &plan) else { break };
            plan.push(pair);
        }
    }
    Ok(plan)
}

/// Anchors whose games give no information any more, or not yet. Never the strongest of those that
/// are not too strong, which holds the scale.
fn idle(
    state: &RunState,
    rating: &RatingSection,
    cycle: u32,
    fit: Option<&Standings>,
) -> Vec<PlayerName> {
    let Some(fit) = fit else { return Vec::new() };
    let last = |name: &str| {
        let met: Vec<(u32, f64)> = earlier(state, cycle)
            .filter(|(_, played)| played.b.as_str() == name && played.a.cycle().is_some())
            .map(|(at, played)| (at, played.result.score()))
            .collect();
        met[met.len().saturating_sub(SATURATED_BY)..].to_vec()
    };
    let always = |name: &str, is_so: fn(f64) -> bool| {
        let met = last(name);
        met.len() == SATURATED_BY && met.iter().all(|&(_, score)| is_so(score))
    };
    let too_strong = |name: &str| always(name, |score| score <= 1.0 - SATURATED);
    let waits = |name: &str| {
        let met = last(name).last().map_or(0, |&(at, _)| at);
        too_strong(name) && cycle - met < AGAIN_AFTER
    };
    let names = rating.anchors.iter().map(|anchor| anchor.name.as_str());
    // An anchor without games is no measure yet.
    let elo = |name: &&str| fit.elo(name).map_or(f64::NEG_INFINITY, |elo| elo.0);
    let strongest =
        names.clone().filter(|name| !too_strong(name)).max_by(|a, b| elo(a).total_cmp(&elo(b)));
    let retired = |name: &str| Some(name) != strongest && always(name, |score| score >= SATURATED);
    // Where all are too strong, the weakest goes on all the same.
    let weakest = names.clone().min_by(|a, b| elo(a).total_cmp(&elo(b)));
    let stays = |name: &str| strongest.is_none() && Some(name) == weakest;
    names
        .filter(|&name| !stays(name) && (waits(name) || retired(name)))
        .map(PlayerName::new)
        .collect()
}

/// The least certain champion and the opponent whose games give most information about it: the
/// variance of their difference times that of a game's result.
fn most_informative(
    fit: &Standings,
    champions: &[PlayerName],
    anchors: &[PlayerName],
    planned: &[[PlayerName; 2]],
) -> Option<[PlayerName; 2]> {
    let is_planned = |one: &PlayerName, other: &PlayerName| {
        planned.iter().any(|pair| pair.contains(one) && pair.contains(other))
    };
    let mut best: Option<(f64, [PlayerName; 2])> = None;
    for one in champions {
        for other in champions.iter().chain(anchors).filter(|&other| other != one) {
            let Some(difference) = fit.difference(one.as_str(), other.as_str()) else { continue };
            if is_planned(one, other) {
                continue;
            }
            let expected = difference.elo.to_score().0;
            let information = difference.error95.0.powi(2) * expected * (1.0 - expected);
            if best.as_ref().is_none_or(|(most, _)| information > *most) {
                best = Some((information, [one.clone(), other.clone()]));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// Rating matches of earlier cycles, in the order of the ledger.
fn earlier(state: &RunState, cycle: u32) -> impl Iterator<Item = (u32, &MatchState)> {
    let matches = state.matches().filter(move |(at, _)| *at < cycle);
    matches.filter(|(_, played)| played.purpose == MatchPurpose::Rating)
}

#[cfg(test)]
mod tests {
    use dz_config::{Anchor, AnchorKind, RolloutAnchor};
    use dz_store::{ChampionState, CycleState, MatchResult, ObjectRef};

    use super::*;

    fn rating() -> RatingSection {
        let anchor = |name: &str, kind| Anchor { name: name.to_owned(), kind };
        RatingSection {
            games: 20,
            time_share: 1.0,
            playouts: 10,
            policy: false,
            neighbours: 3,
            opening_plies: 2,
            anchors: vec![
                anchor("random", AnchorKind::Random),
                anchor("rollout-100", AnchorKind::Rollout(RolloutAnchor::plain(100))),
            ],
        }
    }

    /// A run whose every candidate became champion and scored `against_random` of 20 games.
    fn run(cycles: u32, against_random: u64) -> RunState {
        let mut state = RunState::default();
        for cycle in 1..=cycles {
            let object = ObjectRef::of("x", b"");
            let mut now = CycleState {
                champion: Some(ChampionState { generation: cycle, cycle, network: object.clone() }),
                ..CycleState::default()
            };
            let mut met = |b: &str, wins: u64| {
                let half = [wins / 2, wins - wins / 2];
                now.matches.push(MatchState {
                    purpose: MatchPurpose::Rating,
                    a: PlayerName::network(cycle),
                    b: PlayerName::new(b),
                    result: MatchResult {
                        games: 20,
                        wins,
                        losses: 20 - wins,
                        by_first: [[half[0], 0, 10 - half[0]], [10 - half[1], 0, half[1]]],
                        ..MatchResult::default()
                    },
                    games: object.clone(),
                });
            };
            met("random", against_random);
            met("rollout-100", 10);
            if cycle > 1 {
                met(PlayerName::network(cycle - 1).as_str(), 11);
            }
            state.cycles.insert(cycle, now);
        }
        state
    }

    fn names(plan: &[[PlayerName; 2]]) -> Vec<[&str; 2]> {
        plan.iter().map(|[a, b]| [a.as_str(), b.as_str()]).collect()
    }

    #[test]
    fn the_first_candidate_plays_the_anchors() {
        let plan = plan(&RunState::default(), &rating(), 1).unwrap();
        assert_eq!(names(&plan), [["network-0001", "random"], ["network-0001", "rollout-100"]]);
    }

    #[test]
    fn neighbours_are_one_three_and_ten_back() {
        let plan = plan(&run(14, 15), &rating(), 15).unwrap();
        let opponents: Vec<&str> = names(&plan).iter().map(|pair| pair[1]).collect();
        let expected = ["random", "rollout-100", "network-0014", "network-0012", "network-0005"];
        assert_eq!(opponents, expected);
    }

    #[test]
    fn a_beaten_anchor_retires_and_its_games_go_where_least_is_known() {
        let state = run(6, 20);
        let plan = plan(&state, &rating(), 7).unwrap();
        let names = names(&plan);
        assert!(names[..4].iter().all(|pair| pair[0] == "network-0007"), "{names:?}");
        assert_eq!(names[0][1], "rollout-100", "random has retired: {names:?}");
        assert_eq!(names.len(), 5, "its games are played all the same: {names:?}");
        assert!(!names[4].contains(&"network-0007") && !names[4].contains(&"random"), "{names:?}");
        // The same ledger gives the same plan, whatever this cycle has played already.
        let mut later = state.clone();
        later.cycles.insert(7, state.cycles[&6].clone());
        assert_eq!(super::plan(&later, &rating(), 7).unwrap(), plan);
    }

    /// After the candidate itself, so that it is the first to go where games are cut.
    #[test]
    fn the_raw_policy_plays_the_anchors() {
        let plan = plan(&run(1, 15), &RatingSection { policy: true, ..rating() }, 2).unwrap();
        let ours = ["random", "rollout-100", "network-0001"].map(|name| ["network-0002", name]);
        let raw = ["random", "rollout-100"].map(|name| ["policy-0002", name]);
        assert_eq!(names(&plan), [ours.as_slice(), raw.as_slice()].concat());
    }

    /// One that nobody beats yet is met every fourth cycle.
    #[test]
    fn an_anchor_that_is_too_strong_waits() {
        let state = run(6, 0);
        let meets = |state: &RunState, cycle| {
            let plan = plan(state, &rating(), cycle).unwrap();
            plan.iter().any(|[_, opponent]| opponent.as_str() == "random")
        };
        assert!(meets(&run(1, 0), 2), "one match is chance");
        assert_eq!([7, 8, 9, 10].map(|cycle| meets(&state, cycle)), [false, false, false, true]);
        let mut alone = rating();
        alone.anchors.truncate(1);
        let plan = plan(&state, &alone, 7).unwrap();
        assert_eq!(names(&plan)[0], ["network-0007", "random"], "the only anchor stays");
    }

    /// The strongest anchor stays, however weak.
    #[test]
    fn the_last_anchor_never_retires() {
        let mut rating = rating();
        rating.anchors.truncate(1);
        let plan = plan(&run(6, 20), &rating, 7).unwrap();
        assert_eq!(names(&plan)[0], ["network-0007", "random"]);
    }
}
