//! Records of others through the commands: the cases of `crates/record/tests/cases`, and what
//! `--out` keeps.

use crate::common::network;
use std::{fs, path::PathBuf, process::Command};

use crate::common::cli::{object, refused};
use serde_json::Value;

fn case(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../record/tests/cases");
    folder.join(name).display().to_string()
}

/// A file of its own for a text.
fn file(dir: &tempfile::TempDir, name: &str, text: impl AsRef<[u8]>) -> String {
    let path = dir.path().join(name);
    fs::write(&path, text).expect("written");
    path.display().to_string()
}

fn analyzed(file: &str, more: &[&str]) -> Value {
    let player = if file.ends_with("pgn") { "uniform:2" } else { "rollout:2" };
    object(&[&["analyze", player, file, "--playouts", "2", "--json"], more].concat())
}

fn played(report: &Value) -> Vec<&str> {
    let plies = report["plies"].as_array().expect("plies");
    plies.iter().map(|ply| ply["played"].as_str().expect("a name")).collect()
}

fn notes(report: &Value) -> String {
    let notes = report["notes"].as_array().expect("notes");
    notes.iter().map(|note| note.as_str().expect("text")).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_case_is_analysed_as_it_was_played() {
    for (name, moves, note) in [
        ("c01-fox-komi-325.sgf", "E5 C7", "KM[325] is read as 6.5 points"),
        ("c01-fox-komi-650.sgf", "E5 C7", "KM[650] is read as 6.5 points"),
        ("c02-empty-AB.sgf", "E5 C7 G3", "AB[] sets nothing up"),
        ("c03-moves-after-two-passes.sgf", "E5 C7 pass pass D6 F6 G3", "is played on"),
        ("c03-three-passes.sgf", "E5 C7 pass pass pass", "is played on"),
        ("c05-shift-jis-comments.sgf", "E5 C7 G3 G7", ""),
        ("c06-compressed-points.sgf", "E5", ""),
        ("c06-free-handicap-as-moves.sgf", "C7 G3 E5", "the first player moves twice in a row"),
        ("c06-white-first.sgf", "E5 C7", ""),
        ("c08-handicap-four.sgf", "E5 E7 E3 C5", ""),
        ("c15-latin1-names.pgn", "e2e4 e7e5", "read as Windows-1252"),
        ("c16-name-backslash.pgn", "e2e4 e7e5", "game 1 of 2 is looked at"),
        ("c16-tag-name-colon.pgn", "e2e4 e7e5", "game 1 of 3 is looked at"),
        ("c17-symbols.pgn", "e2e4 e7e5 g1f3 b8c6 f1b5", ""),
        ("c19-game-tag.pgn", "e2e4 e7e5", ""),
        ("c20-no-first-semicolon.sgf", "E5 C7", ""),
        (
            "c04-played-past-threefold.pgn",
            "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8 e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7",
            "is played on",
        ),
    ] {
        let report = analyzed(&case(name), &[]);
        assert_eq!(played(&report).join(" "), moves, "{name}");
        let notes = notes(&report);
        assert!(notes.contains(note) && notes.is_empty() == note.is_empty(), "{name}: {notes}");
    }
    assert_eq!(analyzed(&case("c08-handicap-four.sgf"), &[])["plies"][0]["player"], "second");
}

#[test]
fn out_keeps_what_the_record_has() {
    let dir = tempfile::tempdir().expect("a folder");
    for name in [
        "c03-moves-after-two-passes.sgf",
        "c03-three-passes.sgf",
        "c08-handicap-four.sgf",
        "c06-free-handicap-as-moves.sgf",
        "c04-played-past-threefold.pgn",
        "c17-symbols.pgn",
        "c19-game-tag.pgn",
    ] {
        let out = dir.path().join(name).display().to_string();
        analyzed(&case(name), &["--out", &out]);
        let before = fs::read_to_string(case(name)).expect("there");
        let mut after = fs::read_to_string(&out).expect("written");
        let (open, close) = if name.ends_with("pgn") { (" {", "}") } else { ("C[", "]") };
        while let Some(at) = after.find(&format!("{open}score ")) {
            let end = at + after[at..].find(close).expect("a comment ends");
            after.replace_range(at..=end, "");
        }
        assert_eq!(after.trim(), before.trim(), "{name}");
    }
    // Plain text has words of several moves, and moves after the end.
    let plain = "game: connect4\nfirst: a\nmoves: 121212134\nresult: second wins by time\n";
    let given = file(&dir, "given.txt", plain);
    let out = dir.path().join("out.txt").display().to_string();
    let report = analyzed(&given, &["--out", &out]);
    assert!(notes(&report).contains("after move 7; 2 more moves are left out"), "{report}");
    let after = fs::read_to_string(&out).expect("written");
    assert!(after.contains("moves: 1 2 1 2 1 2 1 3 4\ncomment 1: score"), "{after}");
    assert!(after.ends_with("result: second wins by time\n"), "{after}");
    // What another format has no place for is named.
    let out = dir.path().join("other.jsonl").display().to_string();
    let report = analyzed(&case("c08-handicap-four.sgf"), &["--out", &out]);
    assert!(notes(&report).contains("JSON has no place for HA BR WR PC TM"), "{report}");
    let broken = dir.path().join("broken.txt").display().to_string();
    let turn = case("c06-free-handicap-as-moves.sgf");
    let what = refused(&["analyze", "rollout:2", &turn, "--out", &broken]);
    assert!(
        what.contains("plain records cannot express that a player moves twice in a row"),
        "{what}"
    );
}

#[test]
fn what_of_a_file_is_not_looked_at_is_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let two = file(&dir, "two.pgn", "1. e4 (1. d4 d5) e5 1-0\n\n1. c4 c5 *\n");
    let first = analyzed(&two, &[]);
    assert_eq!(played(&first), ["e2e4", "e7e5"]);
    let said = notes(&first);
    assert!(said.contains("game 1 of 2") && said.contains("1 variation beside it"), "{said}");
    let second = analyzed(&two, &["--number", "2"]);
    assert_eq!((played(&second), notes(&second)), (vec!["c2c4", "c7c5"], String::new()));
}

