//! `inspect`, `perft` and `rules` through the library: fields, errors, exit codes.

use crate::common::cli::{command, object, refused};
use clap::Parser;
use dagzero::{Cli, Exit};
use serde_json::{Value, json};

#[test]
fn inspect_shows_the_start() {
    let shown = object(&["inspect", "--game", "connect4"]);
    assert_eq!(shown["game"], "connect4:width=7,height=6,connect=4");
    assert_eq!(shown["ply"], 0);
    assert_eq!(shown["to_move"], "first");
    assert_eq!(shown["legal"], json!(["1", "2", "3", "4", "5", "6", "7"]));
    assert_eq!(shown["over"], false);
    assert_eq!(shown["winner"], Value::Null);
    assert_eq!(shown["margin"], Value::Null);
    assert!(shown["board"].as_str().expect("text").contains("1 2 3 4 5 6 7"));
    for key in ["eval_key", "node_key"] {
        let key = shown[key].as_str().expect("text");
        assert!(key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
    }
}

#[test]
fn inspect_shows_how_a_game_ended() {
    let won = object(&["inspect", "--game", "connect4", "--moves", "1212121"]);
    assert_eq!((&won["over"], &won["winner"]), (&json!(true), &json!("first")));
    assert_eq!((&won["to_move"], &won["legal"]), (&Value::Null, &json!([])));
    assert_eq!(won["ply"], 7);
    let lost = object(&["inspect", "--game", "connect4", "--moves", "71212121"]);
    assert_eq!((&lost["over"], &lost["winner"]), (&json!(true), &json!("second")));
    let drawn = object(&["inspect", "--game", "tictactoe", "--moves", "1 2 3 5 4 6 8 7 9"]);
    assert_eq!((&drawn["over"], &drawn["winner"]), (&json!(true), &json!("draw")));
}

#[test]
fn connect_four_columns_stand_with_or_without_spaces_up_to_nine() {
    let keys = |game: &str, moves: &str| object(&["inspect", "--game", game, "--moves", moves]);
    assert_eq!(keys("connect4", "4453"), keys("connect4", "4 4 5 3"));
    assert_eq!(keys("connect4", "44 53"), keys("connect4", " 4 45  3 "));
    let wide = "connect4:width=12";
    assert_eq!(keys(wide, "12 1 12")["ply"], 3);
    assert!(refused(&["inspect", "--game", wide, "--moves", "121"]).contains("1 to 12"));
}

#[test]
fn transpositions_share_keys_and_the_order_of_repetitions_does_not_matter() {
    let key = |game: &str, moves: &str, key: &str| {
        object(&["inspect", "--game", game, "--moves", moves])[key].clone()
    };
    for name in ["eval_key", "node_key"] {
        assert_eq!(key("connect4", "123", name), key("connect4", "321", name));
        assert_ne!(key("connect4", "123", name), key("connect4", "132", name));
    }
    let (to, fro) = ("right left left right", "left right right left");
    assert_eq!(key("shuttle:length=7", to, "eval_key"), key("shuttle:length=7", fro, "eval_key"));
    // The same position, with other positions visited on the way there.
    let (low, high) = ("right left left", "left right left");
    assert_ne!(key("shuttle:length=7", low, "node_key"), key("shuttle:length=7", high, "node_key"));
}

#[test]
fn moves_are_read_in_either_case() {
    let shown = |moves| object(&["inspect", "--game", "shuttle", "--moves", moves]);
    assert_eq!(shown("RIGHT Left"), shown("right left"));
}

#[test]
fn illegal_input_is_wrong_usage_and_prints_nothing() {
    let inspect = |game, moves| refused(&["inspect", "--game", game, "--moves", moves]);
    assert!(inspect("connect4", "1111111").contains("legal moves: 2 3 4 5 6 7"));
    assert!(inspect("connect4", "8").contains("write a column, 1 to 7"));
    assert!(inspect("connect4", "x").contains("'x' is not a move"));
    assert!(inspect("connect4", "12121211").contains("not legal"), "after the end");
    assert!(inspect("tictactoe", "5 5").contains("legal moves: 1 2 3 4 6 7 8 9"));
    assert!(inspect("chequers", "").contains("games are: connect4"));
    assert!(inspect("connect4:width=99", "").contains("allowed: 1 to 32"));
    let position = refused(&["inspect", "--game", "tictactoe", "--position", "x"]);
    assert!(position.contains("no notation for positions"));
    assert!(refused(&["perft", "--game", "connect4:depth=1", "--depth", "1"]).contains("width"));
    assert!(refused(&["rules", "--game", "nothing"]).contains("games are"));
}

#[test]
fn batch_answers_every_line() {
    let input = "44\n\n9\r\n1111111\r\n4 4\n\u{fffd}\n1";
    let (result, out) = command(&["inspect", "--game", "connect4", "--batch"], input);
    assert_eq!(result.expect("no error"), Exit::Done);
    let lines: Vec<Value> =
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 7);
    let plies = lines.iter().map(|line| line["ply"].as_u64()).collect::<Vec<_>>();
    assert_eq!(plies, [Some(2), Some(0), None, None, Some(2), None, Some(1)]);
    assert_eq!(lines[0], lines[4]);
    for line in [2, 3, 5] {
        let refused = lines[line].as_object().expect("an object");
        assert!(refused["error"].is_string() && refused.len() == 1);
    }
    assert_eq!(lines[1], object(&["inspect", "--game", "connect4"]));
}

