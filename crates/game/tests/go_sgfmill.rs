//! Legal moves and scores of random games against sgfmill's board, an independent library.
//!
//! Needs Python with sgfmill (`pip install sgfmill`; `DAGZERO_PYTHON` names the interpreter).
//! Without it the test says so and passes. `DAGZERO_GO_GAMES` is how many games are compared, 40 if
//! it is not set.

use std::env;
use std::process::Command;

use dz_game::{
    Game, Move,
    games::{Go, GoHistory},
};
use dz_testkit::{output_with_input, python_with};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Sizes in turn: small boards have more repetitions, and games on large ones take Python seconds.
const SIZES: [u16; 20] = [5, 9, 5, 5, 9, 5, 5, 5, 9, 5, 5, 13, 5, 9, 5, 5, 9, 5, 5, 5];
/// Games that one run of Python replays.
const BATCH: u64 = 100;

/// A random game: its moves, and the legal moves before each.
struct Played {
    size: u16,
    moves: Vec<Move>,
    legal: Vec<Vec<Move>>,
    margin: i16,
}

fn play(number: u64) -> Played {
    let size = SIZES[number as usize % SIZES.len()];
    let game = Go::from_spec(&format!("go:size={size}").parse().expect("a specification"));
    let game = game.expect("possible rules");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(number);
    let (mut state, mut history) = (game.start(), GoHistory::default());
    let (mut moves, mut all_legal, mut scratch) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(mv) = game.random_move(&state, &history, &mut random, &mut scratch) {
        let mut legal = Vec::new();
        game.legal_moves(&state, &history, &mut legal);
        all_legal.push(legal);
        moves.push(mv);
        game.advance(&mut state, &mut history, mv);
    }
    let margin = game.outcome(&state, &history).and_then(|outcome| outcome.margin);
    Played { size, moves, legal: all_legal, margin: margin.expect("the game is over") }
}

/// The answers of `peers/go.py`, a line a game.
fn replay(python: &str, games: &[Played]) -> String {
    let line = |game: &Played| {
        let moves = game.moves.iter().map(|mv| format!(" {}", mv.0));
        format!("{}{}\n", game.size, moves.collect::<String>())
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/go.py");
    let text: String = games.iter().map(line).collect();
    let output = output_with_input(Command::new(python).arg(script), &text);
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("text")
}

/// Legal points in `hex`, and the pass, which is always legal.
fn moves_of(hex: &str, size: u16) -> Vec<Move> {
    let digits: Vec<u32> = hex.chars().rev().map(|c| c.to_digit(16).expect("a digit")).collect();
    let has = |point: &u16| {
        let digit = digits.get(usize::from(point / 4));
        digit.is_some_and(|digit| digit >> (point % 4) & 1 == 1)
    };
    (0..size * size).filter(has).chain([size * size]).map(Move).collect()
}

#[test]
fn legal_moves_and_scores_are_those_of_sgfmill() {
    let Some(python) = python_with("sgfmill") else { return };
    let games = env::var("DAGZERO_GO_GAMES").ok().and_then(|games| games.parse().ok());
    let (games, mut plies): (u64, usize) = (games.unwrap_or(40), 0);
    for first in (0..games).step_by(BATCH as usize) {
        let played: Vec<Played> = (first..games.min(first + BATCH)).map(play).collect();
        let text = replay(&python, &played);
        assert_eq!(text.lines().count(), played.len());
        for ((number, game), line) in (first..).zip(&played).zip(text.lines()) {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(words.len(), game.moves.len() + 1, "game {number}");
            for (ply, (legal, theirs)) in game.legal.iter().zip(&words).enumerate() {
                assert_eq!(*legal, moves_of(theirs, game.size), "game {number}, ply {ply}");
            }
            assert_eq!(words[game.moves.len()], game.margin.to_string(), "game {number}");
            plies += game.moves.len();
        }
    }
    println!("{games} games, {plies} plies agree");
}
