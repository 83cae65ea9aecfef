//! `match` and `accuracy` as others start them.

use std::{fs, process::Output};

use crate::common::{
    network::{blank_network, blank_network_of_any_size},
    program::dagzero,
};
use dz_testkit::preset;
use serde_json::Value;

fn json(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_match_counts_as_the_table_says() {
    let args = ["match", "rollout:30", "random", "--game", "tictactoe", "--games", "40", "--json"];
    let output = dagzero(&args);
    let found = json(&output);
    assert_eq!((&found["a"], &found["b"]), (&"rollout-30".into(), &"random".into()));
    let count = |name: &str| found[name].as_u64().expect("a count");
    assert_eq!(count("games"), 40);
    assert_eq!(count("wins") + count("draws") + count("losses"), 40);
    for kind in ["wins", "draws", "losses"] {
        let sides = ["first", "second"].map(|side| found[side][kind].as_u64().expect("a count"));
        assert_eq!(sides.iter().sum::<u64>(), count(kind), "{kind} by side: {sides:?}");
    }
    let pairs = found["pairs"].as_array().expect("pairs");
    assert_eq!(pairs.iter().filter_map(Value::as_u64).sum::<u64>(), 20);
    let number = |name: &str| found[name].as_f64().expect("a number");
    let score = (count("wins") as f64 + 0.5 * count("draws") as f64) / 40.0;
    assert!((number("score") - score).abs() < 1e-12);
    assert!(number("lo95") < score && score < number("hi95"));
    assert!(score > 0.6 && number("elo") > 70.0, "{found}");
    assert_eq!(dagzero(&args).stdout, output.stdout, "the same seed plays the same games");
}

#[test]
fn moves_are_judged_by_the_solver() {
    let judged = |a: &str, b: &str| {
        let game = ["--game", "tictactoe", "--opening-plies", "0", "--games", "20"];
        let found = json(&dagzero(&[&["match", a, b][..], &game, &["--judge", "--json"]].concat()));
        found["judged"].clone()
    };
    let count = |value: &Value| value.as_u64().expect("a count");
    let shares = |judged: &Value| {
        ["moves", "nontrivial"]
            .map(|of| [&judged[of]["preserving"], &judged[of]["positions"]].map(count))
    };
    let perfect = judged("solver", "random");
    let [[kept, all], [kept_hard, hard]] = shares(&perfect);
    assert_eq!((kept, kept_hard), (all, hard), "{perfect}");
    assert!(hard > 0 && hard < all, "the first move of tic-tac-toe cannot be wrong: {perfect}");
    assert_eq!(perfect["lost_by_ply"], Value::Array(vec![]));
    let random = judged("random", "solver");
    let [[kept, all], [kept_hard, hard]] = shares(&random);
    let lost = random["lost_by_ply"].as_array().expect("plies");
    let lost_count: u64 = lost.iter().map(|at| count(&at["moves"])).sum();
    assert!(lost_count > 0 && lost_count == all - kept && lost_count == hard - kept_hard);
    assert!(lost.iter().all(|at| count(&at["ply"]) > 0), "{random}");
    let text = dagzero(&["match", "solver", "random", "--game", "tictactoe", "--judge"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("moves that kept the value: "), "{text}");
}

#[test]
fn a_network_file_plays_and_its_games_are_kept() {
    let dir = tempfile::tempdir().expect("a folder");
    let network = blank_network(&dir, "connect4");
    let games = dir.path().join("games.jsonl").display().to_string();
    let args = ["match", &network, "random", "--games", "4", "--playouts", "8", "--out", &games];
    let output = dagzero(&args);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("4 games from 2 distinct openings"));
    let text = fs::read_to_string(&games).expect("kept");
    let dz_play::PlayedMatch { header, games: played } =
        dz_play::read_match(&text).expect("a match");
    assert_eq!((header.game.as_str(), played.len()), ("connect4:width=7,height=6,connect=4", 4));
    // A file that is there is not written over.
    assert_eq!(dagzero(&args).status.code(), Some(2));
    assert_eq!(fs::read_to_string(&games).expect("kept"), text);
}

#[test]
fn a_network_meets_itself_with_another_search() {
    let dir = tempfile::tempdir().expect("a folder");
    let network = blank_network(&dir, "connect4");
    let with_keys = format!("{network},selection=gumbel,exploration={{ }}");
    let play =
        |a: &str| dagzero(&["match", a, &network, "--games", "8", "--playouts", "16", "--json"]);
    let found = json(&play(&format!("{network},selection=uct,c_uct=2")));
    assert_eq!(found["a"], format!("{network},selection=uct,c_uct=2"));
    assert_eq!(found["b"], network);
    // Another search plays other games; the same search plays both sides of a pair alike.
    let same = json(&play(&network));
    assert_ne!(found["pairs"], same["pairs"], "{found} {same}");
    for wrong in [with_keys, format!("{network},selecton=uct"), format!("{network},")] {
        let refused = play(&wrong);
        assert_eq!(refused.status.code(), Some(2), "{wrong}");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains("search.") || said.contains("key"), "{wrong}: {said}");
    }
    // A name with a comma in it is a name first.
    let comma = dir.path().join("a,puct=1.dzn");
    fs::copy(&network, &comma).expect("copied");
    assert_eq!(json(&play(&comma.display().to_string()))["a"], comma.display().to_string());
}

