//! `loadsgf`: files that a front end names.

use std::io;

use crate::common::{Eyes, ask, gtp, say};

const GAME: &str = "(;GM[1]FF[4]SZ[5]KM[0.5];B[cc];W[dd];B[dc])";

/// An engine to which the file `game.sgf` is known.
fn engine(text: &'static str) -> dz_frontends::Gtp {
    gtp("go:size=9", Eyes::Uniform, 5).with_files(Box::new(move |path| {
        if path == "game.sgf" { Ok(text.into()) } else { Err(io::ErrorKind::NotFound.into()) }
    }))
}

#[test]
fn a_game_is_loaded_up_to_a_move() {
    let mut engine = engine(GAME);
    assert_eq!(ask(&mut engine, "loadsgf game.sgf"), "white");
    assert_eq!(ask(&mut engine, "get_komi"), "0.5");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "C3\nD3\nD2");
    assert_eq!(ask(&mut engine, "loadsgf game.sgf 2"), "white");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "C3");
    assert_eq!(ask(&mut engine, "loadsgf game.sgf 1"), "black");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "");
}

#[test]
fn handicap_stones_lie_before_the_first_move() {
    let mut engine = engine("(;GM[1]SZ[9]KM[0.5]HA[2]AB[gc][cg];W[ee];B[dd])");
    assert_eq!(ask(&mut engine, "loadsgf game.sgf 1"), "white");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "G7\nC3");
    assert_eq!(ask(&mut engine, "loadsgf game.sgf"), "white");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "G7\nD6\nE5\nC3");
}

#[test]
fn what_cannot_be_loaded_changes_nothing() {
    for text in ["", "(;GM[1]SZ[5];B[cc];W[cc])", "(;GM[2]SZ[8];B[cc])", "(;GM[1]SZ[99];B[cc])"] {
        let mut engine = engine(text);
        ask(&mut engine, "play b E5");
        for line in ["loadsgf game.sgf", "loadsgf other.sgf", "loadsgf", "loadsgf game.sgf 0"] {
            let answer = say(&mut engine, line);
            assert!(answer.starts_with("? ") && answer.matches('\n').count() == 2, "{answer}");
        }
        assert_eq!(ask(&mut engine, "final_status_list alive"), "E5", "{text}");
    }
}

#[test]
fn what_a_record_sets_up_is_the_start_of_the_game() {
    let mut engine = engine("(;GM[1]SZ[5]KM[0.5]AB[aa:ba]AW[ee]PL[B];B[cc];B[dd];W[cd])");
    assert_eq!(ask(&mut engine, "loadsgf game.sgf 1"), "black");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "A5\nB5\nE1");
    assert_eq!(ask(&mut engine, "loadsgf game.sgf 3"), "white");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "A5\nB5\nC3\nD2\nE1");
    // Two moves of black in a row are two moves.
    assert_eq!(ask(&mut engine, "undo"), "");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "A5\nB5\nC3\nE1");
    // Another komi keeps the stones.
    assert_eq!(ask(&mut engine, "komi 3.5"), "");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "A5\nB5\nC3\nE1");
}

#[test]
fn a_game_that_goes_on_after_two_passes_is_loaded_to_its_end() {
    let mut engine = engine("(;GM[1]SZ[5]KM[0.5];B[cc];W[];B[];W[dd];B[dc])");
    assert_eq!(ask(&mut engine, "loadsgf game.sgf"), "white");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "C3\nD3\nD2");
}
