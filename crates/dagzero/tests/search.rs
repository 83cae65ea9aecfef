//! `search` through the library: fields, hand-computed graphs, settings, exit codes.

use crate::common::cli;
use std::{fs, path::Path};

use crate::common::cli::object;
use crate::common::network::blank_network;
use clap::Parser;
use dagzero::Cli;
use serde_json::{Value, json};
use tempfile::TempDir;

fn search(args: &[&str]) -> Value {
    let found = object(&[&["search"], args].concat());
    check_sums(&found);
    found
}

fn refused(args: &[&str]) -> String {
    cli::refused(&[&["search"], args].concat())
}

/// What holds in every search.
fn check_sums(found: &Value) {
    let counts = &found["counts"];
    let of = |key: &str| counts[key].as_u64().expect("a count");
    let ends = ["evaluations", "cache_hits", "terminals", "cut", "cycle_ends"].map(of);
    assert_eq!(of("playouts"), ends.iter().sum::<u64>(), "{counts}");
    assert_eq!(counts["visits"], found["root"]["visits"]);
    let moves = found["root"]["moves"].as_array().expect("a list");
    let share: f64 = moves.iter().map(|m| m["target"].as_f64().expect("a share")).sum();
    assert!(moves.is_empty() || (share - 1.0).abs() < 1e-9, "{share}");
    for m in moves {
        assert_eq!(m["visits"] == json!(0), m["q"].is_null(), "{m}");
    }
}

fn visits(found: &Value) -> Vec<u64> {
    let moves = found["root"]["moves"].as_array().expect("a list");
    moves.iter().map(|m| m["visits"].as_u64().expect("a count")).collect()
}

fn graph(dir: &TempDir, graph: &Value) -> String {
    let path = dir.path().join("graph.json");
    fs::write(&path, graph.to_string()).expect("written");
    path.display().to_string()
}

/// Two ways to one node: 10 -> 20 -> 40, 10 -> 30 -> 40, and a draw at 50 beside each.
fn diamond() -> Value {
    json!({"root": 10, "nodes": [
        {"id": 10, "to_move": 1, "value": 0.0, "children": [20, 30], "priors": [0.5, 0.5]},
        {"id": 20, "to_move": -1, "value": 0.25, "children": [40], "priors": [1.0]},
        {"id": 30, "to_move": -1, "value": -0.5, "children": [40, 50], "priors": [0.5, 0.5]},
        {"id": 40, "to_move": 1, "value": 0.5, "children": [50], "priors": [1.0]},
        {"id": 50, "terminal": 0.0},
    ]})
}

