//! Which shapes share a weight, against what the game's symmetries say of whole boards.

use dz_game::{
    Game, GameSpec, Move, Player, Status, Symmetry,
    games::{Go, GoHistory, Hex, Othello},
};
use dz_linear::{Lessons, LinearValue, Shapes, learn};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn go(size: u8) -> Go {
    let spec: GameSpec = format!("go:size={size},komi=0").parse().unwrap();
    Go::from_spec(&spec).unwrap()
}

/// Positions of random games, each with who moved to it.
fn positions<G: Game>(game: &G, count: usize, seed: u64) -> Vec<(G::State, Player)> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut found = Vec::new();
    let mut scratch = Vec::new();
    while found.len() < count {
        let mut state = game.start();
        let mut history = G::History::default();
        while let Status::ToMove(mover) = game.status(&state, &history) {
            let mv = game.random_move(&state, &history, &mut random, &mut scratch).unwrap();
            game.advance(&mut state, &mut history, mv);
            if random.random::<f64>() < 0.2 {
                found.push((state.clone(), mover));
            }
        }
    }
    found.truncate(count);
    found
}

#[test]
fn counts_of_features_are_those_of_the_paper() {
    // 9x9, windows of 1x1, 2x2 and 3x3: 81 + 64 + 49 places.
    let shapes = Shapes::of(&go(9), &[1, 2, 3]).unwrap();
    assert_eq!(shapes.windows(), 81 + 64 + 49);
    // Places that symmetries of the board distinguish: 15 points, 10 squares of 2x2, 10 of 3x3.
    // Each has its configurations, and so has "anywhere"; the constant is one more.
    assert_eq!(shapes.weights(), 1 + 16 * 3 + 11 * 81 + 11 * 19_683);
    assert!(Shapes::of(&dz_game::games::Chess::new(), &[1]).is_none());
}

/// A learned value is the same for a position and its symmetric images. A constant value would pass
/// too, so values of positions have to differ.
fn symmetric<G: Game>(game: &G) {
    let value = learn(game, &Lessons { games: 60, ..Lessons::default() }, |_| true).unwrap();
    let mut chances = Vec::new();
    for (state, player) in positions(game, 40, 5) {
        let chance = value.chance(game, &state, player);
        for symmetry in 0..game.symmetry_count() {
            let seen = game.map_state(Symmetry(symmetry), &state);
            assert!((value.chance(game, &seen, player) - chance).abs() < 1e-9);
        }
        chances.push(chance);
    }
    chances.sort_by(f64::total_cmp);
    chances.dedup();
    assert!(chances.len() > 30, "{chances:?}");
}

#[test]
fn values_are_the_same_on_every_side() {
    symmetric(&go(5));
    symmetric(&Othello::from_spec(&"othello:size=6".parse().unwrap()).unwrap());
    symmetric(&Hex::from_spec(&"hex:size=4".parse().unwrap()).unwrap());
}

#[test]
fn changes_add_up_to_whole_values() {
    let game = go(5);
    let value = learn(&game, &Lessons { games: 60, ..Lessons::default() }, |_| true).unwrap();
    let mut legal = Vec::new();
    for (state, player) in positions(&game, 40, 6) {
        let mover = player.opponent();
        game.legal_moves(&state, &GoHistory::default(), &mut legal);
        let chances = value.after_moves(&game, &state, &legal);
        for (&mv, chance) in legal.iter().zip(chances) {
            let mut after = state;
            game.play(&mut after, mv);
            let whole = value.chance(&game, &after, mover);
            assert!((whole - chance).abs() < 1e-9, "{whole} and {chance}");
        }
    }
}

#[test]
fn a_value_without_lessons_is_even() {
    let game = go(3);
    let value = LinearValue::blank(&game, &[1, 2, 3]).unwrap();
    assert_eq!(value.after_moves(&game, &game.start(), &[Move(4), Move(9)]), [0.5, 0.5]);
    assert_eq!(value.counts()[0], 0);
}
