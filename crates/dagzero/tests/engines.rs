//! Other programs in `match`, and what people do with a player: `play`, `analyze`,
//! `export network`.

use std::fs;

use crate::common::cli::{command, object, refused};
use crate::common::network::blank_network;
use clap::Parser;
use dagzero::Exit;
use dz_cpu_net::random_network;
use dz_network_file::{Head, NetworkFile, NetworkSpec};
use serde_json::Value;

fn text(args: &[&str], input: &str) -> String {
    let (result, out) = command(args, input);
    assert_eq!(result.unwrap_or_else(|error| panic!("{args:?}: {error:#}")), Exit::Done);
    out
}

#[test]
fn our_engine_plays_a_match_as_another_program() {
    let dir = tempfile::tempdir().expect("a folder");
    let games = dir.path().join("games.sgf").display().to_string();
    let engine = format!(
        "gtp:{} engine gtp uniform:20 --game go:size=5 --resign -1",
        env!("CARGO_BIN_EXE_dagzero")
    );
    let found = object(&[
        "match",
        &engine,
        "uniform:10",
        "--game",
        "go:size=5",
        "--games",
        "4",
        "--out",
        &games,
        "--json",
    ]);
    assert_eq!((&found["a"], &found["games"]), (&"dagzero".into(), &4.into()));
    assert_eq!(
        (&found["forfeits"], &found["disputes"]),
        (&Value::Array(vec![]), &Value::Array(vec![]))
    );
    let sheets = dz_record::read(&fs::read_to_string(&games).expect("kept")).expect("records");
    assert_eq!(sheets.len(), 4);
}

#[test]
fn what_fails_loses_and_what_is_not_there_is_an_error() {
    let found = object(&[
        "match",
        "gtp:sh -c 'while read c r; do case $c in genmove) exit 1;; known_command) echo = false;; *) \
         echo =;; esac; echo; done'",
        "random",
        "--game",
        "tictactoe",
        "--games",
        "2",
        "--json",
    ]);
    assert_eq!((&found["losses"], &found["forfeits"][0]["cause"]), (&2.into(), &"crash".into()));
    assert_eq!(
        (&found["forfeits"][0]["player"], &found["forfeits"][0]["games"]),
        (&"a".into(), &2.into())
    );
    let args = ["match", "gtp:/nowhere/engine", "random", "--game", "tictactoe", "--games", "2"];
    let (result, _) = command(&args, "");
    assert!(format!("{:#}", result.expect_err("no program")).contains("cannot be started"));
    let swapped = ["dagzero", "match", "random", "random", "--game", "tictactoe", "--sprt", "5,1"];
    let refusal = dagzero::Cli::try_parse_from(swapped).expect_err("the larger first");
    assert!(refusal.to_string().contains("the smaller first"), "{refusal}");
    refused(&["match", "random", "random", "--game", "tictactoe", "--out", "x.sgf"]);
    refused(&["play", "gtp:x", "--game", "tictactoe"]);
}

#[test]
fn solvers_do_not_lose_and_a_test_ends_a_match() {
    let args = ["match", "solver", "rollout:20", "--game", "tictactoe", "--opening-plies", "0"];
    let found = object(&[&args[..], &["--games", "20", "--json"]].concat());
    assert_eq!(found["losses"], 0, "{found}");
    let args = ["match", "rollout:200", "random", "--game", "connect4", "--sprt", "0,50", "--json"];
    let found = object(&args);
    assert_eq!(found["sprt"]["verdict"], "accepted", "{found}");
    assert!(found["games"].as_u64().expect("a count") < 200, "{found}");
    let args = ["match", "solver:3", "random", "--game", "connect4", "--games", "10", "--json"];
    assert!(object(&args)["score"].as_f64().expect("a score") > 0.6);
}

#[test]
fn a_person_plays_through_a_pipe() {
    let said = "help\n4\nhint\nundo\nnonsense\nquit\n";
    let out = text(&["play", "rollout:1", "--game", "connect4", "--level", "5", "--lines"], said);
    for words in ["X: first (you)", "rollout-1 plays", "Write a move", "neither a legal move", "> "]
    {
        assert!(out.contains(words), "{words}: {out}");
    }
    // The end of the lines is the end of the game.
    text(&["play", "random", "--game", "hex:size=3", "--side", "second", "--lines"], "");
}

/// A pipe gets plain text: the last move is in brackets, and captured stones are counted.
#[test]
fn a_person_sees_the_last_move_and_captures() {
    let go = "C3\nC4\nD4\nB5\nB4\nE5\nC5\nquit\n";
    let game = "go:size=5,komi=0.5";
    let args = ["play", "random", "--game", game, "--side", "both", "--lines"];
    let out = text(&args, go);
    assert!(out.contains("captured by black: 1, by white: 0"), "{out}");
    assert!(out.contains("captured by black: 0, by white: 0"), "{out}");
    assert!(out.contains(" 3 . .[X]. ."), "{out}");
    assert!(!out.contains('\u{1b}') && out.is_ascii(), "{out}");
    let chess = "e4\nd5\nexd5\nNf6\nNf3\ne5\nbc4\nquit\n";
    let out = text(&["play", "random", "--game", "chess", "--side", "both", "--lines"], chess);
    assert!(out.contains("4 . . . .[P]. . ."), "{out}");
    assert!(out.contains("3 . . . . .[N]. ."), "{out}");
    assert!(out.contains("4 . .[B]. . . . ."), "{out}");
    let knights = "Nf3\nNf6\nd3\nd6\nNd2\nquit\n";
    let out = text(&["play", "random", "--game", "chess", "--side", "both", "--lines"], knights);
    assert!(out.contains("'Nd2' may be any of these moves: Nbd2 Nfd2"), "{out}");
}

