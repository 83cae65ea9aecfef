//! What is learned, and that files keep it.

use dz_game::{
    Game, GameSpec, Move, Player,
    games::{Go, Hex},
};
use dz_linear::{Lessons, LinearError, LinearValue, learn};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn go(text: &str) -> Go {
    let spec: GameSpec = text.parse().unwrap();
    Go::from_spec(&spec).unwrap()
}

/// The place of the largest one.
fn best_of(chances: &[f64]) -> usize {
    (0..chances.len()).max_by(|&a, &b| chances[a].total_cmp(&chances[b])).unwrap()
}

/// Points of `value` against random moves, of as many games with each colour.
fn score<G: Game>(game: &G, value: &LinearValue, games: u32) -> f64 {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let mut legal = Vec::new();
    let mut points = 0.0;
    for number in 0..games {
        let ours = if number % 2 == 0 { Player::First } else { Player::Second };
        let mut state = game.start();
        let mut history = G::History::default();
        for _ in 0..400 {
            let Some(mover) = game.to_move(&state, &history) else { break };
            game.legal_moves(&state, &history, &mut legal);
            let mv = if mover == ours {
                let chances = value.after_moves(game, &state, &legal);
                legal[best_of(&chances)]
            } else {
                legal[random.random_range(0..legal.len())]
            };
            game.advance(&mut state, &mut history, mv);
        }
        let wdl = game.outcome(&state, &history).map(|outcome| outcome.wdl_for(ours));
        points += wdl.map_or(0.5, |wdl| f64::from(wdl.win) + 0.5 * f64::from(wdl.draw));
    }
    points / f64::from(games)
}

#[test]
fn a_learned_value_beats_random_moves_at_go_and_hex() {
    let game = go("go:size=5,komi=0");
    let lessons = Lessons { games: 1_500, ..Lessons::default() };
    let mut errors = Vec::new();
    let value = learn(&game, &lessons, |lesson| {
        errors.push(lesson.error);
        true
    });
    assert_eq!(errors.len(), 100);
    let found = score(&game, &value.unwrap(), 100);
    assert!(found > 0.8, "{found} at Go");
    let hex = Hex::from_spec(&"hex:size=5".parse().unwrap()).unwrap();
    let value = learn(&hex, &lessons, |_| true).unwrap();
    let found = score(&hex, &value, 100);
    assert!(found > 0.8, "{found} at Hex");
}

/// What the values of the first `plies` positions of greedy games and of the positions after them
/// add up to on average, with one move in ten at random.
fn sum_of_both_views<G: Game>(game: &G, value: &LinearValue, plies: usize) -> f64 {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut legal = Vec::new();
    let mut sums = Vec::new();
    for _ in 0..100 {
        let mut state = game.start();
        let mut history = G::History::default();
        let mut before = None;
        for _ in 0..=plies {
            game.legal_moves(&state, &history, &mut legal);
            let chances = value.after_moves(game, &state, &legal);
            let at = if random.random::<f64>() < 0.1 {
                random.random_range(0..legal.len())
            } else {
                best_of(&chances)
            };
            sums.extend(before.map(|before: f64| before + chances[at]));
            before = Some(chances[at]);
            game.advance(&mut state, &mut history, legal[at]);
        }
    }
    sums.iter().sum::<f64>() / sums.len() as f64
}

/// With a constant step, values follow the end of the last game. Those of early positions are then
/// all too low or all too high.
#[test]
fn both_players_chances_add_up_to_one() {
    let game = go("go:size=5,komi=0");
    for seed in 1..=3 {
        let lessons = Lessons { games: 1_500, seed, ..Lessons::default() };
        let value = learn(&game, &lessons, |_| true).unwrap();
        let sum = sum_of_both_views(&game, &value, 8);
        assert!((sum - 1.0).abs() < 0.04, "seed {seed}: {sum}");
    }
}

#[test]
fn the_same_seed_learns_the_same_bits() {
    let game = go("go:size=4,komi=0");
    let bytes = |seed| {
        let lessons = Lessons { games: 30, seed, ..Lessons::default() };
        learn(&game, &lessons, |_| true).unwrap().to_bytes().unwrap()
    };
    assert_eq!(bytes(3), bytes(3));
    assert_ne!(bytes(3), bytes(4));
}

#[test]
fn learning_ends_on_request() {
    let game = go("go:size=3,komi=0");
    let mut games_seen = 0;
    let lessons = Lessons { games: 1_000, ..Lessons::default() };
    let value = learn(&game, &lessons, |lesson| {
        games_seen = lesson.games;
        lesson.games < 30
    });
    assert!(value.is_some());
    assert_eq!(games_seen, 30);
}

#[test]
fn files_keep_all_and_damage_is_found() {
    let game = go("go:size=4,komi=0");
    let value = learn(&game, &Lessons { games: 30, ..Lessons::default() }, |_| true).unwrap();
    let bytes = value.to_bytes().unwrap();
    let again = LinearValue::from_bytes(&go("go:size=4,komi=2"), &bytes).unwrap();
    let moves = [Move(0), Move(5), Move(16)];
    let start = game.start();
    assert_eq!(again.after_moves(&game, &start, &moves), value.after_moves(&game, &start, &moves));
    assert_eq!(again.counts(), value.counts());
    assert!(again.counts()[0] > 100);

    let read = |bytes: &[u8]| LinearValue::from_bytes(&game, bytes).unwrap_err();
    assert!(matches!(read(b"PK"), LinearError::Magic("value")));
    for at in [9, 60, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(matches!(read(&damaged), LinearError::Hash), "byte {at}");
    }
    assert!(matches!(read(&bytes[..bytes.len() - 1]), LinearError::Hash));
    let other = LinearValue::from_bytes(&go("go:size=5"), &bytes).unwrap_err();
    assert!(matches!(other, LinearError::Game { .. }), "{other}");
}
