//! Every registered game obeys the laws, with default and with unusual parameters.

use dz_game::{Game, GameSpec, game_names, laws, with_game};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

const SEED: u64 = 20_260_401;
/// Random games of a game, if they are short.
const GAMES: usize = 60;
/// Legal moves of all positions of these games, about: each is played, named and mirrored. Large
/// boards get fewer games. Rare events have their own tests on small boards.
const MOVES: usize = 100_000;
/// Plies by which a game without end is judged.
const PLIES: u32 = 300;

/// How many random games have [`MOVES`] legal moves, by one of them.
fn games_of<G: Game>(game: &G) -> u32 {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
    let (mut state, mut history) = (game.start(), G::History::default());
    let (mut legal, mut moves) = (Vec::new(), 1);
    for _ in 0..PLIES {
        game.legal_moves(&state, &history, &mut legal);
        moves += legal.len();
        let Some(mv) = game.random_move(&state, &history, &mut random, &mut legal) else { break };
        game.advance_unkeyed(&mut state, &mut history, mv);
    }
    (MOVES / moves).clamp(1, GAMES) as u32
}

fn check(text: &str) {
    let spec: GameSpec = text.parse().expect("a specification");
    let checked = with_game!(&spec, |game| laws::check(&game, SEED, games_of(&game)));
    let checked = checked.unwrap_or_else(|error| panic!("{text}: {error}"));
    checked.unwrap_or_else(|broken| panic!("{text}: {broken}"));
}

#[test]
fn every_registered_game_with_its_defaults() {
    for name in game_names() {
        check(name);
    }
}

#[test]
fn connect_four_of_unusual_shapes() {
    for text in [
        "connect4:width=1,height=7,connect=2",
        "connect4:width=7,height=1,connect=3",
        "connect4:width=32,height=3,connect=4",
        "connect4:width=3,height=32,connect=3",
        "connect4:width=8,height=7,connect=5",
        "connect4:width=9,height=9,connect=5",
        "connect4:width=16,height=7,connect=16",
        "connect4:width=10,height=2,connect=10",
    ] {
        check(text);
    }
}

#[test]
fn shuttle_of_every_length_up_to_eleven() {
    for length in [3, 5, 7, 9, 11] {
        check(&format!("shuttle:length={length}"));
    }
}

/// Smallest, largest, and around the sizes whose points fill one word and two.
#[test]
fn hex_of_many_sizes_with_and_without_swap() {
    for size in [2, 3, 4, 5, 7, 8, 9, 11, 12, 19] {
        check(&format!("hex:size={size}"));
        check(&format!("hex:size={size},swap=true"));
    }
}
