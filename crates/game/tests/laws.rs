//! Every registered game obeys the laws, with default and with unusual parameters.

use dz_game::{Game, GameSpec, GameVisitor, game_names, laws, with_game};

const SEED: u64 = 20_260_401;
const GAMES: u32 = 60;

struct Laws;

impl GameVisitor for Laws {
    type Output = Result<(), laws::LawBroken>;
    fn visit<G: Game>(self, game: G) -> Self::Output {
        laws::check(&game, SEED, GAMES)
    }
}

fn check(text: &str) {
    let spec: GameSpec = text.parse().expect("a specification");
    let checked = with_game(&spec, Laws).unwrap_or_else(|error| panic!("{text}: {error}"));
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
