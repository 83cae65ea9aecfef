//! The policy of local shapes: it learns from examples, samples by its probabilities, and survives
//! writing and reading.

use dz_game::{
    Game, Move,
    games::{Go, GoHistory},
};
use dz_linear::{LinearError, LinearPolicy, PolicyStudent};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

fn go(size: u8) -> Go {
    Go::from_spec(&format!("go:size={size},komi=0").parse().unwrap()).unwrap()
}

fn legal_of(game: &Go, state: &<Go as Game>::State) -> Vec<Move> {
    let mut legal = Vec::new();
    game.legal_moves(state, &GoHistory::default(), &mut legal);
    legal
}

/// Teaches the move right of the last stone, or left of it at the edge, for a while.
fn taught(game: &Go, size: usize) -> PolicyStudent {
    let mut student = PolicyStudent::new(game, &[1, 2, 3], 0.1).unwrap();
    for round in 0..200 {
        let point = (7 * round) % (size * size);
        let mut state = game.start();
        game.play(&mut state, Move(point as u16));
        let legal = legal_of(game, &state);
        let wanted = if point % size == size - 1 { point - 1 } else { point + 1 };
        let target: Vec<f32> =
            legal.iter().map(|mv| f32::from(usize::from(mv.0) == wanted)).collect();
        student.see(game, &state, &legal, &target, true);
    }
    student
}

#[test]
fn it_learns_what_it_is_shown() {
    let size = 5;
    let game = go(5);
    let policy = taught(&game, size).policy();
    let mut right = 0;
    for point in 0..25 {
        let mut state = game.start();
        game.play(&mut state, Move(point as u16));
        let legal = legal_of(&game, &state);
        let chances = policy.probabilities(&game, &state, &legal);
        assert!((chances.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        let best = (0..legal.len()).max_by(|&a, &b| chances[a].total_cmp(&chances[b])).unwrap();
        // Symmetries turn "right of" into "beside": one of the neighbours is the likeliest.
        let [row, column] = [usize::from(legal[best].0) / size, usize::from(legal[best].0) % size];
        let distance = row.abs_diff(point / size) + column.abs_diff(point % size);
        right += usize::from(legal[best].0 < 25 && distance == 1);
    }
    assert_eq!(right, 25);
    let nothing = PolicyStudent::new(&game, &[1, 2, 3], 0.1).unwrap().policy();
    let legal = legal_of(&game, &game.start());
    let even = nothing.probabilities(&game, &game.start(), &legal);
    assert!(even.iter().all(|chance| (chance - 1.0 / 26.0).abs() < 1e-6));
}

#[test]
fn the_error_is_the_entropy_of_the_target_at_best_and_falls() {
    let game = go(5);
    let mut student = taught(&game, 5);
    let mut fresh = PolicyStudent::new(&game, &[1, 2, 3], 0.1).unwrap();
    let mut state = game.start();
    game.play(&mut state, Move(7));
    let legal = legal_of(&game, &state);
    let target: Vec<f32> = legal.iter().map(|mv| f32::from(mv.0 == 8)).collect();
    let before = fresh.see(&game, &state, &legal, &target, false);
    assert!((before.cross_entropy - (legal.len() as f64).ln()).abs() < 1e-5);
    assert_eq!(before, fresh.see(&game, &state, &legal, &target, false), "looking teaches nothing");
    let after = student.see(&game, &state, &legal, &target, false);
    // Four neighbours look alike, so the best that can be is ln 4.
    let least = 4.0_f64.ln();
    let range = least - 0.2..least + 0.7;
    assert!(range.contains(&after.cross_entropy), "{after:?}");
}

#[test]
fn samples_follow_the_probabilities() {
    let game = go(3);
    let policy = taught(&game, 3).policy();
    let mut state = game.start();
    game.play(&mut state, Move(4));
    let legal = legal_of(&game, &state);
    let chances = policy.probabilities(&game, &state, &legal);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut counts = vec![0_u32; legal.len()];
    let samples = 20_000;
    for _ in 0..samples {
        let mv = policy.sample(&game, &state, &legal, &mut random).unwrap();
        counts[legal.binary_search(&mv).unwrap()] += 1;
    }
    for (count, chance) in counts.iter().zip(&chances) {
        let share = f64::from(*count) / f64::from(samples);
        assert!((share - f64::from(*chance)).abs() < 0.015, "{share} {chance}");
    }
    assert_eq!(policy.sample(&game, &state, &[], &mut random), None);
}

#[test]
fn a_file_reads_as_it_was_written() {
    let game = go(5);
    let policy = taught(&game, 5).policy();
    let bytes = policy.to_bytes().unwrap();
    let again = LinearPolicy::from_bytes(&game, &bytes).unwrap();
    assert_eq!(again.counts(), policy.counts());
    let mut state = game.start();
    game.play(&mut state, Move(12));
    let legal = legal_of(&game, &state);
    let chances = |policy: &LinearPolicy| policy.probabilities(&game, &state, &legal);
    assert_eq!(chances(&again), chances(&policy));
    let other = LinearPolicy::from_bytes(&go(4), &bytes).unwrap_err();
    assert!(matches!(other, LinearError::Game { .. }), "{other}");
    let value = dz_linear::LinearValue::blank(&game, &[1]).unwrap().to_bytes().unwrap();
    let other = LinearPolicy::from_bytes(&game, &value).unwrap_err();
    assert!(other.to_string().contains("`dagzero learn policy`"), "{other}");
}