#[test]
fn a_game_is_analysed_from_moves_and_from_a_file() {
    let dir = tempfile::tempdir().expect("a folder");
    let base = ["analyze", "--player", "rollout:1", "--game", "tictactoe", "--playouts", "500"];
    let found = object(&[&base[..], &["--moves", "1 5 2 9 3", "--json"]].concat());
    assert_eq!(found["plies"][3]["judgement"], "blunder", "{found}");
    assert_eq!((&found["sides"][0]["moves"], &found["sides"][1]["moves"]), (&3.into(), &2.into()));
    let game = dir.path().join("game.sgf").display().to_string();
    fs::write(&game, "(;GM[1]SZ[5]KM[0.5];B[cc];W[bb]C[here])").expect("written");
    let out = dir.path().join("said.sgf").display().to_string();
    let args = ["analyze", "uniform:1", &game, "--playouts", "50"];
    let table = text(&[&args[..], &["--out", &out]].concat(), "");
    assert!(table.contains("C3") && table.contains("second 1 move,"), "{table}");
    let said = fs::read_to_string(&out).expect("kept");
    assert!(said.contains("here") && said.matches("score 0.").count() == 2, "{said}");
    for words in [&[][..], &["rollout:50"], &["rollout:50", &game, "--moves", "1"]] {
        refused(&[&["analyze", "--game", "tictactoe"][..], words].concat());
    }
    refused(&["analyze", &game, &game, "--player", "rollout:50"]);
    refused(&["analyze", "--player", "rollout:50", "--game", "tictactoe", "--moves", "1 1"]);
    refused(&["analyze", "--player", "random", "--game", "tictactoe", "--moves", "1 2"]);
    // A list without spaces: the place of the wrong move, and what there is instead.
    for (moves, said) in [
        ("4489", "move 3 of the list: '8' is not a move; write a column, 1 to 7"),
        ("4 4444 4 4", "move 7 of the list: move '4' is not legal here; legal moves: 1 2 3 5 6 7"),
    ] {
        let args = ["analyze", "--player", "rollout:50", "--game", "connect4", "--moves", moves];
        assert_eq!(refused(&args), said);
        assert!(refused(&["inspect", "--game", "connect4", "--moves", moves]).contains(said));
    }
    refused(&[&args[..], &["--out", &out]].concat());
}

#[test]
fn a_network_is_written_for_others() {
    let dir = tempfile::tempdir().expect("a folder");
    let network = blank_network(&dir, "tictactoe");
    let out = dir.path().join("exported.safetensors").display().to_string();
    text(&["export", "network", &network, "--out", &out], "");
    assert_eq!(fs::read(&out).expect("weights"), fs::read(&network).expect("weights"));
    let path = dir.path().join("exported.json");
    let described: Value =
        serde_json::from_slice(&fs::read(path).expect("a description")).expect("JSON");
    assert_eq!(described["examples"].as_array().map(Vec::len), Some(4));
    assert_eq!(described["tensors"]["value.output.bias"], serde_json::json!([3]));
    assert_eq!(described["examples"][0]["policy_logits"].as_array().map(Vec::len), Some(9));
    refused(&["export", "network", &network, "--out", &out]);
    refused(&["export", "network", &network, "--out", "x.bin"]);
}

/// Networks of every kind of block, computed by `PyTorch` and by numpy.
#[test]
fn what_is_written_computes_the_same_elsewhere() {
    let Some(python) = std::env::var_os("DAGZERO_PYTHON") else {
        println!("skipped: DAGZERO_PYTHON names no Python with numpy, and PyTorch if there is");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/load_in_pytorch.py");
    // Game, global pooling, squeeze ratio, bottleneck blocks, boards of any size, policy planes.
    for (game, global_pooling, squeeze_ratio, bottleneck_blocks, any_size, policy_planes) in [
        ("go:size=5", true, 0, 0, false, 0),
        ("connect4", false, 0, 0, false, 0),
        ("go:size=5", true, 4, 0, true, 0),
        ("connect4", true, 0, 2, false, 0),
        ("go:size=5", true, 3, 2, false, 0),
        ("hex:size=5", false, 0, 0, true, 0),
        ("chess", false, 0, 0, false, 73),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let blank = fs::read(blank_network(&dir, game)).expect("a network");
        let spec = NetworkFile::from_bytes(&blank).expect("a network").header.spec;
        let (blocks, channels) = (4, 10);
        let spec = NetworkSpec {
            blocks,
            channels,
            global_pooling,
            squeeze_ratio,
            bottleneck_blocks,
            any_size,
            policy_planes,
            // It is in the file, and nobody asks for it.
            heads: if any_size { [Head::Ownership].into() } else { spec.heads },
            ..spec
        };
        let network = dir.path().join("random.dzn").display().to_string();
        fs::write(&network, random_network(&spec, 1).to_bytes().expect("bytes")).expect("written");
        let out = dir.path().join("exported.safetensors").display().to_string();
        text(&["export", "network", &network, "--out", &out], "");
        for by in ["--numpy", "PyTorch"] {
            let mut command = std::process::Command::new(&python);
            command.args([script, &out]).args((by == "--numpy").then_some(by));
            let ran = command.output().expect("it runs");
            let said = String::from_utf8_lossy(&ran.stdout);
            let faults = String::from_utf8_lossy(&ran.stderr);
            assert!(ran.status.success() && said.contains("largest difference"), "{said}{faults}");
            if !said.contains(by.trim_start_matches('-')) {
                println!("skipped: DAGZERO_PYTHON has no {by}: {said}");
            }
        }
    }
}
