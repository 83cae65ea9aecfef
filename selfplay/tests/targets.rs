//! What the policy learns of whole games, by `search.target`, and the moves that are played.

#![allow(clippy::unwrap_used)]

use crate::common::{hashed_games, preset_with};
use dz_game::{Player, games::TicTacToe};
use dz_search::SearchCounts;
use dz_shard::{GameRecord, SearchKind};
use selfplay::{Past, cycle_plan};

/// Games of generation 1 of the smoke preset, laid over.
fn games(overrides: &[&str]) -> Vec<(GameRecord, SearchCounts)> {
    let config = preset_with("tictactoe-smoke", overrides);
    hashed_games(&TicTacToe, &cycle_plan(&config, 1, 0, None, Past::default()), 0..12)
}

#[test]
fn targets_other_than_visits_are_recorded_for_full_searches() {
    let plain = games(&[]);
    for target in ["pruned", "regularized", "completed_q"] {
        let found = games(&[&format!("search.target={target}")]);
        let mut differs = 0;
        for ((game, _), (other, _)) in found.iter().zip(&plain) {
            for (ply, same) in game.plies.iter().zip(&other.plies) {
                // What is learnt does not change what is played.
                assert_eq!((ply.mv, &ply.visits, ply.kind), (same.mv, &same.visits, same.kind));
                assert_eq!(same.target, None);
                assert_eq!(ply.target.is_some(), ply.kind == SearchKind::Full, "{target}");
                let Some(shares) = &ply.target else { continue };
                let total: u32 = shares.iter().map(|&(_, share)| u32::from(share)).sum();
                // Each share is rounded down.
                assert!(total <= 65_535 && total + 9 >= 65_535, "{target}: {total}");
                let visits: u32 = ply.visits.iter().map(|&(_, visits)| visits).sum();
                let as_visits = |&(mv, share): &(_, u16)| {
                    let of = ply.visits.iter().find(|&&(other, _)| other == mv);
                    of.is_some_and(|&(_, n)| n * 65_535 / visits == u32::from(share))
                };
                differs += u32::from(!shares.iter().all(as_visits));
            }
        }
        assert!(differs > 0, "{target} is another target than visits");
    }
}

#[test]
fn settings_of_the_search_reach_the_games() {
    let moves = |overrides: &[&str]| -> Vec<_> {
        games(overrides)
            .into_iter()
            .map(|(game, _)| {
                (game.plies.iter().map(|ply| ply.visits.clone()).collect::<Vec<_>>(), game.outcome)
            })
            .collect()
    };
    let mut met = vec![moves(&[])];
    for change in [
        "search.forced_playouts=2",
        "search.root_prior_temperature=2",
        "search.noise_shape=shaped",
        "search.root_fpu={ kind = \"absolute\", value = 1 }",
        "search.selection=gumbel",
        "search.leaves_max=4",
        "search.leaf_value=rollout",
        "search.move_choice=regularized",
        "search.move_choice=gumbel",
    ] {
        let found = moves(&[change]);
        assert!(!met.contains(&found), "{change}");
        met.push(found);
    }
}

#[test]
fn a_choice_without_chance_holds_where_the_temperature_is_0() {
    let cold = ["selfplay.temperature=0", "selfplay.temperature_final=0"];
    let chosen =
        |choice: &str| games(&[&cold[..], &[&format!("search.move_choice={choice}")]].concat());
    let most = chosen("visits");
    for (game, _) in &most {
        for ply in &game.plies {
            let top = ply.visits.iter().map(|&(_, visits)| visits).max();
            let own = ply.visits.iter().find(|&&(mv, _)| mv == ply.mv).map(|&(_, visits)| visits);
            assert_eq!(own, top);
        }
    }
    let winners = |games: &[(GameRecord, SearchCounts)]| -> Vec<Option<Player>> {
        games.iter().map(|(game, _)| game.outcome.winner).collect()
    };
    let plies = |games: &[(GameRecord, SearchCounts)]| -> Vec<_> {
        games.iter().flat_map(|(game, _)| game.plies.iter().map(|ply| ply.mv)).collect()
    };
    let value = chosen("value");
    assert_ne!((plies(&most), winners(&most)), (plies(&value), winners(&value)));
}

#[test]
fn a_temperature_step_samples_first_and_takes_the_most_visited_move_later() {
    let step = ["selfplay.temperature=5", "selfplay.temperature_plies=5"];
    let mut sampled = 0;
    for (game, _) in games(&[&step[..], &["selfplay.opening_plies_max=2"]].concat()) {
        let opening = game.start_moves.len();
        for (i, ply) in game.plies.iter().enumerate() {
            let top = ply.visits.iter().map(|&(_, visits)| visits).max();
            let own = ply.visits.iter().find(|&&(mv, _)| mv == ply.mv).map(|&(_, visits)| visits);
            if opening + i >= 5 {
                assert_eq!(own, top, "ply {} of game {}", opening + i, game.number);
            } else {
                sampled += u32::from(own != top);
            }
        }
    }
    assert!(sampled > 5, "{sampled} moves were not the most visited ones");
}
