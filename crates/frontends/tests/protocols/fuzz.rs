//! Nothing that a front end says ends the engine, and every command is answered.

use crate::common::{Eyes, gtp, say};
use dz_frontends::{Activity, Protocol};
use proptest::prelude::*;

/// Words of which lines are made: those of the protocol, and foreign ones.
const WORDS: &[&str] = &[
    "play",
    "genmove",
    "b",
    "w",
    "black",
    "white",
    "A1",
    "C3",
    "B2",
    "pass",
    "resign",
    "undo",
    "komi",
    "boardsize",
    "clear_board",
    "fixed_handicap",
    "set_free_handicap",
    "place_free_handicap",
    "final_score",
    "final_status_list",
    "alive",
    "time_settings",
    "time_left",
    "lz-analyze",
    "kata-analyze",
    "lz-genmove_analyze",
    "kata-raw-nn",
    "all",
    "kata-set-param",
    "maxTime",
    "maxPlayouts",
    "resignThreshold",
    "gogui-interrupt",
    "gogui-play_sequence",
    "showboard",
    "gogui-rules_board",
    "interval",
    "maxmoves",
    "rootInfo",
    "true",
    "3",
    "2",
    "5",
    "0",
    "-1",
    "1e308",
    "NaN",
    "0.5",
    "inf",
    "99999999999999999999",
    "17",
    "#",
    "\t",
    "\r",
    "known_command",
    "list_commands",
    "reg_genmove",
    "\u{e9}",
    "none",
    "swap-pieces",
    "a1",
];

/// Answers begin with a sign and end with an empty line.
fn well_formed(text: &str) -> bool {
    text.is_empty() || (text.starts_with(['=', '?', '\n']) && text.ends_with('\n'))
}

fn talk(engine: &mut dyn Protocol, line: &[u8]) {
    let line = String::from_utf8_lossy(line);
    let mut text = say(engine, &line);
    for _ in 0..3 {
        if engine.activity() == Activity::Interruptible {
            text += &engine.step();
        }
    }
    assert!(well_formed(&text), "{line:?}: {text:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn words_in_any_order(
        lines in prop::collection::vec(prop::collection::vec(0..WORDS.len(), 0..6), 1..30),
        game in 0..3usize,
    ) {
        let game = ["go:size=3", "hex:size=3,swap=true", "othello:size=4"][game];
        let mut engine = gtp(game, Eyes::Uniform, 5);
        for line in lines {
            let words: Vec<&str> = line.into_iter().map(|word| WORDS[word]).collect();
            talk(&mut engine, words.join(" ").as_bytes());
        }
        engine.close();
        let answer = say(&mut engine, "7 name");
        prop_assert_eq!(answer, "=7 DagZero\n\n");
    }

    #[test]
    fn any_bytes(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..20)) {
        let mut engine = gtp("go:size=3", Eyes::Uniform, 5);
        for line in lines {
            talk(&mut engine, &line);
        }
        prop_assert!(say(&mut engine, "name").starts_with("= DagZero"));
    }
}

#[test]
fn a_line_of_a_million_bytes_is_a_line() {
    let mut engine = gtp("go:size=3", Eyes::Uniform, 5);
    for filler in ["x", "9", " play", "\u{0}"] {
        talk(&mut engine, filler.repeat(1_000_000 / filler.len()).as_bytes());
    }
    assert!(say(&mut engine, "name").starts_with("= DagZero"));
}
