//! What outside programs rely on, game by game: notation, passes, margins, winners, draws,
//! refusals.

use crate::common::cli::{command, object, refused};
use dagzero::Exit;
use dz_game::game_names;
use serde_json::{Value, json};

fn inspect(game: &str, moves: &str) -> Value {
    object(&["inspect", "--game", game, "--moves", moves])
}

/// Over, winner and margin.
fn end(game: &str, moves: &str) -> (bool, Value, Value) {
    let found = inspect(game, moves);
    let over = found["over"].as_bool().expect("a flag");
    assert_eq!(over, found["to_move"].is_null() && found["legal"] == json!([]), "{found}");
    (over, found["winner"].clone(), found["margin"].clone())
}

/// A game that is over.
fn ended(winner: &str, margin: Option<i32>) -> (bool, Value, Value) {
    (true, winner.into(), margin.map_or(Value::Null, Value::from))
}

fn legal(found: &Value) -> Vec<String> {
    let moves = found["legal"].as_array().expect("a list").iter();
    moves.map(|mv| mv.as_str().expect("text").to_owned()).collect()
}

fn counts(args: &[&str]) -> Value {
    object(&[&["perft"], args].concat())["counts"].clone()
}

/// A game of each kind, with the parameters that are not the defaults.
fn games() -> impl Iterator<Item = &'static str> {
    let others =
        ["connect4:width=12,height=3", "go:size=5", "hex:size=4,swap=true", "othello:size=6"];
    game_names().iter().copied().chain(others)
}

#[test]
fn every_game_shows_its_positions_alone_and_in_batches() {
    for game in games() {
        let mut moves: Vec<String> = Vec::new();
        let mut lines = vec!["no-such-move".to_owned()];
        for ply in 0..8 {
            let line = moves.join(" ");
            let found = inspect(game, &line);
            let fields: Vec<&String> = found.as_object().expect("an object").keys().collect();
            let names = [
                "board", "eval_key", "game", "legal", "margin", "node_key", "over", "ply",
                "to_move", "winner",
            ];
            assert_eq!(fields, names, "{game}");
            assert_eq!(found["ply"], ply);
            assert_eq!(found, inspect(game, &line.to_uppercase()), "in either case");
            assert_eq!(found, inspect(game, &line.to_lowercase()), "in either case");
            lines.push(line);
            // Other moves than the first, so that lines differ from game to game.
            let Some(mv) = legal(&found).into_iter().nth(ply % 2) else { break };
            moves.push(mv);
        }
        let (result, out) = command(&["inspect", "--game", game, "--batch"], &lines.join("\n"));
        assert_eq!(result.expect("no error"), Exit::Done);
        let answers: Vec<Value> =
            out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert!(answers[0]["error"].is_string(), "{game}");
        let alone: Vec<Value> = lines[1..].iter().map(|line| inspect(game, line)).collect();
        assert_eq!(answers[1..], alone, "{game}");
    }
}

#[test]
fn every_game_is_searched_over_its_legal_moves() {
    for game in games() {
        let found = object(&["search", "--game", game, "--playouts", "30"]);
        let moves = found["root"]["moves"].as_array().expect("a list");
        let names: Vec<&str> = moves.iter().filter_map(|m| m["move"].as_str()).collect();
        assert_eq!(names, legal(&inspect(game, "")), "{game}");
        let visits: u64 = moves.iter().filter_map(|m| m["visits"].as_u64()).sum();
        let cycles = found["counts"]["cycle_ends"].as_u64().expect("a count");
        assert_eq!((found["root"]["visits"].clone(), visits + cycles), (30.into(), 29), "{game}");
        assert!(found["pv"].as_array().is_some_and(|pv| names.contains(&pv[0].as_str().unwrap())));
    }
}

#[test]
fn go_counts_area_before_komi_and_komi_decides() {
    let start = inspect("go", "");
    assert_eq!(start["game"], "go:size=9,komi=7,suicide=false,superko=positional");
    let moves = legal(&start);
    assert_eq!(moves.len(), 82);
    assert!(moves.contains(&"pass".to_owned()) && moves.contains(&"J9".to_owned()));
    assert!(!moves.iter().any(|mv| mv.starts_with('I')), "GTP has no I");
    assert!(inspect("go", "A1")["board"].as_str().is_some_and(|b| b.contains("1 X . .")));
    assert_eq!(end("go", "pass pass"), ended("second", Some(0)));
    // Black owns the whole board of nine points.
    assert_eq!(end("go:size=3,komi=8.5", "B2 pass pass"), ended("first", Some(9)));
    assert_eq!(end("go:size=3,komi=9", "B2 pass pass"), ended("draw", Some(9)));
    assert_eq!(end("go:size=3,komi=9.5", "B2 pass pass"), ended("second", Some(9)));
    assert_eq!(end("go:size=3,komi=-1", "pass B2 pass pass"), ended("second", Some(-9)));
}