#[test]
fn perft_counts() {
    let counts = object(&["perft", "--game", "connect4", "--depth", "6"]);
    assert_eq!(counts, json!({"counts": [1, 7, 49, 343, 2401, 16807, 117_649]}));
    let counts = object(&["perft", "--game", "tictactoe", "--depth", "0"]);
    assert_eq!(counts, json!({"counts": [1]}));
    let short = object(&["perft", "--game", "shuttle:length=3", "--depth", "3"]);
    assert_eq!(short, json!({"counts": [1, 2, 0, 0]}), "a finished game has no successors");
}

#[test]
fn rules_of_every_game() {
    let rules = object(&["rules", "--game", "connect4:width=9"]);
    assert_eq!(rules["parameters"], json!({"width": 9, "height": 6, "connect": 4}));
    assert_eq!(rules["symmetries"], 2);
    assert_eq!(rules["policy"]["length"], 9);
    assert_eq!(rules["encoding"], "connect4-v1:6x9");
    for game in dz_game::game_names() {
        let rules = object(&["rules", "--game", game]);
        let planes = rules["planes"].as_array().expect("a list").len();
        assert_eq!(rules["shape"]["channels"], planes, "{game}");
        assert!(rules["notation"].is_string() && rules["policy"]["layout"].is_string());
        // What is shown is what there is when it is left out.
        let parameters = rules["parameters"].as_object().expect("an object").iter();
        let all: Vec<String> = parameters
            .map(|(key, value)| format!("{key}={}", value.to_string().trim_matches('"')))
            .collect();
        let spelled =
            if all.is_empty() { game.to_string() } else { format!("{game}:{}", all.join(",")) };
        assert_eq!(object(&["rules", "--game", &spelled]), rules, "{spelled}");
    }
    let parameter =
        |game: &str, key: &str| object(&["rules", "--game", game])["parameters"][key].clone();
    assert_eq!(parameter("gomoku", "opening"), "none");
    assert_eq!(parameter("chess", "history_planes"), 0);
    assert_eq!(parameter("go", "history_planes"), 0);
    assert!(parameter("go", "repetition_bound").is_number());
    assert_eq!(parameter("go:history_planes=3", "history_planes"), 3);
}

#[test]
fn arguments_that_contradict_are_refused() {
    for args in [
        &["inspect", "--game", "connect4", "--moves", "1", "--batch"][..],
        &["inspect", "--game", "connect4:"],
        &["inspect"],
        &["perft", "--game", "connect4"],
        &["perft", "--game", "connect4", "--depth", "-1"],
        &["perft", "--game", "connect4", "--depth", "1001"],
        &["no-such-command"],
    ] {
        let error = Cli::try_parse_from([&["dagzero"], args].concat()).expect_err("refused");
        assert_eq!(error.exit_code(), 2, "{args:?}");
    }
}
