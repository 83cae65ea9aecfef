//! GTP as front ends really speak it: one colour twice in a row, `undo` of all kinds, odd names of
//! files, odd bytes.

use std::io;

use dz_frontends::{LINE_BYTES_MAX, Protocol};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::common::{Eyes, ask, gtp, say};

#[test]
fn a_colour_that_is_asked_twice_moves() {
    let text = include_str!("cases/c12-gtp-twice-in-a-row.gtp");
    let mut engine = gtp("go:size=9", Eyes::Rollouts, 20);
    let said: Vec<String> = text.lines().map(|line| ask(&mut engine, line)).collect();
    assert!(!["pass", "resign", ""].contains(&said.last().expect("a line").as_str()), "{said:?}");
    assert_eq!(ask(&mut engine, "final_status_list alive").lines().count(), 2);
    // What the search thinks of it: with one stone more it has not won for sure.
    for _ in 0..6 {
        assert_ne!(ask(&mut engine, "genmove b"), "pass");
    }
    assert_eq!(ask(&mut engine, "final_status_list alive").lines().count(), 8);
    // One pass of White ends nothing, whoever was left out before.
    ask(&mut engine, "play w pass");
    assert!(ask(&mut engine, "showboard").contains("black to move"));
    for _ in 0..9 {
        ask(&mut engine, "undo");
    }
    assert_eq!(say(&mut engine, "undo"), "? cannot undo\n\n");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "");
}

#[test]
fn no_turn_that_was_left_out_counts_as_a_pass() {
    for lines in [
        &["play b E5", "play b D4", "play b pass", "play b C3", "play w pass"][..],
        &["play w E5", "play w D4", "play b pass"],
        &["play b pass", "play b pass", "play b E5", "play w pass"],
        &["play b E5", "play w pass", "play w D4", "play b pass"],
        &["play b E5", "genmove b", "play w pass"],
        &["play b E5", "play b pass", "play w pass"],
    ] {
        let mut engine = gtp("go:size=9", Eyes::Uniform, 3);
        for line in lines {
            ask(&mut engine, line);
        }
        assert!(ask(&mut engine, "showboard").contains(" to move"), "{lines:?}");
    }
    // Two passes are the end, and play goes on after it.
    let mut engine = gtp("go:size=9", Eyes::Uniform, 3);
    for line in ["play b E5", "play b D4", "play w pass", "play b pass"] {
        ask(&mut engine, line);
    }
    assert!(ask(&mut engine, "showboard").contains("over: "));
    ask(&mut engine, "play w C3");
    assert!(ask(&mut engine, "showboard").contains("black to move"));
}

#[test]
fn handicap_stones_stay() {
    for line in ["fixed_handicap 4", "place_free_handicap 4", "set_free_handicap C3 G7 C7 G3"] {
        let mut engine = gtp("go:size=9", Eyes::Uniform, 3);
        ask(&mut engine, line);
        assert_eq!(say(&mut engine, "undo"), "? cannot undo\n\n", "{line}");
        assert!(ask(&mut engine, "showboard").contains("white to move"));
        ask(&mut engine, "genmove w");
        ask(&mut engine, "undo");
        ask(&mut engine, "komi 0.5");
        assert_eq!(say(&mut engine, "undo"), "? cannot undo\n\n", "{line}, after komi");
        assert_eq!(ask(&mut engine, "final_status_list alive").lines().count(), 4);
        assert_eq!(say(&mut engine, "fixed_handicap 2"), "? board not empty\n\n");
        ask(&mut engine, "clear_board");
        ask(&mut engine, line);
    }
    let bad = "set_free_handicap C3 G7 C3";
    let mut engine = gtp("go:size=9", Eyes::Uniform, 3);
    assert_eq!(say(&mut engine, bad), "? bad vertex list\n\n");
    assert_eq!(ask(&mut engine, "final_status_list alive"), "");
}

