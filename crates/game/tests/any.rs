//! Games chosen at run time answer as the games themselves do.

use dz_game::{
    AnyGame, Encoding, Game, GameSpec, Komi, Symmetry, game_names, laws, transcript, with_game,
};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

const TRAITS: &str = include_str!("../src/core.rs");
const FORWARDED: [&str; 2] =
    [include_str!("../src/any/game.rs"), include_str!("../src/any/encoding.rs")];
const OTHERS: [&str; 4] =
    ["go:size=5,komi=7.5", "hex:size=4,swap=true", "connect4:width=5,height=4", "othello:size=4"];

fn names() -> Vec<String> {
    game_names().iter().chain(&OTHERS).map(|&name| name.to_owned()).collect()
}

/// Names of the functions from the line that starts with `begin` to the next line `}`.
fn functions(text: &str, begin: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| !line.starts_with(begin));
    let inside = lines.take_while(|&line| line != "}");
    let name = |line: &str| {
        let rest = line.strip_prefix("    fn ")?;
        Some(rest.split(['(', '<']).next()?.to_owned())
    };
    inside.filter_map(name).collect()
}

/// A method that is not forwarded would get the trait's default, even where a game overrides it.
#[test]
fn every_method_is_forwarded() {
    let pairs = [
        ("pub trait Game:", "impl Game for AnyGame", 43),
        ("pub trait Encoding:", "impl Encoding for AnyEncoding", 10),
    ];
    for (begin, implemented, count_min) in pairs {
        let mut wanted = functions(TRAITS, begin);
        let mut found = functions(&FORWARDED.concat(), implemented);
        assert!(wanted.len() >= count_min, "{wanted:?}");
        wanted.sort();
        found.sort();
        assert_eq!(found, wanted);
    }
}

#[test]
fn transcripts_and_laws_are_those_of_the_game() {
    for name in names() {
        let spec: GameSpec = name.parse().unwrap();
        let any = AnyGame::of(&spec).unwrap();
        laws::check(&any, 5, 2).unwrap_or_else(|broken| panic!("{name}: {broken}"));
        for seed in 0..2 {
            let own = with_game!(&spec, |game| transcript(&game, seed)).unwrap();
            assert_eq!(transcript(&any, seed), own, "{name}");
        }
    }
}

/// What a game says of itself and of the positions of one random game.
fn said<G: Game>(game: &G) -> Vec<String> {
    let encoding = game.encoding();
    let mut said = vec![
        format!("{:?} {:?} {:?}", game.spec(), game.komi(), game.display()),
        format!("{:?}", game.with_komi(Komi::parse("5.5").unwrap()).map(|game| game.spec())),
        format!("{} {:?} {:?}", game.acyclic(), game.plies_max(), game.summary()),
        format!("{} {}", game.state_bytes_max(), game.moves_max()),
        format!("{} {:?}", game.notation(), game.record_format()),
        format!("{:?} {:?}", game.unnamed_parameters(), encoding.targets()),
        format!("{:?} {:?}", encoding.plane_names(), encoding.global_names()),
        format!("{} {}", encoding.policy_layout(), encoding.policy_len()),
        format!("{:?}", game.parse_position("").map(|state| game.position_text(&state)).is_ok()),
        format!("{:?}", game.split_moves("e2e4 12 d4")),
    ];
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut state, mut history) = (game.start(), G::History::default());
    let (mut legal, mut owners) = (Vec::new(), Vec::new());
    let mut last = None;
    for _ in 0..80 {
        let symmetry = Symmetry(game.symmetry_count() - 1);
        said.push(format!("{:?}", game.moves_after_draw(&state, &history, &mut legal)));
        encoding.ownership(&state, symmetry, &mut owners);
        said.push(format!("{:?} {owners:?}", game.stones(&state)));
        said.push(format!("{:?} {:?}", game.position_text(&state), game.status(&state, &history)));
        let stones = game.stones(&state);
        let mover = game.to_move(&state, &history).unwrap_or(dz_game::Player::First);
        said.push(format!("{:?}", stones.and_then(|stones| game.position_of(&stones, mover))));
        let mut skipped = (state.clone(), history.clone());
        said.push(format!("{}", game.skip_turn(&mut skipped.0, &mut skipped.1)));
        said.push(format!("{:?}", game.eval_key(&skipped.0, &skipped.1)));
        let next = game.informed_move(&state, &history, last, &mut random, &mut legal);
        let Some(mv) = next else { break };
        said.push(format!("{:?}", game.surroundings(&state, mv)));
        let (record, protocol) = (game.record_move(&state, mv), game.protocol_move(&state, mv));
        said.push(format!("{record:?} {protocol} {}", encoding.policy_index(&state, mv, symmetry)));
        let read = record.map(|text| game.parse_record_move(&state, &text).is_ok());
        said.push(format!("{read:?} {:?}", game.parse_protocol_move(&state, &protocol).is_ok()));
        said.push(format!("{:?}", game.perft(&state, &history, 1)));
        let after_other = game.random_move(&state, &history, &mut random, &mut legal);
        said.push(format!("{after_other:?} {}", game.outcome(&state, &history).is_none()));
        game.advance_unkeyed(&mut state, &mut history, mv);
        last = Some(mv);
    }
    said
}

#[test]
fn what_a_game_says_is_the_same() {
    for name in names() {
        let spec: GameSpec = name.parse().unwrap();
        let own = with_game!(&spec, |game| said(&game)).unwrap();
        assert_eq!(said(&AnyGame::of(&spec).unwrap()), own, "{name}");
    }
}

#[test]
#[should_panic(expected = "another game")]
fn positions_of_another_game_are_no_positions() {
    let [go, hex] = ["go:size=5", "hex:size=5"].map(|name| AnyGame::of(&name.parse().unwrap()));
    let _ = go.unwrap().render(&hex.unwrap().start());
}