#[test]
fn a_graph_is_searched_as_by_hand() {
    let dir = TempDir::new().expect("a folder");
    let file = graph(&dir, &diamond());
    // 1: the root, 0. 2: move 0 (tie), node 20: Q(0) = 0.25. 3: Q + U is 0.25 + 1.5 0.5 sqrt(1.01)
    // / 2 = 0.627 against 0 + 0.754: move 1, node 30 at -0.5.
    let three = search(&["--graph", &file, "--playouts", "3"]);
    assert_eq!(visits(&three), [1, 1]);
    assert_eq!(three["root"]["value"], json!((0.0 + 0.25 - 0.5) / 3.0));
    assert_eq!(three["root"]["moves"][1]["q"], json!(-0.5));
    // 4: move 0, and on to 40 at 0.5: Q(20) = (0.25 + 0.5) / 2.
    let four = search(&["--graph", &file, "--playouts", "4", "--nodes", "--trace"]);
    assert_eq!(visits(&four), [2, 1]);
    assert_eq!(four["root"]["moves"][0]["q"], json!(0.375));
    assert_eq!(four["root"]["value"], json!((2.0 * 0.375 - 0.5) / 4.0));
    assert_eq!(four["root"]["moves"][0]["target"], json!(2.0 / 3.0));
    assert_eq!((&four["pv"], &four["best"]), (&json!(["0", "0"]), &json!("0")));
    let counts = json!({"playouts": 4, "visits": 4, "evaluations": 4, "cache_hits": 0,
        "rollouts": 0, "terminals": 0, "cut": 0, "cycle_ends": 0, "transpositions": 0, "nodes": 4,
        "collisions": 0, "refreshes": 0});
    assert_eq!(four["counts"], counts);
    let ids: Vec<&Value> =
        four["nodes"].as_array().expect("a list").iter().map(|node| &node["id"]).collect();
    assert_eq!(ids, [10, 20, 30, 40]);
    assert_eq!(four["nodes"][3]["line"], json!(["0", "0"]));
    assert_eq!(four["nodes"][1]["value"], json!(0.375));
    assert_eq!(four["nodes"][1]["to_move"], "second");
    let edge = json!({"move": "0", "visits": 1, "prior": 1.0, "child": 3});
    assert_eq!(four["nodes"][1]["edges"], json!([edge]));

    let trace = four["trace"].as_array().expect("a list");
    assert_eq!(trace.len(), 4);
    assert_eq!(
        trace[0],
        json!({"playout": 1, "steps": [], "end": "evaluation", "root_value": 0.0})
    );
    let third = &trace[2]["steps"][0];
    assert_eq!(
        (&third["node"], &third["id"], &third["move"]),
        (&json!(0), &json!(10), &json!("1"))
    );
    let scores = [0, 1].map(|i| third["moves"][i]["score"].as_f64().expect("a number"));
    assert!((scores[0] - (0.25 + 0.375 * 1.01_f64.sqrt())).abs() < 1e-12);
    assert!((scores[1] - 0.75 * 1.01_f64.sqrt()).abs() < 1e-12);
    let last = trace[3]["steps"].as_array().expect("a list");
    assert_eq!(last.len(), 2);
    assert_eq!((&last[1]["id"], &last[1]["value"]), (&json!(20), &json!(-0.25)));
}

#[test]
fn transpositions_terminals_and_cuts_are_counted_and_traced() {
    let dir = TempDir::new().expect("a folder");
    let file = graph(&dir, &diamond());
    let args = ["--graph", &file, "--playouts", "60", "--trace", "--nodes"];
    let found = search(&args);
    assert_eq!(found["counts"]["nodes"], 5);
    // 40 is reached again from 30, and 50 from the second of its two parents.
    assert_eq!(found["counts"]["transpositions"], 2);
    assert_eq!(found["counts"]["evaluations"], 4);
    assert_eq!(found["counts"]["terminals"], 56);
    let stopped = search(&[&args[..], &["--set", "search.catch_up=stop"]].concat());
    let cuts = stopped["counts"]["cut"].as_u64().expect("a count");
    let ends = stopped["trace"].as_array().expect("a list").iter().filter(|p| p["end"] == "cut");
    assert!(cuts > 0 && ends.count() as u64 == cuts);
    let tree = search(&[&args[..], &["--set", "search.graph=false"]].concat());
    assert_eq!(tree["counts"]["transpositions"], 0);
    // Lines 0 0, 1 0 and 1 1 and their ends: 40 and 50 are there more than once.
    assert_eq!(tree["counts"]["nodes"], 8);
    let named = tree["nodes"].as_array().expect("a list").iter().filter(|n| n["id"] == 50);
    assert_eq!(named.count(), 3);
}

#[test]
fn a_cycle_ends_and_two_edges_may_lead_to_one_child() {
    let dir = TempDir::new().expect("a folder");
    let file = graph(
        &dir,
        &json!({"root": -1, "nodes": [
            {"id": -1, "to_move": 1, "value": 0.0, "children": [7, 7]},
            {"id": 7, "to_move": 1, "value": 0.5, "children": [-1, 8]},
            {"id": 8, "terminal": -1.0},
        ]}),
    );
    let found = search(&["--graph", &file, "--playouts", "40", "--trace", "--nodes"]);
    // The root is a private copy outside the table, so its position is there once more; from there
    // and from the root, three edges lead to the node 7 that the first one made.
    let ids: Vec<&Value> =
        found["nodes"].as_array().expect("a list").iter().map(|node| &node["id"]).collect();
    assert_eq!(ids.iter().filter(|id| ***id == json!(-1)).count(), 2, "{ids:?}");
    assert_eq!((ids.len(), &found["counts"]["transpositions"]), (4, &json!(3)));
    let cycles = found["counts"]["cycle_ends"].as_u64().expect("a count");
    assert!(cycles > 0);
    let ends = found["trace"].as_array().expect("a list").iter().filter(|p| p["end"] == "cycle");
    assert_eq!(ends.count() as u64, cycles);
    assert_eq!(found["root"]["moves"][0]["prior"], json!(0.5));
}

