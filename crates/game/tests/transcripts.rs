//! Golden transcripts. `UPDATE_GOLDEN=1 cargo test -p dz-game transcripts` writes them anew;
//! read the difference before you commit it.

use std::path::Path;

use dz_game::{GameSpec, game_names, transcript, with_game};
use dz_testkit::golden;

const SEED: u64 = 1;

fn check(file: &str, text: &str) {
    check_seed(file, text, SEED);
}

fn check_seed(file: &str, text: &str, seed: u64) {
    let spec: GameSpec = text.parse().expect("a specification");
    let written = with_game!(&spec, |game| transcript(&game, seed)).expect("a game");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/goldens").join(file);
    let golden = golden(&path, &written);
    if let Some((at, (now, then))) =
        written.lines().zip(golden.lines()).enumerate().find(|(_, (now, then))| now != then)
    {
        panic!(
            "{file}, line {}:\n  golden: {then}\n  now:    {now}\nSee tests/transcripts.rs",
            at + 1
        );
    }
    assert_eq!(written.len(), golden.len(), "{file} has another length; see tests/transcripts.rs");
}

#[test]
fn every_registered_game_with_its_defaults() {
    for name in game_names() {
        check(&format!("{name}.txt"), name);
    }
}

#[test]
fn a_board_of_more_than_64_bits() {
    check("connect4-9x9-5.txt", "connect4:width=9,height=9,connect=5");
}

#[test]
fn small_hex_with_the_swap() {
    check("hex-4-swap.txt", "hex:size=4,swap=true");
}

#[test]
fn small_othello() {
    check("othello-4.txt", "othello:size=4");
}

#[test]
fn small_gomoku_of_exactly_five() {
    check("gomoku-6-exact.txt", "gomoku:size=6,rule=exact");
}

#[test]
fn gomoku_in_which_colours_are_chosen() {
    // The first seeds whose games meet every choice.
    check_seed("gomoku-6-swap.txt", "gomoku:size=6,opening=swap", 114);
    check_seed("gomoku-6-swap2.txt", "gomoku:size=6,opening=swap2", 222);
}

#[test]
fn a_cyclic_game_that_goes_on_for_a_while() {
    check("shuttle-9.txt", "shuttle:length=9");
}

#[test]
fn go_with_suicide_and_situational_superko() {
    check("go-5-situational.txt", "go:size=5,komi=0.5,suicide=true,superko=situational");
}

#[test]
fn go_with_past_positions() {
    check("go-3-history.txt", "go:size=3,history_planes=2");
}
