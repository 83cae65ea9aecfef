//! Moves as programs of other authors write them in GTP and UCI.

use dz_game::{
    Game, Move,
    games::{Gomoku, Hex},
};

#[test]
fn gomoku_has_the_vertices_of_gtp() {
    let game = Gomoku::from_spec(&"gomoku:size=15".parse().expect("a spec")).expect("a game");
    let state = game.start();
    for (text, mv) in [("A15", 0), ("J15", 8), ("P1", 224), ("A1", 210)] {
        assert_eq!(game.parse_protocol_move(&state, text), Ok(Move(mv)));
        assert_eq!(game.protocol_move(&state, Move(mv)), text);
    }
    for text in ["I5", "A16", "A0", "Q1", "pass", "", "A+5", "\u{e9}5", "A"] {
        assert!(game.parse_protocol_move(&state, text).is_err(), "{text}");
    }
}

#[test]
fn colours_of_gomoku_are_taken_by_word() {
    let game = Gomoku::from_spec(&"gomoku:size=9,opening=swap2".parse().expect("a spec"));
    let game = game.expect("a game");
    let state = game.start();
    for (text, mv) in [("swap", 81), ("more", 82), ("A1", 72)] {
        assert_eq!(game.parse_protocol_move(&state, text), Ok(Move(mv)));
        assert_eq!(game.protocol_move(&state, Move(mv)), text);
    }
}

#[test]
fn hex_swaps_as_its_programs_do() {
    let game = Hex::new(5, true).expect("a game");
    let mut state = game.start();
    game.play(&mut state, Move(1));
    let swap = game.parse_protocol_move(&state, "swap-pieces").expect("a move");
    assert_eq!(game.protocol_move(&state, swap), "swap-pieces");
    assert_eq!(game.protocol_move(&state, Move(1)), "b1");
}