#[test]
fn every_selection_and_target_runs_on_games_and_graphs() {
    let dir = TempDir::new().expect("a folder");
    let file = graph(&dir, &diamond());
    for selection in ["puct", "ucb1", "uct", "rave", "gumbel", "regularized"] {
        for more in [
            "target=completed_q",
            "target=regularized",
            "target=pruned",
            "backup=incremental",
            "staleness=refresher",
            "leaves_max=8",
            "leaf_value=rollout",
            "epsilon={ share = 0.1 }",
            "move_choice=lcb",
        ] {
            let sets = [format!("search.selection={selection}"), format!("search.{more}")];
            let sets = ["--set", &sets[0], "--set", &sets[1], "--playouts", "50"];
            let game =
                search(&[&["--game", "tictactoe", "--evaluator", "hashed"], &sets[..]].concat());
            assert_eq!(game["root"]["visits"], 50, "{selection} {more}");
            assert_eq!(visits(&game).iter().sum::<u64>(), 49, "{selection} {more}");
            let graph = search(&[&["--graph", &file, "--trace"], &sets[..]].concat());
            assert_eq!(graph["trace"].as_array().expect("a list").len(), 50);
        }
    }
    let choice = ["--set", "search.selection=rave", "--set", "search.move_choice=amaf"];
    let found = search(&[&["--game", "tictactoe", "--playouts", "50"], &choice[..]].concat());
    assert!(found["root"]["moves"][0]["amaf"].is_number());
}

#[test]
fn the_book_shows_what_happens() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/src/concepts/graph-search.md");
    let page = fs::read_to_string(page).expect("the book has it");
    let blocks: Vec<Value> = page
        .split("```json")
        .skip(1)
        .take(2)
        .map(|text| serde_json::from_str(text.split("```").next().expect("its end")).expect("JSON"))
        .collect();
    let dir = TempDir::new().expect("a folder");
    assert_eq!(blocks[0], diamond());
    let file = graph(&dir, &blocks[0]);
    let found = search(&["--graph", &file, "--playouts", "3", "--trace"]);
    for (key, told) in blocks[1].as_object().expect("an object") {
        assert_eq!(&found[key], told, "{key}");
    }
    for (i, score) in [(0, 0.627), (1, 0.754)] {
        let counted = found["trace"][2]["steps"][0]["moves"][i]["score"].as_f64();
        assert!((counted.expect("a number") - score).abs() < 5e-4);
        assert!(page.contains(&format!("= {score} for move {i}")));
    }
}

/// The chain of the page on AlphaGo's search, by the command that it shows.
#[test]
fn split_values_print_what_the_book_says() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let page = fs::read_to_string(format!("{root}/docs/book/src/concepts/alphago.md"));
    let page = page.expect("the book has it");
    let line = page.lines().find(|line| line.contains("--graph examples/alphago-chain.json"));
    assert!(line.expect("a command").ends_with("--set search.expansion=5"));
    let file = format!("{root}/examples/alphago-chain.json");
    let with = |edge_values: &str| {
        let sets = [edge_values, "search.leaf_value={ mix = 0.5 }", "search.expansion=5"];
        let sets = sets.map(|set| ["--set", set]).concat();
        search(&[&["--graph", &file, "--playouts", "9"], &sets[..]].concat())
    };
    let split = with("search.edge_values=split");
    assert_eq!(split["root"]["moves"][0]["q"], json!(0.4));
    assert_eq!(visits(&split), [8]);
    // A mean of eight visits, each of which rounds.
    let average = with("search.edge_values=average")["root"]["moves"][0]["q"].as_f64();
    assert!((average.expect("a number") - 0.775).abs() < 1e-12, "{average:?}");
    let refused =
        refused(&["--graph", &file, "--playouts", "9", "--set", "search.edge_values=split"]);
    assert!(refused.contains("search.leaf_value"), "{refused}");
}