#[test]
fn a_network_for_boards_of_any_size_plays_on_the_one_that_is_asked_for() {
    let dir = tempfile::tempdir().expect("a folder");
    let network = blank_network_of_any_size(&dir, "go:size=5,komi=7");
    let play = |game: &[&str]| {
        let mut args =
            vec!["match", &network, "random", "--games", "4", "--playouts", "8", "--json"];
        args.extend(game);
        json(&dagzero(&args))["game"].as_str().expect("a game").to_owned()
    };
    assert!(play(&[]).starts_with("go:size=5,komi=7"));
    assert!(play(&["--game", "go:size=7,komi=5.5"]).starts_with("go:size=7,komi=5.5"));
    let other = dagzero(&["match", &network, "random", "--game", "hex:size=5", "--games", "4"]);
    let errors = String::from_utf8_lossy(&other.stderr);
    assert_eq!(other.status.code(), Some(2), "{errors}");
    assert!(errors.contains("one is for hex"), "{errors}");
    // One board's network says which board it is.
    let small = tempfile::tempdir().expect("a folder");
    let fixed = blank_network(&small, "go:size=3,komi=7");
    let both = ["match", &network, &fixed, "--games", "4", "--playouts", "8", "--json"];
    let found = json(&dagzero(&both));
    assert!(found["game"].as_str().is_some_and(|game| game.starts_with("go:size=3")), "{found}");
}

#[test]
fn a_search_takes_the_evaluator_of_a_run_or_file_whose_game_it_is() {
    let dir = tempfile::tempdir().expect("a folder");
    let run = dir.path().join("run").display().to_string();
    let preset = preset("connect4-smoke").display().to_string();
    assert!(dagzero(&["init", &preset, "--dir", &run]).status.success());
    let of_any_size = blank_network_of_any_size(&dir, "go:size=5,komi=7");
    let search = |game: &str, evaluator: &str| {
        dagzero(&["search", "--game", game, "--evaluator", evaluator, "--playouts", "4"])
    };
    for (game, evaluator, canonical) in [
        // The run's configuration leaves the board's size out as well.
        ("connect4", &run, "connect4:width=7,height=6,connect=4"),
        ("connect4:height=6", &run, "connect4:width=7,height=6,connect=4"),
        ("go:size=7,komi=5.5", &of_any_size, "go:size=7,komi=5.5,suicide=false,superko=positional"),
    ] {
        let found = json(&search(game, evaluator));
        assert_eq!((&found["game"], &found["root"]["visits"]), (&canonical.into(), &4.into()));
    }
    for (game, evaluator) in [("connect4:width=6", &run), ("hex:size=5", &of_any_size)] {
        let refused = search(game, evaluator);
        let errors = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{errors}");
        assert!(errors.contains("and --game is"), "{errors}");
    }
}

