//! Who meets whom in a cycle's rating games.
//!
//! The candidate plays champions at growing distances and every anchor that still tells something. An
//! anchor that the last networks beat nearly always has retired, and its games go to the champion whose
//! rating is the least certain, against the opponent from whom most is to be learned about it. All of
//! it follows from the ledger's earlier cycles, so a gatekeeper that starts again plans the same.

use anyhow::Result;
use dz_config::RatingSection;
use dz_store::{MatchPurpose, MatchState, PlayerName, RunState};

use crate::rating::{self, Fit};

/// How many champions back the candidate's opponents are, in the order in which places are given:
/// neighbours first, then what connects the ends of a long run. (Lc0 plays each network against those
/// 1, 3 and 10 before it.)
const DISTANCES: [usize; 8] = [1, 3, 10, 2, 30, 5, 100, 7];

/// An anchor retires when each of the last [`SATURATED_BY`] networks that met it scored at least this.
const SATURATED: f64 = 0.97;
/// See [`SATURATED`].
const SATURATED_BY: usize = 2;

/// The matches of `cycle`, by the names of their players; the candidate's own come first.
///
/// # Errors
/// If the fit of the games so far does not settle.
pub fn plan(state: &RunState, rating: &RatingSection, cycle: u32) -> Result<Vec<[PlayerName; 2]>> {
    let candidate = PlayerName::network(cycle);
    let fit = rating::fit_before(state, &rating.anchors, cycle)?;
    let champions: Vec<PlayerName> = state
        .cycles
        .range(..cycle)
        .rev()
        .filter_map(|(_, now)| Some(PlayerName::network(now.champion.as_ref()?.cycle)))
        .collect();
    let retired = retired(state, rating, cycle, fit.as_ref());
    let active: Vec<PlayerName> = rating
        .anchors
        .iter()
        .map(|anchor| PlayerName::new(anchor.name.clone()))
        .filter(|name| !retired.contains(name))
        .collect();
    let near = DISTANCES.iter().filter_map(|&back| champions.get(back - 1));
    let opponents = active.iter().chain(near.take(rating.neighbours as usize));
    let mut plan: Vec<[PlayerName; 2]> =
        opponents.map(|opponent| [candidate.clone(), opponent.clone()]).collect();
    if let Some(fit) = &fit {
        for _ in &retired {
            let Some(pair) = most_informative(fit, &champions, &active, &plan) else { break };
            plan.push(pair);
        }
    }
    Ok(plan)
}

/// Anchors that tell nothing any more; never the strongest, which holds the scale.
fn retired(
    state: &RunState,
    rating: &RatingSection,
    cycle: u32,
    fit: Option<&Fit>,
) -> Vec<PlayerName> {
    let Some(fit) = fit else { return Vec::new() };
    let names = rating.anchors.iter().map(|anchor| anchor.name.as_str());
    let strongest = names
        .clone()
        .max_by(|a, b| fit.elo(a).unwrap_or(0.0).total_cmp(&fit.elo(b).unwrap_or(0.0)));
    let saturated = |name: &&str| {
        let met = earlier(state, cycle).filter(|m| m.b.as_str() == *name);
        let scores: Vec<f64> = met.map(|m| m.result.score()).collect();
        let last = &scores[scores.len().saturating_sub(SATURATED_BY)..];
        last.len() == SATURATED_BY && last.iter().all(|&score| score >= SATURATED)
    };
    names.filter(|name| Some(*name) != strongest).filter(saturated).map(PlayerName::new).collect()
}

/// The least certain champion and the player from whom a game tells most about it: the variance of
/// their difference times that of a game's result.
fn most_informative(
    fit: &Fit,
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
            let expected = 1.0 / (1.0 + (-difference.elo.0 / dz_stats::ELO_PER_NAT).exp());
            let told = difference.error95.0.powi(2) * expected * (1.0 - expected);
            if best.as_ref().is_none_or(|(most, _)| told > *most) {
                best = Some((told, [one.clone(), other.clone()]));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

/// Rating matches of earlier cycles, in the order of the ledger.
fn earlier(state: &RunState, cycle: u32) -> impl Iterator<Item = &MatchState> {
    let matches = state.matches().filter(move |(at, _)| *at < cycle);
    matches.map(|(_, played)| played).filter(|played| played.purpose == MatchPurpose::Rating)
}

#[cfg(test)]
mod tests {
    use dz_config::{Anchor, AnchorKind};
    use dz_store::{ChampionState, CycleState, MatchResult, ObjectRef};

    use super::*;

    fn rating() -> RatingSection {
        let anchor = |name: &str, kind| Anchor { name: name.to_owned(), kind };
        RatingSection {
            games: 20,
            playouts: 10,
            neighbours: 3,
            opening_plies: 2,
            anchors: vec![
                anchor("random", AnchorKind::Random),
                anchor("rollout-100", AnchorKind::Rollout { playouts: 100 }),
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

    /// The strongest anchor stays, however weak.
    #[test]
    fn the_last_anchor_never_retires() {
        let mut rating = rating();
        rating.anchors.truncate(1);
        let plan = plan(&run(6, 20), &rating, 7).unwrap();
        assert_eq!(names(&plan)[0], ["network-0007", "random"]);
    }
}