#[test]
fn go_refuses_repetition_and_suicide() {
    // Black takes a stone at C2; White may not take back at once, and may after other moves.
    let ko = "B3 C3 A2 D2 B1 C1 pass B2 C2";
    for superko in ["positional", "situational", "simple"] {
        let game = format!("go:size=4,superko={superko}");
        assert!(!legal(&inspect(&game, ko)).contains(&"B2".to_owned()));
        let refused = refused(&["inspect", "--game", &game, "--moves", &format!("{ko} B2")]);
        assert!(refused.contains("move 10 of the list: move 'B2' is not legal here"), "{refused}");
        let later = format!("{ko} A4 D4 B2");
        assert_eq!(inspect(&game, &later)["ply"], 12);
    }
    // One stone of suicide repeats the position, whether or not suicide is allowed.
    for game in ["go:size=3", "go:size=3,suicide=true"] {
        assert!(!legal(&inspect(game, "B1 pass A2")).contains(&"A1".to_owned()), "{game}");
    }
}

#[test]
fn othello_passes_when_it_must_and_counts_discs() {
    let mut first = legal(&inspect("othello", ""));
    first.sort();
    assert_eq!(first, ["c4", "d3", "e6", "f5"]);
    // No disc of the first player's can be turned over here.
    let stuck = "d3 c3 e6 d2 d1 e1 b2 c1";
    assert_eq!(inspect("othello", stuck)["legal"], json!(["pass"]));
    let refused = refused(&["inspect", "--game", "othello", "--moves", &format!("{stuck} a1")]);
    assert!(refused.contains("legal moves: pass"), "{refused}");
    assert_eq!(inspect("othello", &format!("{stuck} pass"))["to_move"], "second");
    // The shortest game there is: White loses every disc.
    assert_eq!(end("othello", "e6 f4 e3 f6 g5 d6 e7 f5 c5"), ended("first", Some(13)));
    // Perfect play by both sides (Takizawa 2023, arXiv:2310.19387): 32 discs each.
    let drawn = "f5 d6 c3 d3 c4 f4 f6 f3 e6 e7 d7 c5 b6 d8 c6 c7 d2 b5 a5 a6 a7 g5 e3 b4 c8 g6 g4 c2 \
                 e8 d1 f7 e2 g3 h4 f1 e1 f2 g1 b1 f8 g8 b3 h3 b2 h5 b7 a3 a4 a1 a2 c1 h2 h1 g2 b8 a8 \
                 g7 h8 h7 h6";
    assert_eq!(end("othello", drawn), ended("draw", Some(0)));
}

#[test]
fn hex_connects_top_to_bottom_and_left_to_right() {
    assert_eq!(end("hex:size=2", "a1 b1 a2"), ended("first", None));
    assert_eq!(end("hex:size=2", "b1 b2 a2"), ended("first", None), "b1 and a2 are neighbours");
    assert_eq!(end("hex:size=2", "a1 a2 b1 b2"), ended("second", None));
    assert!(!end("hex:size=2", "a1 a2 b2").0, "a1 and b2 are not neighbours");
    assert!(legal(&inspect("hex", "")).contains(&"i11".to_owned()), "no letter is skipped");
}

#[test]
fn hex_may_be_swapped_once() {
    let game = "hex:size=3,swap=true";
    assert!(!legal(&inspect(game, "")).contains(&"swap".to_owned()));
    assert!(legal(&inspect(game, "a3")).contains(&"swap".to_owned()));
    assert!(!legal(&inspect(game, "a3 b2")).contains(&"swap".to_owned()));
    // The stone is the second player's now, mirrored, and the first player moves.
    let swapped = inspect(game, "a3 swap");
    assert_eq!((&swapped["to_move"], &swapped["ply"]), (&json!("first"), &json!(2)));
    assert!(!legal(&swapped).contains(&"c1".to_owned()), "{swapped}");
    assert!(legal(&swapped).contains(&"a3".to_owned()), "{swapped}");
    assert!(refused(&["inspect", "--game", "hex", "--moves", "a3 swap"]).contains("swap"));
}

#[test]
fn gomoku_is_won_by_five_and_in_freestyle_by_more() {
    let start = legal(&inspect("gomoku", ""));
    assert!(start.contains(&"i1".to_owned()) && start.contains(&"o15".to_owned()));
    assert!(refused(&["inspect", "--game", "gomoku", "--moves", "p1"]).contains("a1 to o15"));
    let five = "a1 a2 b1 b2 c1 c2 d1 d2 e1";
    let six = "a1 a2 b1 b2 c1 c2 e1 e2 f1 f2 d1";
    for rule in ["freestyle", "exact"] {
        assert_eq!(end(&format!("gomoku:rule={rule}"), five), ended("first", None));
    }
    assert_eq!(end("gomoku", six), ended("first", None));
    assert!(!end("gomoku:rule=exact", six).0, "six are not exactly five");
}

