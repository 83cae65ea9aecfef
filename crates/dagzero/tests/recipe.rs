//! The recipe through the front door: a run with forks, openings by policy, growing searches, soft
//! resignation, surprise weights and reanalyzed games is replayed and verified; another
//! network takes over its games; learning rates are tried on its rows. A run of Go does so with
//! komi that differs from game to game.

use std::path::Path;

use crate::common::program::{dagzero, json, said, smoke_preset, text};
use serde_json::Value;

const RECIPE: [&str; 8] = [
    "run.cycles=3",
    "selfplay.opening=policy",
    "selfplay.fork_share=0.5",
    "selfplay.reanalyse_share=0.3",
    "selfplay.surprise_share=0.5",
    "selfplay.soft_resign={ above = 0.5 }",
    "selfplay.playouts_start=8",
    "selfplay.full_share=0.5",
];

/// A run of the tic-tac-toe preset under the whole recipe.
fn recipe_run(folder: &Path) -> String {
    let (preset, dir) = (smoke_preset(), folder.join("run").display().to_string());
    let mut args = vec!["run", preset.as_str(), "--dir", dir.as_str()];
    for pair in RECIPE {
        args.extend(["--set", pair]);
    }
    said(&args);
    dir
}

#[test]
fn a_run_of_the_whole_recipe_replays_forks_and_hands_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = recipe_run(folder.path());
    said(&["verify", &run]);

    // Games of the last cycle, some of them forks; each is played again to the count.
    let exported = said(&["export", &run, "--format", "json"]);
    let games: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).expect("a game")).collect();
    let is_fork = |game: &&Value| game.to_string().contains("forked from game");
    let forks: Vec<&Value> = games.iter().filter(is_fork).collect();
    assert!(forks.len() > 10, "{} of {} games are forks", forks.len(), games.len());
    let is_reanalyzed = |game: &&Value| game.to_string().contains("reanalyzed");
    let reanalyzed: Vec<&Value> = games.iter().filter(is_reanalyzed).collect();
    assert!(reanalyzed.len() > 10, "{} of {} games are reanalyzed", reanalyzed.len(), games.len());
    let wanted =
        [forks[0], forks[forks.len() - 1], reanalyzed[0], reanalyzed[reanalyzed.len() - 1]];
    for game in wanted.into_iter().chain(games.last()) {
        let number = game["round"].as_str().expect("a number");
        let replayed = json(&["replay", &run, "--game", number, "--json"]);
        assert_eq!((&replayed["exact"], &replayed["share_equal"]), (&true.into(), &1.0.into()));
        assert_eq!(replayed["differences"], Value::Array(Vec::new()), "game {number}");
    }
    hands_over(&run, folder.path());
    tries_rates(&run);
}

/// Games of many komi, some of them forks, are replayed, verified and exported with the komi that
/// each was played by.
#[test]
fn a_run_of_many_komi_says_of_each_game_which_it_had() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("komi.toml");
    let preset = "format = 1\nrun = { game = \"go:size=3,komi=3\", cycles = 2, seed = 4, device = \"cpu\" }\n\
        selfplay = { games = 24, playouts = 12, playouts_fast = 6, plies_max = 40, games_per_shard = 8, \
        komi_deviation = 1.5, komi_wide_share = 0.2, fork_share = 0.4 }\nbootstrap = { games = 24, playouts = 8 }\n\
        network = { blocks = 1, channels = 8, any_size = true }\ntraining = { batch = 32 }\n\
        heads = { ownership_weight = 1.0, reply_weight = 0.1 }\ngate = { rule = \"always\" }\n\
        rating = { games = 0 }\n";
    std::fs::write(&config, preset).expect("a file");
    let (config, run) = (config.display().to_string(), folder.path().join("run"));
    let run = run.display().to_string();
    let refused = dagzero(&["run", &config, "--dir", &run, "--set", "run.game=hex:size=3"]);
    assert_eq!(refused.status.code(), Some(78), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("hex has no komi"), "{}", text(&refused.stderr));

    said(&["run", &config, "--dir", &run]);
    said(&["verify", &run]);
    let exported = said(&["export", &run, "--format", "json"]);
    let games: Vec<Value> =
        exported.lines().map(|line| serde_json::from_str(line).expect("a game")).collect();
    let komi = |game: &Value| {
        let name = game["game"].as_str().expect("a game").to_owned();
        name.split("komi=").nth(1).and_then(|rest| rest.split(',').next()).map(str::to_owned)
    };
    let met: std::collections::BTreeSet<_> = games.iter().map(komi).collect();
    assert!(met.len() >= 5, "{met:?}");
    let sgf = said(&["export", &run, "--format", "sgf"]);
    let written: Vec<&str> =
        sgf.split("KM[").skip(1).filter_map(|rest| rest.split(']').next()).collect();
    assert_eq!(written.len(), games.len());
    for (game, written) in games.iter().zip(written) {
        assert_eq!(komi(game).as_deref(), Some(written));
    }
    // Its champion learnt on a small board, and plays on a larger one, where games are longer than
    // the run has them.
    let on_5 = ["match", &run, "random", "--game", "go:size=5,komi=7", "--games", "4"];
    let on_5 = json(&[&on_5[..], &["--playouts", "8", "--json"]].concat());
    assert!(on_5["game"].as_str().is_some_and(|game| game.starts_with("go:size=5")), "{on_5}");

    let is_fork = |game: &&Value| game.to_string().contains("forked from game");
    let fork = games.iter().find(is_fork).expect("a fork");
    for game in [&games[0], fork, &games[games.len() - 1]] {
        let number = game["round"].as_str().expect("a number");
        let replayed = json(&["replay", &run, "--game", number, "--json"]);
        assert_eq!((&replayed["exact"], &replayed["share_equal"]), (&true.into(), &1.0.into()));
        assert_eq!(replayed["differences"], Value::Array(Vec::new()), "game {number}");
    }
}

