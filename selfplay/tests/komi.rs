//! Games whose komi is sampled: the record holds it, and nothing else changes.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use crate::common::{hashed_games, text_with};
use dz_game::{Game, Komi, games::Go};
use dz_shard::GameRecord;
use selfplay::{Forks, Past, cycle_plan};

const BASE: &str = "format = 1\nrun = { game = \"go:size=3,komi=2\", cycles = 5, seed = 3 }\n\
    selfplay = { games = 8, playouts = 12, playouts_fast = 4, plies_max = 40 }\n\
    bootstrap = { games = 8, playouts = 6 }\nnetwork = { blocks = 1, channels = 8 }\n\
    gate = { rule = \"always\" }\n";

fn go() -> Go {
    Go::from_spec(&"go:size=3,komi=2".parse().unwrap()).unwrap()
}

/// Games of a generation, by an evaluator whose priors and values are hashes of a network's input.
fn games(generation: u32, deviation: &str, forks: Option<Forks>) -> Vec<GameRecord> {
    let config = text_with(BASE, &[&format!("selfplay.komi_deviation={deviation}")]);
    let plan = cycle_plan(&config, generation, 0, None, Past { forks, reanalyses: None });
    hashed_games(&go(), &plan, 0..150).into_iter().map(|(record, _)| record).collect()
}

/// Games with the komi of the rules are identical to those of a cycle without varied komi. The
/// others are played by rules with their komi, and networks see it.
#[test]
fn games_of_the_rules_komi_are_what_they_were() {
    for generation in [0, 1] {
        let (plain, varied) = (games(generation, "0", None), games(generation, "1", None));
        assert!(plain.iter().all(|game| game.komi.is_none()));
        let (mut same, mut others) = (0, 0);
        for (old, new) in plain.iter().zip(&varied) {
            assert_eq!((old.seed, &old.start_moves), (new.seed, &new.start_moves));
            let Some(komi) = new.komi else {
                assert_eq!(old, new);
                same += 1;
                continue;
            };
            assert!(komi != Komi { halves: 4 } && (komi.halves - 4).abs() <= 7, "{komi}");
            let visits = |game: &GameRecord| game.plies[0].visits.clone();
            others += u32::from(visits(old) != visits(new));
            if let Some(margin) = new.outcome.margin {
                let rules = go().with_komi(komi).unwrap();
                assert_eq!(new.rules(&go()).unwrap().spec(), rules.spec());
                let ahead = 2 * margin - komi.halves;
                assert_eq!(
                    new.outcome.winner.map(dz_game::Player::index),
                    match ahead {
                        1.. => Some(0),
                        0 => None,
                        _ => Some(1),
                    }
                );
            }
        }
        assert!(same > 10 && others > 60, "{same} and {others} of 150");
    }
}

/// A fork is at its parent's komi, whose positions it begins with, and again when it is played from
/// that parent alone.
#[test]
fn forks_keep_the_komi_of_their_parents() {
    let parents = games(1, "1", None);
    let forked = games(1, "1", Some(Forks::of(&parents, 0.5)));
    let mut moved = 0;
    for game in &forked {
        let Some(parent) = game.parent else {
            assert_eq!(game, &parents[game.number as usize]);
            continue;
        };
        let parent = &parents[parent.game as usize];
        assert_eq!(game.komi, parent.komi);
        moved +=
            u32::from(parent.komi.is_some() && parent.komi != parents[game.number as usize].komi);
        let again = games(1, "1", Some(Forks::of([parent], 1.0)));
        assert_eq!(&again[game.number as usize], game);
        if moved > 3 {
            break;
        }
    }
    assert!(moved > 3, "{moved}");
}