#[test]
fn a_game_is_searched_from_the_plain_reference() {
    let found = search(&["--game", "tictactoe", "--moves", "5 1", "--playouts", "1"]);
    assert_eq!((&found["game"], &found["evaluator"]), (&json!("tictactoe"), &json!("uniform")));
    assert_eq!(found["root"]["to_move"], "first");
    let moves = found["root"]["moves"].as_array().expect("a list");
    let names: Vec<&str> = moves.iter().map(|m| m["move"].as_str().expect("text")).collect();
    assert_eq!(names, ["2", "3", "4", "6", "7", "8", "9"]);
    // The nearest 64-bit number, not one that went through 32 bits.
    assert!(moves.iter().all(|m| m["prior"] == json!(1.0 / 7.0) && m["visits"] == 0));
    assert_eq!(found["best"], "2");
    let settings = &found["settings"];
    assert_eq!((&settings["c_puct"], &settings["seed"]), (&json!(1.5), &json!(0)));
    assert_eq!(settings["fpu"], json!({"kind": "absolute", "value": 0.0}));
    assert_eq!((&settings["catch_up"], &settings["reuse"]), (&json!("continue"), &json!(false)));
    // 1 and 4 are the first player's; 7 wins.
    let moves = ["--moves", "1 2 4 5", "--playouts", "600", "--set", "search.prove=true"];
    let won = search(&[&["--game", "tictactoe"], &moves[..]].concat());
    assert_eq!((&won["root"]["proven"], &won["root"]["value"]), (&json!(true), &json!(1.0)));
    assert_eq!((&won["best"], &won["pv"][0]), (&json!("7"), &json!("7")));
    assert!(won["root"]["visits"].as_u64().expect("a count") < 600);
}

#[test]
fn a_finished_game_has_a_value_and_no_moves() {
    for (moves, value) in [("1 2 4 5 7", 1.0), ("1 2 4 5 9 8", -1.0), ("1 2 3 5 4 6 8 7 9", 0.0)] {
        let args =
            ["--game", "tictactoe", "--moves", moves, "--playouts", "10", "--nodes", "--trace"];
        let over = search(&args);
        assert_eq!(
            (&over["root"]["value"], &over["root"]["to_move"]),
            (&json!(value), &Value::Null)
        );
        assert_eq!((&over["root"]["moves"], &over["pv"]), (&json!([]), &json!([])));
        assert_eq!((&over["root"]["visits"], &over["counts"]["playouts"]), (&json!(0), &json!(0)));
        assert_eq!((&over["best"], &over["counts"]["nodes"]), (&Value::Null, &json!(0)));
        assert_eq!((&over["nodes"], &over["trace"]), (&json!([]), &json!([])));
    }
}

#[test]
fn evaluators_and_seeds_differ() {
    let args = ["--game", "connect4", "--moves", "4435", "--playouts", "200"];
    let with = |more: &[&str]| search(&[&args[..], more].concat());
    let mut met = vec![visits(&with(&[]))];
    for evaluator in ["hashed", "rollout"] {
        let found = with(&["--evaluator", evaluator]);
        assert_eq!(found["evaluator"], evaluator);
        assert!(!met.contains(&visits(&found)), "{evaluator}");
        met.push(visits(&found));
    }
    let rollouts = |seed: &str| with(&["--evaluator", "rollout", "--set", seed]);
    assert_eq!(rollouts("search.seed=7"), rollouts("search.seed=7"));
    assert_ne!(visits(&rollouts("search.seed=7")), visits(&rollouts("search.seed=8")));
    let noise = ["--dirichlet-alpha", "1", "--dirichlet-share", "0.25"];
    let noisy = with(&noise);
    assert_eq!(noisy["root"]["moves"][0]["prior"], json!(1.0 / 7.0));
    assert!(noisy["root"]["moves"][0]["searched_prior"].is_number());
    // Leaves want rollouts beside the evaluator's word.
    let mixed = with(&["--evaluator", "hashed", "--set", "search.leaf_value={ mix = 0.5 }"]);
    assert_eq!(mixed["counts"]["rollouts"], mixed["counts"]["evaluations"]);
}

