//! `export` as others start it: a match of every format, read back.

use std::{fs, process::Output};

use crate::common::program::{dagzero, text};
use dz_game::{Game, with_game};
use dz_record::{Format, Sheet, read};

const GAMES: &str = "6";

/// What a run of the program that must succeed printed.
fn said(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// A match of random players, kept in a file of the folder.
fn kept_match(folder: &tempfile::TempDir, game: &str) -> String {
    let file = folder.path().join("games.jsonl").display().to_string();
    let args = ["match", "random", "random", "--game", game, "--games", GAMES, "--out", &file];
    said(&dagzero(&args));
    file
}

/// Plays a sheet by the rules; the number of plies.
fn plies_of<G: Game>(sheet: &Sheet, game: &G) -> usize {
    sheet.play(game).expect("a legal game").record.moves.len()
}

#[test]
fn matches_of_every_game_are_records_of_its_community() {
    for (game, format) in [
        ("go:size=5,komi=0.5", Format::Sgf),
        ("hex:size=4,swap=true", Format::Sgf),
        ("othello:size=6", Format::Sgf),
        ("gomoku:size=7", Format::Sgf),
        ("chess", Format::Pgn),
        ("connect4", Format::Plain),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let file = kept_match(&folder, game);
        let lines = fs::read_to_string(&file).expect("kept");
        let played = dz_play::read_match(&lines).expect("a match").games;
        for args in [&["export", &file][..], &["export", &file, "--format", "json"]] {
            let sheets = read(&said(&dagzero(args))).expect("records");
            assert_eq!(sheets.len().to_string(), GAMES, "{game}");
            let expected = if args.len() == 2 { format } else { Format::Json };
            for (sheet, game) in sheets.iter().zip(&played) {
                assert_eq!(sheet.format, expected);
                let spec = sheet.game.as_ref().expect("the game is named");
                assert_eq!(
                    with_game!(spec, |game| plies_of(sheet, &game)).expect("a game"),
                    game.moves.len()
                );
                assert_eq!(sheet.header.round.as_deref(), Some(game.number.to_string().as_str()));
            }
        }
    }
}

#[test]
fn games_can_be_chosen_and_put_into_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = kept_match(&folder, "tictactoe");
    let out = folder.path().join("one.txt").display().to_string();
    let written = dagzero(&["export", &file, "--game", "3", "--out", &out]);
    assert!(said(&written).is_empty());
    let sheets = read(&fs::read_to_string(&out).expect("a file")).expect("a record");
    assert_eq!((sheets.len(), sheets[0].header.round.as_deref()), (1, Some("3")));
    // Nothing is overwritten.
    assert_eq!(dagzero(&["export", &file, "--out", &out]).status.code(), Some(2));
    let many = format!("{}/", folder.path().join("many").display());
    said(&dagzero(&["export", &file, "--limit", "4", "--out", &many]));
    let mut names: Vec<String> = fs::read_dir(&many)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names[3], "games-000003.txt");
    assert_eq!(names.len(), 4);
}

#[test]
fn what_is_not_there_is_wrong_usage() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = kept_match(&folder, "tictactoe");
    let new = folder.path().join("new.txt").display().to_string();
    for (args, word) in [
        (&["export", "/nowhere"][..], "no run"),
        (&["export", &file, "--game", "99", "--out", &new], "no such game"),
        (&["export", &file, "--format", "pgn"], "plain or json"),
        (&["export", &file, "--format", "png"], "sgf, pgn, plain or json"),
    ] {
        let output = dagzero(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?} {said}");
        assert!(said.contains(word), "{args:?}: {said}");
    }
    assert!(!std::path::Path::new(&new).exists(), "an empty file is not left");
    let foreign = dagzero(&["export", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
    assert_eq!(foreign.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&foreign.stderr).contains("Cargo"));
}
