//! Openings by policy, forks, growing searches, soft resignation and surprise weights: what each
//! does to recorded games, and that nothing of it is there by default or before there is a network.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use crate::common::{hashed_games, text_with};
use dz_config::RunConfig;
use dz_game::Move;
use dz_game::games::Connect4;
use dz_shard::{GameEnd, GameRecord, ParentGame, SearchKind};
use selfplay::{Forks, Past, cycle_plan};

const BASE: &str = "format = 1\nrun = { game = \"connect4\", cycles = 5, seed = 3 }\n\
    selfplay = { games = 8, playouts = 40, playouts_fast = 10, full_share = 0.5, opening_plies_max = 6 }\n\
    bootstrap = { games = 8, playouts = 12 }\nnetwork = { blocks = 1, channels = 8 }\n\
    gate = { rule = \"always\" }\n";

fn config(overrides: &[&str]) -> RunConfig {
    text_with(BASE, overrides)
}

/// Games of a generation, by an evaluator whose priors and values are hashes.
fn games(generation: u32, forks: Option<Forks>, overrides: &[&str]) -> Vec<GameRecord> {
    let game = Connect4::new(7, 6, 4).unwrap();
    let plan =
        cycle_plan(&config(overrides), generation, 0, None, Past { forks, reanalyses: None });
    hashed_games(&game, &plan, 0..200).into_iter().map(|(record, _)| record).collect()
}

fn moves(record: &GameRecord) -> Vec<Move> {
    record.moves().collect()
}

#[test]
fn generation_0_has_nothing_of_it() {
    let plain = games(0, None, &[]);
    let forks = Forks::of(&plain, 1.0);
    let all = [
        "selfplay.opening=policy",
        "selfplay.fork_share=1",
        "selfplay.surprise_share=0.5",
        "selfplay.soft_resign={ above = 0.0 }",
        "selfplay.playouts_start=2",
    ];
    assert_eq!(games(0, Some(forks), &all), plain);
    assert!(plain.iter().all(|game| game.parent.is_none()));
    let weights = |game: &GameRecord| game.plies.iter().all(|ply| ply.weight == 1.0);
    assert!(plain.iter().all(weights) && games(1, None, &[]).iter().all(weights));
}

/// Openings are as long as random ones, and their moves are those that the policy likes.
#[test]
fn openings_by_policy_follow_it() {
    // What the evaluator says of the empty board: the priors of the first search.
    let prior = |temperature: &str| -> Vec<usize> {
        let temperature = format!("selfplay.opening_temperature={temperature}");
        let mut first = vec![0; 7];
        for game in games(1, None, &["selfplay.opening=policy", &temperature]) {
            assert!(game.start_moves.len() <= 6);
            if let Some(&mv) = game.start_moves.first() {
                first[usize::from(mv.0)] += 1;
            }
        }
        first
    };
    let (cold, hot) = (prior("0.05"), prior("50"));
    let total: usize = hot.iter().sum();
    assert!((140..200).contains(&total), "6 of 7 games have a first sampled move: {total}");
    // Two moves may be liked nearly alike.
    assert!(cold.iter().any(|&count| 10 * count > 9 * total), "{cold:?}");
    assert!(hot.iter().all(|&count| count > 8), "{hot:?}");
}

