//! What surrounds a move, in games that say.

use dz_game::{AnyGame, Game, GameSpec, Move, Player, Status, game_names};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

fn game(name: &str) -> AnyGame {
    AnyGame::of(&name.parse::<GameSpec>().unwrap()).unwrap()
}

/// The 5x5 points around a move of a game of stones on a square board, by the list of its stones.
fn literal<G: Game>(game: &G, state: &G::State, mv: Move, mover: Player) -> u64 {
    let stones = game.stones(state).unwrap();
    let size = stones.len().isqrt() as i32;
    let (row, column) = (i32::from(mv.0) / size, i32::from(mv.0) % size);
    let mut word = 0;
    for r in row - 2..=row + 2 {
        for c in column - 2..=column + 2 {
            let is_inside = (0..size).contains(&r) && (0..size).contains(&c);
            let cell = match is_inside.then(|| stones[(r * size + c) as usize]) {
                None => 3,
                Some(None) => 0,
                Some(Some(player)) => 1 + u64::from(player != mover),
            };
            word = 4 * word + cell;
        }
    }
    word
}

#[test]
fn stones_around_a_move_are_those_of_the_board() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    for name in ["othello:size=6", "othello", "hex:size=5,swap=true", "hex", "gomoku:size=9"] {
        let game = game(name);
        let mut legal = Vec::new();
        for _ in 0..5 {
            let (mut state, mut history) = (game.start(), <AnyGame as Game>::History::default());
            while let Status::ToMove(mover) = game.status(&state, &history) {
                game.legal_moves(&state, &history, &mut legal);
                let area = game.stones(&state).unwrap().len();
                for &mv in &legal {
                    let word = game.surroundings(&state, mv);
                    let is_point = usize::from(mv.0) < area;
                    let expected = is_point.then(|| literal(&game, &state, mv, mover));
                    assert_eq!(word, expected, "{name} {mv:?}");
                }
                let mv = legal[random.random_range(0..legal.len())];
                game.advance(&mut state, &mut history, mv);
            }
        }
    }
}

/// A stone lands on the first empty point of its column, and only what is near it counts.
#[test]
fn connect_four_looks_where_the_stone_lands() {
    let game = game("connect4");
    let word = |moves: &str, mv: u16| {
        let (mut state, mut history) = (game.start(), <AnyGame as Game>::History::default());
        for text in moves.split(' ').filter(|text| !text.is_empty()) {
            game.play_text(&mut state, &mut history, text).unwrap();
        }
        game.surroundings(&state, Move(mv)).unwrap()
    };
    assert_eq!(word("4 4", 3), word("4 4 1 1", 3), "three columns away");
    assert_ne!(word("4 4", 3), word("4 4 2 1", 3), "two columns away");
    assert_ne!(word("4 4", 3), word("4 5", 3), "another height");
    // The mover's own stone lies below both times.
    assert_eq!(word("4 7", 3), word("7 4 7", 3));
    assert_ne!(word("4 7", 3), word("4", 3));
}

/// Every legal move of every game has a word or none, the same each time.
#[test]
fn every_move_of_every_game_is_answered() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(4);
    for name in game_names() {
        let game = game(name);
        let (mut state, mut history) = (game.start(), <AnyGame as Game>::History::default());
        let mut legal = Vec::new();
        for _ in 0..120 {
            game.legal_moves(&state, &history, &mut legal);
            if legal.is_empty() {
                break;
            }
            for &mv in &legal {
                assert_eq!(game.surroundings(&state, mv), game.surroundings(&state, mv));
            }
            let mv = legal[random.random_range(0..legal.len())];
            game.advance(&mut state, &mut history, mv);
        }
    }
}
