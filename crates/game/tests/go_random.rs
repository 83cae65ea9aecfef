//! Random moves of Go are sampled from all legal moves with equal probability: chi-square tests.

use dz_game::{
    Game, Move,
    games::{Go, GoHistory, GoState},
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Samples for each legal move.
const SAMPLES: usize = 300;
/// How many standard deviations the statistic may be off, to either side: one test in 2,000 would
/// be.
const DEVIATIONS_MAX: f64 = 3.5;

fn go(text: &str) -> Go {
    Go::from_spec(&text.parse().expect("a specification")).expect("possible rules")
}

/// Samples moves at a position and tests the counts. Returns how many moves are legal.
fn check(game: &Go, state: &GoState, history: &GoHistory, seed: u64) -> usize {
    let (mut legal, mut scratch) = (Vec::new(), Vec::new());
    game.legal_moves(state, history, &mut legal);
    let mut counts = vec![0.0; legal.len()];
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    for _ in 0..SAMPLES * legal.len() {
        let mv = game.random_move(state, history, &mut random, &mut scratch);
        let at = mv.and_then(|mv| legal.binary_search(&mv).ok()).expect("a legal move");
        counts[at] += 1.0;
    }
    let expected = SAMPLES as f64;
    let square: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
    let degrees = (legal.len() - 1) as f64;
    if degrees > 0.0 {
        // The cube root of a chi-square over its degrees is nearly normal (E. B. Wilson and M. M.
        // Hilferty, The distribution of chi-square, 1931).
        let (mean, variance) = (1.0 - 2.0 / (9.0 * degrees), 2.0 / (9.0 * degrees));
        let deviations = ((square / degrees).cbrt() - mean) / variance.sqrt();
        let shown = game.render(state);
        assert!(deviations.abs() < DEVIATIONS_MAX, "{deviations} of {counts:?}\n{shown}");
    }
    legal.len()
}

/// As [`check`], after moves that are legal.
fn check_after(text: &str, moves: &str) -> usize {
    let game = go(text);
    let (mut state, mut history) = (game.start(), GoHistory::default());
    for mv in moves.split_whitespace() {
        game.play_text(&mut state, &mut history, mv).expect("legal moves");
    }
    check(&game, &state, &history, 1)
}

#[test]
fn empty_boards_of_all_shapes() {
    for (size, legal) in [(2, 5), (8, 65), (9, 82), (11, 122), (12, 145), (13, 170), (19, 362)] {
        assert_eq!(check_after(&format!("go:size={size}"), ""), legal);
    }
}

#[test]
fn ko_and_suicide() {
    let ko = "C4 D4 B3 E3 C2 D2 D3 C3";
    for superko in ["positional", "situational", "simple"] {
        // 25 points, seven stones, and one that must not be taken back.
        assert_eq!(check_after(&format!("go:size=5,superko={superko}"), ko), 25 - 7 - 1 + 1);
    }
    // One point of nine is suicide: of a single stone, then of two.
    assert_eq!(check_after("go:size=3", "A2 pass B1"), 9 - 2 - 1 + 1);
    let two = "A2 A1 B2 pass C1";
    assert_eq!(check_after("go:size=3", two), 9 - 4 - 1 + 1);
    assert_eq!(check_after("go:size=3,suicide=true", two), 9 - 4 + 1);
}

/// Positions of random games where superko forbids what simple ko allows.
#[test]
fn points_that_superko_forbids() {
    for (text, wanted) in [
        ("go:size=3", 20),
        ("go:size=3,suicide=true,superko=situational", 20),
        ("go:size=4,suicide=true", 10),
    ] {
        let (game, simple) = (go(text), go("go:size=3,superko=simple"));
        let simple = if game.size() == 3 { simple } else { go("go:size=4,superko=simple") };
        let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
        let (mut found, mut legal, mut free) = (0, Vec::new(), Vec::new());
        let (mut state, mut history) = (game.start(), GoHistory::default());
        while found < wanted {
            game.legal_moves(&state, &history, &mut legal);
            simple.legal_moves(&state, &GoHistory::default(), &mut free);
            if free.iter().any(|mv| legal.binary_search(mv).is_err()) {
                check(&game, &state, &history, found);
                found += 1;
            }
            if let Some(mv) = game.random_move(&state, &history, &mut random, &mut legal) {
                game.advance_unkeyed(&mut state, &mut history, mv);
            } else {
                (state, history) = (game.start(), GoHistory::default());
            }
        }
    }
}

#[test]
fn nothing_is_drawn_when_the_game_is_over() {
    let game = go("go");
    let (mut state, mut history) = (game.start(), GoHistory::default());
    for _ in 0..2 {
        game.advance_unkeyed(&mut state, &mut history, Move(81));
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    assert_eq!(game.random_move(&state, &history, &mut random, &mut Vec::new()), None);
}
