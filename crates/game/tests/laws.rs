//! Every registered game obeys the laws, with default and with unusual parameters.

use dz_game::{Game, GameSpec, GameVisitor, game_names, laws, with_game};

const SEED: u64 = 20_260_401;
const GAMES: u32 = 60;

struct Laws {
    games: u32,
}

impl GameVisitor for Laws {
    type Output = Result<(), laws::LawBroken>;
    fn visit<G: Game>(self, game: G) -> Self::Output {
        laws::check(&game, SEED, self.games)
    }
}

fn check(text: &str) {
    check_games(text, GAMES);
}

fn check_games(text: &str, games: u32) {
    let spec: GameSpec = text.parse().expect("a specification");
    let checked =
        with_game(&spec, Laws { games }).unwrap_or_else(|error| panic!("{text}: {error}"));
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
    for size in [2, 3, 4, 5, 7, 8, 9, 11, 12, 19u32] {
        // A large board has many positions a game, and laws for every pair of moves in each.
        let games = GAMES.min(4000 / size.pow(3)).max(1);
        check_games(&format!("hex:size={size}"), games);
        check_games(&format!("hex:size={size},swap=true"), games);
    }
}