#[test]
fn a_network_evaluates_leaves_alone_and_in_batches() {
    let dir = TempDir::new().expect("a folder");
    let network = blank_network(&dir, "tictactoe");
    for leaves in ["search.leaves_max=1", "search.leaves_max=8"] {
        let args = ["--game", "tictactoe", "--playouts", "100", "--set", leaves];
        let uniform = search(&args);
        let found = search(&[&args[..], &["--evaluator", &network]].concat());
        assert_eq!(visits(&found), visits(&uniform), "{leaves}");
        assert_ne!(found["evaluator"], "uniform");
    }
    let other = refused(&["--game", "connect4", "--playouts", "9", "--evaluator", &network]);
    assert!(other.contains("is for tictactoe"), "{other}");
}

#[test]
fn budgets_are_playouts_visits_evaluations_or_seconds() {
    let with = |more: &[&str]| search(&[&["--game", "tictactoe"], more].concat());
    assert_eq!(with(&["--visits", "30"])["root"]["visits"], 30);
    let few = with(&["--evaluations", "20"]);
    assert_eq!(few["counts"]["evaluations"], 20);
    let both = with(&["--evaluations", "1000000", "--playouts", "90"]);
    assert_eq!(both["counts"]["playouts"], 90);
    // The whole game is searched through long before; the playouts have to end too.
    let moves = ["--moves", "1 2 3 5 4 6", "--evaluations", "50", "--evaluator", "hashed"];
    assert_eq!(with(&moves)["counts"]["playouts"], 50_000);
    assert!(with(&["--seconds", "0.05"])["counts"]["playouts"].as_u64().expect("a count") > 0);
    let proven = ["--seconds", "60", "--set", "search.prove=true", "--moves", "1 2 3 5 4 6"];
    assert_eq!(with(&proven)["root"]["proven"], true);
}

#[test]
fn wrong_usage_prints_nothing() {
    let dir = TempDir::new().expect("a folder");
    let game = ["--game", "tictactoe", "--playouts", "5"];
    let with = |more: &[&str]| refused(&[&game[..], more].concat());
    assert!(with(&["--set", "search.c_punct=1"]).contains("did you mean 'search.c_puct'?"));
    assert!(with(&["--set", "selfplay.games=1"]).contains("search.key=value"));
    let two = with(&["--set", "search.prove=3", "--set", "search.selection=gumble"]);
    assert!(two.contains("search.prove") && two.contains("did you mean \"gumbel\"?"), "{two}");
    let stale = ["--set", "search.backup=incremental", "--set", "search.staleness=parents"];
    assert!(with(&stale).contains("search.staleness"));
    assert!(with(&["--moves", "5 5"]).contains('5'));
    assert!(with(&["--evaluator", "hashd"]).contains("uniform, hashed, rollout"));
    assert!(refused(&["--game", "conect4", "--playouts", "5"]).contains("connect4"));
    let missing = dir.path().join("none.json").display().to_string();
    assert!(refused(&["--graph", &missing, "--playouts", "5"]).contains("none.json"));
    let lost = json!({"root": 1, "nodes": [{"id": 1, "to_move": 1, "children": [2]}]});
    let lost = graph(&dir, &lost);
    assert!(refused(&["--graph", &lost, "--playouts", "5"]).contains("node 2"));
    let misspelt = graph(&dir, &json!({"root": 1, "nodes": [{"id": 1, "treminal": 0.0}]}));
    assert!(refused(&["--graph", &misspelt, "--playouts", "5"]).contains("treminal"));
    for wrong in [
        &["--playouts", "5"][..],
        &["--game", "tictactoe"],
        &["--game", "tictactoe", "--playouts", "5", "--visits", "5"],
        &["--game", "tictactoe", "--seconds", "-1"],
        &["--game", "tictactoe", "--graph", "x", "--playouts", "5"],
        &["--graph", "x", "--evaluator", "hashed", "--playouts", "5"],
    ] {
        let parsed = Cli::try_parse_from([&["dagzero", "search"], wrong].concat());
        assert_eq!(parsed.expect_err("refused").exit_code(), 2, "{wrong:?}");
    }
    assert!(!Path::new("none.json").exists());
}
