//! A person at the board.

use dz_frontends::{LEVEL_MAX, Person, playouts_of};
use dz_game::Player;
use proptest::prelude::*;

use crate::common::{Eyes, session};

fn person(game: &str, side: Option<Player>) -> Person {
    let spec = game.parse().expect("a game");
    Person::new(session(&spec, Eyes::Rollouts).expect("a session"), side, playouts_of(6))
}

fn say(person: &mut Person, line: &str) -> String {
    person.line(line).expect("rollouts do not fail")
}

#[test]
fn a_game_is_played_to_its_end_and_taken_back() {
    let mut game = person("tictactoe", Some(Player::First));
    let text = game.greet().expect("no failure");
    assert!(text.contains("X: first (you); O: second (tester)"), "{text}");
    assert!(text.contains("X, first (you) to move"), "{text}");
    assert!(say(&mut game, "5").contains("tester plays "));
    assert!(say(&mut game, "5").contains("neither a legal move nor a command"));
    let text = say(&mut game, "undo");
    assert!(text.contains(" . . .\n . . .\n . . .\n"), "{text}");
    assert!(say(&mut game, "undo").contains("no move of yours"));
    let mut last = String::new();
    for _ in 0..5 {
        let moves = say(&mut game, "moves");
        let Some(mv) = moves.split_whitespace().next() else { break };
        last = say(&mut game, mv);
    }
    assert!(last.contains("over: "), "{last}");
    assert!(say(&mut game, "new").contains("to move"));
    assert_eq!(say(&mut game, "quit"), "");
    assert!(game.ended());
}

#[test]
fn hints_levels_and_sides() {
    let mut game = person("connect4:width=4,height=4,connect=3", Some(Player::Second));
    assert!(game.greet().expect("no failure").contains("tester plays "));
    let hint = say(&mut game, "hint");
    assert!(hint.contains(" %  ") && hint.contains('#'), "{hint}");
    assert!(say(&mut game, "level 3").contains("8 playouts"));
    assert!(say(&mut game, "level 99").contains("levels go from 0 to"));
    assert!(say(&mut game, "bar").contains("hidden"));
    assert!(!say(&mut game, "board").contains('#'));
    // The side that was the person's is the program's now, and it is its turn.
    assert!(say(&mut game, "side").contains("tester plays "));
    let both = say(&mut game, "side both");
    assert!(both.contains("X: first (you); O: second (you)"), "{both}");
    assert!(say(&mut game, "help").contains("undo"));
    assert_eq!(playouts_of(0), 1);
    assert_eq!(playouts_of(LEVEL_MAX + 5), playouts_of(LEVEL_MAX));
}

#[test]
fn chess_says_whose_the_letters_are() {
    let mut game = person("chess", None);
    let text = game.greet().expect("no failure");
    assert!(text.contains("capital letters: white (you)"), "{text}");
    assert!(say(&mut game, "e2e4").contains("black (you) to move"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_line_is_answered(lines in prop::collection::vec(".{0,40}", 1..20)) {
        let mut game = person("tictactoe", Some(Player::First));
        game.greet().expect("no failure");
        for line in lines {
            let text = say(&mut game, &line);
            prop_assert!(game.ended() || line.trim().is_empty() || text.ends_with('\n'), "{line:?}");
        }
    }
}
