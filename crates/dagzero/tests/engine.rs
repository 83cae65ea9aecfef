//! `dagzero engine` as a front end starts it.

use std::process::{Command, Output, Stdio};

use dz_testkit::output_with_input;

fn engine(arguments: &[&str], said: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dagzero"));
    command.arg("engine").args(arguments).stderr(Stdio::piped());
    output_with_input(&mut command, said)
}

#[test]
fn it_speaks_gtp_until_quit_or_the_end_of_input() {
    let arguments = ["gtp", "uniform:20", "--game", "go:size=9"];
    let said = "1 boardsize 5\n2 play b C3\n3 genmove w\n4 final_score\n5 boardsize 25\n";
    for end in ["", "6 quit\n7 name\n"] {
        let output = engine(&arguments, &format!("{said}{end}"));
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(output.status.code(), Some(0), "{text}");
        let answers: Vec<&str> = text.trim_end().split("\n\n").collect();
        assert_eq!(answers.len(), if end.is_empty() { 5 } else { 6 }, "{text}");
        assert!(answers[..4].iter().all(|answer| answer.starts_with('=')), "{text}");
        assert!(answers[4].starts_with("?5 unacceptable size: "), "{text}");
    }
}

#[test]
fn loadsgf_notes_that_a_file_has_several_games() {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("two.sgf");
    let arguments = ["gtp", "uniform:20", "--game", "go:size=9"];
    let said = format!("loadsgf {}\n", file.display());
    let games = ["(;GM[1]SZ[9];B[cc])", "(;GM[1]SZ[9];B[dd];W[ee])"];
    for (text, noted) in [(games.concat(), true), (games[0].to_owned(), false)] {
        std::fs::write(&file, text).expect("the file is written");
        let output = engine(&arguments, &said);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.stdout, b"= white\n\n", "{errors}");
        assert_eq!(errors.contains("two.sgf: game 1 of 2 is loaded\n"), noted, "{errors}");
    }
}

#[test]
fn it_speaks_uci_for_chess() {
    let said = "uci\nisready\nposition startpos moves e2e4\ngo nodes 30\n";
    let output = engine(&["uci", "uniform:20"], said);
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("uciok\n") && text.contains("readyok\n"), "{text}");
    assert!(text.contains("\nbestmove "), "the search ends although nobody speaks: {text}");
}

#[test]
fn without_a_game_or_a_player_there_is_no_engine() {
    for (arguments, part) in [
        (&["gtp", "uniform:20"][..], "--game"),
        (&["gtp", "--game", "go"], "--run"),
        (&["gtp", "nowhere", "--game", "go"], "no player"),
        (&["uci", "random", "--game", "go"], "UCI is for chess"),
    ] {
        let output = engine(arguments, "name\n");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{errors}");
        assert!(errors.contains(part), "{errors}");
    }
}

#[test]
fn python_chess_plays_a_match_with_it() {
    let Some(python) = std::env::var_os("DAGZERO_PYTHON") else {
        println!("skipped: DAGZERO_PYTHON names no Python with the package chess");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python_chess.py");
    let engine = [env!("CARGO_BIN_EXE_dagzero"), "engine", "uci", "uniform:400", "--game", "chess"];
    let mut command = Command::new(python);
    let ran = command.args([script, "2"]).args(engine).output().expect("Python starts");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    if said.trim() == "none" {
        println!("skipped: DAGZERO_PYTHON has no package chess");
        return;
    }
    assert!(said.starts_with("2 games, "), "{said}");
}