#[test]
fn records_of_other_games_are_refused_and_both_are_named() {
    let dir = tempfile::tempdir().expect("a folder");
    let analyze = |file: &str, player: &str, game: &str| {
        refused(&["analyze", player, file, "--game", game, "--playouts", "2"])
    };
    let nine = case("c07-nine-by-nine.sgf");
    let what = analyze(&nine, "rollout:2", "go:size=7");
    assert!(what.contains("of go:size=9,komi=0.5, and what is analysed is go:size=7"), "{what}");
    let wide = case("c07-connect4-nine-wide.txt");
    let what = analyze(&wide, "rollout:2", "connect4");
    assert!(what.contains("connect4:width=9") && what.contains("connect4:width=7"), "{what}");
    let what = analyze(&nine, "rollout:2", "hex:size=9");
    assert!(what.contains("go:size=9") && what.contains("hex:size=9"), "{what}");
    let no_size = file(&dir, "no-size.sgf", "(;GM[1];B[ee])");
    let what = analyze(&no_size, "rollout:2", "go:size=9");
    assert!(what.contains("go:size=19") && what.contains("go:size=9"), "{what}");
    let atomic = file(&dir, "atomic.pgn", "[Variant \"Atomic\"]\n\n1. e4 e5 *\n");
    let what = analyze(&atomic, "uniform:2", "chess");
    assert!(what.contains("the variant Atomic, not of chess"), "{what}");
    let draughts = file(&dir, "draughts.pgn", "[GameType \"20\"]\n\n1. 32-28 19-23 *\n");
    assert!(analyze(&draughts, "uniform:2", "chess").contains("GameType 20"));
    let shogi = file(&dir, "shogi.sgf", "(;GM[8];B[ee])");
    assert!(
        analyze(&shogi, "rollout:2", "go")
            .contains("GM[8] is no game that is played here, it is shogi")
    );
    let komi = file(&dir, "komi.sgf", "(;GM[1]SZ[9]KM[600]AP[foxwq];B[ee])");
    assert!(analyze(&komi, "rollout:2", "go").contains("KM[600] is no komi"));
    // Another komi is no other game, and is reported.
    let report = analyzed(&nine, &["--game", "go:size=9,komi=7"]);
    assert!(
        notes(&report).contains("the record has komi=0.5, the analysis is with komi=7"),
        "{report}"
    );
}

fn program(args: &[&str]) -> (i32, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_dagzero")).args(args).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.code().expect("it ends"), text(output.stdout), text(output.stderr))
}