#[test]
fn chess_reads_fen_and_speaks_uci() {
    let at = |fen: &str, moves: &str| {
        object(&["inspect", "--game", "chess", "--position", fen, "--moves", moves])
    };
    let black = at("4k3/8/8/8/8/8/8/4K2R b K - 0 1", "");
    assert_eq!((&black["to_move"], &black["ply"]), (&json!("second"), &json!(0)));
    let castle = at("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "E1G1");
    assert_eq!(castle["ply"], 1);
    let promoted = at("8/P6k/8/8/8/8/8/K7 w - - 0 1", "");
    for mv in ["a7a8q", "a7a8r", "a7a8b", "a7a8n"] {
        assert!(legal(&promoted).contains(&mv.to_owned()), "{mv}");
    }
    assert!(!legal(&promoted).contains(&"a7a8".to_owned()));
    let input = "e1g1\n\ne1g1 e8d8\n";
    let (result, out) = command(
        &["inspect", "--game", "chess", "--position", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "--batch"],
        input,
    );
    assert_eq!(result.expect("no error"), Exit::Done);
    let plies: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["ply"].clone())
        .collect();
    assert_eq!(plies, [1, 0, 2]);
    for bad in ["", "x", "8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/4K2R w KQ - 0 1"] {
        let message = refused(&["inspect", "--game", "chess", "--position", bad]);
        assert!(message.contains("is not a position: "), "{message}");
    }
}

#[test]
fn chess_ends_in_mate_stalemate_and_draws_without_a_claim() {
    assert_eq!(end("chess", "f2f3 e7e5 g2g4 d8h4"), ended("second", None));
    let there_and_back = "g1f3 g8f6 f3g1 f6g8";
    let twice = format!("{there_and_back} {there_and_back}");
    assert!(!end("chess", there_and_back).0);
    assert_eq!(end("chess", &twice), ended("draw", None), "the start for the third time");
    let at = |fen: &str, moves: &str| {
        let found = object(&["inspect", "--game", "chess", "--position", fen, "--moves", moves]);
        (found["over"].clone(), found["winner"].clone())
    };
    let draw = (json!(true), json!("draw"));
    assert_eq!(at("7k/8/8/8/8/8/R7/K7 w - - 99 80", "a2a3"), draw, "100 plies");
    assert_eq!(at("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", ""), draw, "stalemate");
    assert_eq!(at("7k/8/8/8/8/8/8/K6B w - - 0 1", ""), draw, "a bishop cannot mate");
}

/// Counts of chess: <https://www.chessprogramming.org/Perft_Results>, initial position and
/// positions 2 to 6. They follow the movement of the pieces alone, so no draw ends a line.
#[test]
fn chess_perft_as_published() {
    for (fen, published) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            json!([1, 20, 400, 8902, 197_281]),
        ),
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            json!([1, 48, 2039, 97_862]),
        ),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", json!([1, 14, 191, 2812, 43_238, 674_624])),
        (
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            json!([1, 6, 264, 9467, 422_333]),
        ),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", json!([1, 44, 1486, 62_379])),
        (
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            json!([1, 46, 2079, 89_890]),
        ),
    ] {
        let depth = (published.as_array().expect("counts").len() - 1).to_string();
        let args = ["--game", "chess", "--position", fen, "--depth", &depth];
        assert_eq!(counts(&args), published, "{fen}");
    }
    let drawn =
        ["--game", "chess", "--position", "7k/8/8/8/8/8/R7/K7 w - - 100 80", "--depth", "1"];
    assert_eq!(counts(&drawn), json!([1, 15]), "13 of the rook, 2 of the king");
}

/// Othello: <http://www.aartbik.com/MISC/reversi.html>; a forced pass is a ply. Connect Four:
/// sequences that stop at a win, which `OpenSpiel` counts too. Tic-tac-toe: 255,168 games.
#[test]
fn perft_of_other_games_as_published() {
    let othello = json!([1, 4, 12, 56, 244, 1396, 8200, 55_092, 390_216]);
    assert_eq!(counts(&["--game", "othello", "--depth", "8"]), othello);
    let connect4 = json!([1, 7, 49, 343, 2401, 16_807, 117_649, 823_536, 5_673_234]);
    assert_eq!(counts(&["--game", "connect4", "--depth", "8"]), connect4);
    let tictactoe = counts(&["--game", "tictactoe", "--depth", "9"]);
    assert_eq!(tictactoe, json!([1, 9, 72, 504, 3024, 15_120, 54_720, 148_176, 200_448, 127_872]));
    // What is left after moves: an end has no successors.
    let over = ["--game", "tictactoe", "--moves", "1 4 2 5 3", "--depth", "2"];
    assert_eq!(counts(&over), json!([1, 0, 0]));
    let last = ["--game", "othello", "--moves", "d3 c3 e6 d2 d1 e1 b2 c1", "--depth", "1"];
    assert_eq!(counts(&last), json!([1, 1]), "the pass is the one move");
}