/// A fork is its parent up to a ply, does something else there, and goes on; the same forks come of
/// one parent alone.
#[test]
fn forks_leave_their_parents_at_one_ply() {
    let parents = games(1, None, &[]);
    let share = |share: f64| Forks::of(&parents, share);
    for opening in ["random", "policy"] {
        let opening = format!("selfplay.opening={opening}");
        let forked = games(1, Some(share(0.5)), &[&opening]);
        let count = forked.iter().filter(|game| game.parent.is_some()).count();
        assert!((75..125).contains(&count), "{count} of 200");
        for game in &forked {
            let Some(ParentGame { game: number, ply }) = game.parent else { continue };
            let (parent, ply) = (&parents[number as usize], usize::from(ply));
            let all = moves(parent);
            assert_eq!(game.start_moves[..ply], all[..ply]);
            match game.start_moves.get(ply) {
                Some(&other) => assert_ne!(other, all[ply]),
                // Every other move would have ended the game, or was sampled and would have.
                None => assert_eq!(game.start_moves.len(), ply),
            }
            assert!(game.start_moves.len() <= ply + 1 && !game.plies.is_empty());
        }
        let some = forked.iter().find(|game| game.parent.is_some()).unwrap();
        let parent = &parents[some.parent.unwrap().game as usize];
        let again = games(1, Some(Forks::of([parent], 1.0)), &[&opening]);
        assert_eq!(&again[some.number as usize], some, "as `dagzero replay` does");
        let plain = games(1, Some(share(0.0)), &[&opening]);
        assert_eq!(plain, games(1, None, &[&opening]));
        let unforked = |game: &&GameRecord| game.parent.is_none();
        let same = forked.iter().filter(unforked).all(|game| game == &plain[game.number as usize]);
        assert!(same, "games that are no forks are what they would have been");
    }
}

#[test]
fn searches_grow_to_the_last_cycle() {
    let grows = config(&["selfplay.playouts_start=10"]);
    let full = |generation| grows.selfplay_playouts(generation);
    assert_eq!([1, 2, 3, 4, 9].map(|g| full(g).0), [10, 20, 30, 40, 40]);
    assert_eq!(full(1), (10, 10));
    assert_eq!(config(&[]).selfplay_playouts(1), (40, 10));
    let two = ["selfplay.playouts_start=10", "run.cycles=2"];
    assert_eq!(config(&two).selfplay_playouts(1), (40, 10), "one cycle with a network is the last");
    let above = ["selfplay.playouts_start=41".to_owned()];
    let error = RunConfig::from_text(BASE, &above).unwrap_err().to_string();
    assert!(error.contains("selfplay.playouts_start"), "{error}");
    for game in games(2, None, &["selfplay.playouts_start=10"]) {
        for ply in game.plies {
            let wanted = if ply.kind == SearchKind::Full { 20 } else { 10 };
            assert_eq!(ply.budget, wanted);
        }
    }
}

#[test]
fn decided_games_cost_less_and_are_played_to_their_ends() {
    let keys = ["selfplay.soft_resign={ above = 0.0 }", "selfplay.soft_resign_plies=1"];
    let soft = games(1, None, &keys);
    let (mut reduced, mut whole) = (0, 0);
    for game in &soft {
        assert_eq!(game.end, GameEnd::Rules);
        for ply in &game.plies {
            assert!(ply.weight >= 0.1 && ply.weight <= 1.0);
            // Weight falls from 1 to 0.1 while playouts fall from 40 to 20; 10 are fewer already.
            let (most, fewest) = if ply.kind == SearchKind::Full { (40, 20) } else { (10, 10) };
            let progress = (1.0 - f64::from(ply.weight)) / 0.9;
            let wanted = f64::from(most) - f64::from(most - fewest) * progress;
            assert!((f64::from(ply.budget) - wanted).abs() <= 0.5 + 1e-4, "{ply:?}");
            reduced += u32::from(ply.budget < most);
            whole += u32::from(ply.weight == 1.0);
        }
        assert_eq!(game.plies[0].weight, 1.0, "nothing is known yet");
    }
    assert!(reduced > 50 && whole > 50, "{reduced} and {whole}");
}

#[test]
fn surprises_move_weight_within_a_game() {
    let (plain, surprised) =
        (games(1, None, &[]), games(1, None, &["selfplay.surprise_share=0.5"]));
    let mut differs = 0;
    for (old, new) in plain.iter().zip(&surprised) {
        let sums = [old, new].map(|game| game.plies.iter().map(|ply| ply.weight).sum::<f32>());
        assert!((sums[0] - sums[1]).abs() < 1e-3, "{sums:?}");
        for (old, new) in old.plies.iter().zip(&new.plies) {
            assert_eq!((old.mv, &old.visits), (new.mv, &new.visits));
            let is_full = old.kind == SearchKind::Full;
            assert!(new.weight >= 0.5 && (is_full || new.weight == 1.0));
            differs += u32::from(new.weight != 1.0);
        }
    }
    assert!(differs > 100);
}