#[test]
fn control_characters_of_others_reach_no_terminal() {
    let dir = tempfile::tempdir().expect("a folder");
    let ansi = case("ansi.pgn");
    let csi = file(
        &dir,
        "csi.pgn",
        "[White \"\u{9b}31m\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[Te\u{1b}st \"x\"]\n",
    );
    let odd = file(&dir, "odd\u{1b}[31m.sgf", "(;GM[\u{1b}]SZ[9]KM[\u{1b}])");
    let komi = file(&dir, "komi.sgf", "(;GM[1]SZ[9]KM[\u{1b}[31m];B[ee])");
    for args in [
        &["rate", &ansi][..],
        &["rate", &ansi, "--json"],
        &["rate", &csi],
        &["rate", &csi, "--json"],
        &["rate", &ansi, "--anchor", "A\u{1b}[31mred"],
        &["analyze", "uniform:2", &csi, "--playouts", "2"],
        &["analyze", "uniform:2", &csi, "--playouts", "2", "--json"],
        &["analyze", "rollout:2", &odd],
        &["analyze", "rollout:2", &komi],
        &["inspect", "--game", "chess", "--moves", "\u{1b}[31m"],
    ] {
        let (_, out, errors) = program(args);
        let text = out + &errors;
        let unsafe_sign = |c: char| c.is_control() && c != '\n';
        assert!(!text.is_empty() && !text.contains(unsafe_sign), "{args:?}: {text:?}");
    }
    let (code, out, _) = program(&["rate", &ansi]);
    assert!(code == 0 && out.contains("A\\u{1b}[31mred"), "{out}");
}

#[test]
fn rate_reads_names_as_analyze_does() {
    let dir = tempfile::tempdir().expect("a folder");
    let names = |args: &[&str], code: i32| -> (Vec<String>, String) {
        let (found, out, errors) = program(&[&["rate"], args, &["--json"]].concat());
        assert_eq!((found, errors.as_str()), (code, ""), "{out}");
        let report: Value = serde_json::from_str(&out).expect("JSON");
        let rows = report["ratings"].as_array().expect("rows");
        let mut names: Vec<String> =
            rows.iter().map(|row| row["player"].as_str().expect("a name").to_owned()).collect();
        names.sort();
        (names, notes(&report))
    };
    let (found, told) = names(&[&case("c15-latin1-names.pgn")], 0);
    assert_eq!(found, ["Gast", "Möller", "Müller"]);
    assert!(told.contains("read as Windows-1252"), "{told}");
    let (found, told) = names(&[&case("c16-name-backslash.pgn")], 0);
    assert_eq!((found, told.as_str()), (vec!["B".to_owned(), "Prog /Level 6\\".to_owned()], ""));
    let (found, told) = names(&[&case("c16-tag-name-colon.pgn")], 0);
    assert_eq!((found, told.as_str()), (vec!["A".to_owned(), "B".to_owned()], ""));
    // Carriage returns alone, a byte-order mark, UTF-16.
    let text = "[White \"ä\"]\r[Black \"b\"]\r[Result \"1-0\"]\r\r1. e4 1-0\r\r[White \"b\"]\r[Black \"ä\"]\r[Result \"1-0\"]\r";
    let marked = format!("\u{feff}{text}");
    let wide: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [text.as_bytes(), marked.as_bytes(), &wide] {
        let (found, told) = names(&[&file(&dir, "r.pgn", bytes)], 0);
        assert_eq!((found, told.as_str()), (vec!["b".to_owned(), "ä".to_owned()], ""));
    }
    // Names whose letters are lost are no names.
    let lost = b"\xef\xbb\xbf[White \"M\xfcller\"]\n[Black \"b\"]\n[Result \"1-0\"]\n";
    let (found, told) = names(&[&file(&dir, "lost.pgn", lost)], 1);
    assert!(found.is_empty() && told.contains("do not fit the encoding of the file"), "{told}");
}

#[test]
fn accuracy_reads_every_beginning_and_line_end() {
    let dir = tempfile::tempdir().expect("a folder");
    let network = network::blank_network(&dir, "tictactoe");
    let line = "{\"moves\": \"1 5\", \"value_preserving\": [2, 3]}";
    let plain = format!("{line}\n{line}\n");
    let wide: Vec<u8> =
        format!("\u{feff}{plain}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [
        plain.clone().into_bytes(),
        format!("\u{feff}{plain}").into_bytes(),
        plain.replace('\n', "\r").into_bytes(),
        plain.replace('\n', "\r\n").into_bytes(),
        wide,
    ] {
        let path = file(&dir, "positions.jsonl", bytes);
        let args =
            ["accuracy", "--network", &network, "--positions", &path, "--playouts", "0", "--json"];
        assert_eq!(object(&args)[0]["positions"], 2);
    }
}

#[test]
fn clocks_above_100_are_read() {
    let fen = "8/8/8/8/8/8/k6p/2K5 b - - 130 90";
    let found = object(&["inspect", "--game", "chess", "--position", fen]);
    assert_eq!((&found["over"], &found["winner"]), (&true.into(), &"draw".into()));
    let what = refused(&[
        "inspect",
        "--game",
        "chess",
        "--position",
        "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1",
    ]);
    assert!(what.ends_with("a side has at most eight pawns"), "{what}");
}