#[test]
fn players_that_do_not_exist_or_do_not_fit_are_wrong_usage() {
    let dir = tempfile::tempdir().expect("a folder");
    let network = blank_network(&dir, "connect4");
    for args in [
        &["match", "random", "random"][..],
        &["match", "nobody", "random", "--game", "tictactoe"],
        &["match", &network, "random", "--game", "tictactoe"],
        &["match", "random", "random", "--game", "tictactoe", "--games", "3"],
        &["match", "rollout:none", "random", "--game", "tictactoe"],
        &["match", "random", "random", "--game", "gomoku", "--judge"],
        &["accuracy", "--positions", "x.jsonl"],
        &["accuracy", "nobody,c_puct=1.0", "--generate", "5"],
        &["accuracy", &format!("{network},c_pucts=1.0"), "--generate", "5"],
        &["accuracy", "--network", &network],
        &["accuracy", "a-run", "--network", &network, "--generate", "5"],
        &["accuracy", "a-run", "--run", "another", "--generate", "5"],
        &["accuracy", "--network", &network, "--positions", "x.jsonl", "--generate", "5"],
        &["accuracy", "--network", &network, "--positions", "x.jsonl", "--seed", "5"],
    ] {
        let output = dagzero(args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        assert!(output.stderr.starts_with(b"error: "), "{args:?}");
    }
}

#[test]
fn accuracy_knows_what_a_blank_network_would_play() {
    let dir = tempfile::tempdir().expect("a folder");
    let network = blank_network(&dir, "connect4");
    let positions = dir.path().join("positions.jsonl").display().to_string();
    // Equal priors: the raw policy takes column 1. With playouts it sees the win in column 7 of the
    // second position and prevents the loss in column 3 of the third. Values: a perfect solver's.
    let lines = [
        r#"{"moves": "1113", "value": -1, "value_preserving": [1, 2, 3, 4, 5, 6, 7]}"#,
        r#"{"moves": "5312436262", "value": 1, "value_preserving": [7]}"#,
        r#"{"moves": "2642621", "value": 1, "value_preserving": [3]}"#,
    ];
    fs::write(&positions, lines.join("\n")).expect("written");
    let args = ["accuracy", "--network", &network, "--positions", &positions];
    let found = json(&dagzero(&[&args[..], &["--playouts", "0,200", "--json"]].concat()));
    let raw = &found[0];
    assert_eq!((&raw["playouts"], &raw["positions"]), (&0.into(), &3.into()));
    assert_eq!(raw["preserving"], 1);
    assert_eq!(raw["nontrivial"]["positions"], 2);
    assert_eq!(raw["nontrivial"]["share"], 0.0);
    let searched = &found[1];
    assert_eq!((&searched["playouts"], &searched["preserving"]), (&200.into(), &3.into()));
    assert_eq!(searched["nontrivial"]["share"], 1.0);
    assert_eq!(searched["by_ply"].as_array().map(Vec::len), Some(3));
    // A search that does not explore stays with the first move.
    let preserving_of = |run: &str| {
        let args = ["accuracy", run, "--positions", &positions, "--playouts", "200", "--json"];
        json(&dagzero(&args))[0]["preserving"].clone()
    };
    assert_eq!(preserving_of(&network), 3);
    assert_eq!(preserving_of(&format!("{network},c_puct=0.0")), 1);
    let text = dagzero(&args);
    let text = String::from_utf8_lossy(&text.stdout);
    assert!(text.contains("raw policy") && text.contains("100 playouts"), "{text}");
}

#[test]
fn accuracy_makes_positions_from_a_seed() {
    let dir = tempfile::tempdir().expect("a folder");
    let network = blank_network(&dir, "connect4");
    let measure = |seed: &str| {
        let args = ["accuracy", "--network", &network, "--playouts", "0,400", "--json"];
        json(&dagzero(&[&args[..], &["--generate", "40", "--seed", seed]].concat()))
    };
    let found = measure("1");
    assert_eq!((&found[0]["positions"], &found[1]["positions"]), (&40.into(), &40.into()));
    let share = |index: usize| found[index]["share"].as_f64().expect("a share");
    assert!(share(0) < share(1), "playouts help: {found}");
    // Plies 10 to 38 once, then 10 to 20 again.
    let plies: Vec<(u64, u64)> = found[0]["by_ply"]
        .as_array()
        .expect("plies")
        .iter()
        .map(|at| (at["ply"].as_u64().expect("a ply"), at["positions"].as_u64().expect("a count")))
        .collect();
    let expected: Vec<(u64, u64)> = (10..=38).map(|ply| (ply, 1 + u64::from(ply <= 20))).collect();
    assert_eq!(plies, expected);
    assert_eq!(found, measure("1"));
    assert_ne!(found, measure("2"));
}