/// What the board shows and who moves.
fn view(engine: &mut dz_frontends::Gtp) -> String {
    ask(engine, "gogui-rules_board") + &ask(engine, "gogui-rules_side_to_move")
}

#[test]
fn random_orders_of_colours_are_games_that_undo_takes_back() {
    for seed in 0..40 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut engine = gtp("go:size=5", Eyes::Uniform, 4);
        let mut before = Vec::new();
        // The passes at the end of the game, as players made them.
        let mut passes: Vec<&str> = Vec::new();
        for _ in 0..random.random_range(5..40) {
            let color = if random.random_bool(0.5) { "b" } else { "w" };
            let now = view(&mut engine);
            let line = match random.random_range(0..6) {
                0 => format!("play {color} pass"),
                1 | 2 => format!("genmove {color}"),
                _ => {
                    let (column, row) = (random.random_range(0..5_u8), random.random_range(1..=5));
                    format!("play {color} {}{row}", char::from(b'A' + column))
                }
            };
            let said = say(&mut engine, &line);
            if said.starts_with('?') {
                assert!(line.starts_with("play") && said.contains("illegal"), "{line}: {said}");
                assert_eq!(view(&mut engine), now, "{line}");
                continue;
            }
            if said.contains("resign") {
                continue;
            }
            before.push(now);
            let passed = line.ends_with("pass") || said.contains("pass");
            if passed {
                passes.push(color);
            } else {
                passes.clear();
            }
            let over = ask(&mut engine, "showboard").contains("over: ");
            let both = passes.contains(&"b") && passes.contains(&"w");
            assert!(!over || both, "seed {seed}: {line} ended it, passes {passes:?}");
        }
        while let Some(now) = before.pop() {
            ask(&mut engine, "undo");
            assert_eq!(view(&mut engine), now, "seed {seed}");
        }
        assert_eq!(say(&mut engine, "undo"), "? cannot undo\n\n");
    }
}

#[test]
fn files_may_have_blanks_and_signs_in_their_names() {
    let text = include_str!("cases/c14-gtp-loadsgf-spaces.gtp");
    let names = ["my games/some game.sgf", "game #1.sgf", "plain.sgf"];
    let files = move |path: &str| {
        let found = names.contains(&path).then(|| b"(;GM[1]SZ[9];B[ee];W[cc])".to_vec());
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    };
    let mut engine = gtp("go:size=9", Eyes::Uniform, 3).with_files(Box::new(files));
    let said: Vec<String> = text.lines().map(|line| say(&mut engine, line)).collect();
    assert_eq!(said[1], "= black\n\n");
    for line in ["loadsgf game #1.sgf 2", "loadsgf \"game #1.sgf\" 2", "7 loadsgf 'plain.sgf' 2"] {
        assert!(say(&mut engine, line).ends_with(" white\n\n"), "{line}");
        assert_eq!(ask(&mut engine, "final_status_list alive"), "E5");
    }
    let said = say(&mut engine, "loadsgf your game.sgf");
    assert_eq!(said, "? cannot load file: there is no \"your game.sgf\"\n\n");
}

#[test]
fn odd_bytes_are_answered_in_order() {
    let mut engine = gtp("go:size=9", Eyes::Uniform, 3);
    assert_eq!(engine.line(b"\xef\xbb\xbf1 name\r\n"), "=1 DagZero\n\n");
    assert_eq!(engine.line(b"2 \xff\xfe"), "?2 unknown command\n\n");
    let said = engine.line(b"loadsgf \xe9t\xe9.sgf");
    assert!(said.starts_with("? cannot load file: ") && said.ends_with("\n\n"), "{said}");
    let mut long = b"3 play b E5 ".to_vec();
    long.resize(LINE_BYTES_MAX, b'x');
    let said = engine.line(&long);
    assert_eq!(said, format!("?3 the line is longer than {LINE_BYTES_MAX} bytes\n\n"));
    assert_eq!(ask(&mut engine, "final_status_list alive"), "");
}