/// A wider network learns the games first, then plays on.
fn hands_over(run: &str, folder: &Path) {
    let new = folder.join("wide").display().to_string();
    let mut args = vec!["fork", run, new.as_str()];
    for pair in ["network.channels=24", "run.cycles=2", "gate.rule=always"] {
        args.extend(["--set", pair]);
    }
    let told = said(&args);
    assert!(told.contains("resume"), "{told}");
    let again = dagzero(&["fork", run, &new]);
    assert!(!again.status.success() && text(&again.stderr).contains("exists already"));
    said(&["resume", &new]);
    said(&["verify", &new]);
    let of =
        |run: &str, key: &str| json(&["status", run, "--json"])[key].as_u64().expect("a count");
    assert_eq!(of(&new, "cycles_done"), 2);
    // The games of the old run and one cycle of its own.
    assert_eq!(of(&new, "games"), of(run, "games") + 40);
    // What was taken over can be checked for its rules alone, the run's own games to the count.
    let games = said(&["export", &new, "--format", "json"]);
    let numbers = games.lines().map(|line| serde_json::from_str::<Value>(line).expect("a game"));
    let numbers: Vec<String> =
        numbers.map(|game| game["round"].as_str().expect("a number").to_owned()).collect();
    for (number, imported) in [(&numbers[0], true), (&numbers[numbers.len() - 1], false)] {
        let replayed = json(&["replay", &new, "--game", number, "--json"]);
        assert_eq!(
            (&replayed["imported"], &replayed["exact"]),
            (&imported.into(), &(!imported).into())
        );
        assert_eq!(replayed["differences"], Value::Array(Vec::new()), "game {number}");
    }
    assert!(said(&["replay", &new, "--game", &numbers[0]]).contains("another run"));
    let other = dagzero(&["fork", run, &format!("{new}-go"), "--set", "run.game=hex:size=3"]);
    assert!(!other.status.success() && text(&other.stderr).contains("tictactoe"));
}

fn tries_rates(run: &str) {
    let tuned = json(&["tune-lr", run, "--steps", "120", "--to", "30", "--json"]);
    let suggested = tuned["suggested"].as_f64().expect("a rate");
    assert!((1e-4..1.0).contains(&suggested), "{suggested}");
    assert!(said(&["tune-lr", run, "--steps", "60"]).contains("learning rate"));
    let learnt = json(&["tune-lr", run, "--overfit", "--json", "--steps", "300"]);
    assert_eq!(learnt["passed"], true, "{learnt}");
    let idle = ["--set", "training.learning_rate=1e-7", "--set", "training.learning_rate_final=0"];
    let failed = dagzero(&[&["tune-lr", run, "--overfit", "--steps", "5"], &idle[..]].concat());
    assert_eq!(failed.status.code(), Some(1), "{}", text(&failed.stdout));
}
