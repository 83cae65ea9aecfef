//! Impossible moves and names: each is refused in one line that names the possible ones, and
//! nothing panics.

use dz_game::{Game, GameError, GameSpec, canonical_spec, game_names, with_game};

/// Plays moves, of which the last one is refused; the error's text.
fn refusal_of<G: Game>(game: &G, list: &str) -> String {
    let (mut state, mut history) = (game.start(), G::History::default());
    let moves = game.split_moves(list);
    let (last, before) = moves.split_last().expect("a move that is refused");
    for text in before {
        let played = game.play_text(&mut state, &mut history, text);
        played.unwrap_or_else(|error| panic!("{text} of {list}: {error}"));
    }
    let unchanged = (state.clone(), game.node_key(&state, &history));
    let refused = game.play_text(&mut state, &mut history, last).expect_err(list);
    assert!(
        matches!(refused, GameError::BadMove { .. } | GameError::IllegalMove { .. }),
        "{refused:?}"
    );
    assert_eq!((state.clone(), game.node_key(&state, &history)), unchanged);
    refused.to_string()
}

fn refusal(game: &str, moves: &str) -> String {
    let spec: GameSpec = game.parse().expect("a specification");
    with_game!(&spec, |game| refusal_of(&game, moves)).expect("possible parameters")
}

#[test]
fn moves_that_cannot_be_are_refused() {
    for (game, moves, words) in [
        ("connect4", "8", "1 to 7"),
        ("connect4", "0", "1 to 7"),
        ("connect4", "1111111", "legal moves: 2 3 4 5 6 7"),
        ("connect4", "12121213", "not legal here; the game is over"),
        ("connect4:width=10", "11", "1 to 10"),
        ("tictactoe", "5 5", "legal moves: 1 2 3 4 6 7 8 9"),
        ("tictactoe", "1 4 2 5 3 6", "not legal here; the game is over"),
        ("hex", "l1", "a1 to k11"),
        ("hex", "a12", "a1 to k11"),
        ("hex:size=3", "a1 a1", "legal moves: b1 c1"),
        ("hex", "a1 swap", "a1 to k11"),
        ("hex:swap=true", "swap", "legal moves: a1"),
        ("hex:size=2", "a1 b1 a2 b2", "not legal here; the game is over"),
        ("go", "j10", "A1 to J9"),
        ("go", "i5", "A1 to J9"),
        ("go:size=2", "a1 a1", "legal moves: A2 B2 B1 pass"),
        ("go:size=2", "pass pass a1", "not legal here; the game is over"),
        ("othello", "i1", "a1 to h8"),
        ("othello:size=6", "g1", "a1 to f6"),
        ("othello", "d4", "legal moves: d3 c4 f5 e6"),
        ("othello", "pass", "legal moves: d3 c4 f5 e6"),
        ("othello", "e6 f4 e3 f6 g5 d6 e7 f5 c5 a1", "not legal here; the game is over"),
        ("breakthrough", "a2a9", "a1 to h8"),
        ("breakthrough", "a2a4", "legal moves: a2a3 a2b3 b2a3"),
        ("breakthrough", "a2a3 a2b3", "legal moves: a7a6"),
        (
            "breakthrough:width=3,height=5",
            "b2b3 a4b3 a2b3 b4c3 b3a4 a5b4 a4b5 a1a2",
            "not legal here; the game is over",
        ),
        ("gomoku", "p1", "a1 to o15"),
        ("gomoku:size=6", "a7", "a1 to f6"),
        ("gomoku:size=6", "a1 a1", "legal moves: b1"),
        ("gomoku:size=6", "swap", "a1 to f6"),
        ("gomoku:size=6", "a1 a2 b1 b2 c1 c2 d1 d2 e1 e2", "not legal here; the game is over"),
        ("gomoku:size=6,opening=swap", "a1 b1 swap", "legal moves: c1"),
        ("chess", "e2e5", "legal moves: "),
        ("chess", "e5", "legal moves: Na3 Nc3"),
        ("chess", "k9", "write e4, Nf3, O-O or e8=Q, or from and to"),
        ("chess", "e4 e5 Nf3 Nc6 O-O", "move 'O-O' is not legal here; legal moves: Na3"),
        ("chess", "f2f3 e7e5 g2g4 d8h4 a2a3", "not legal here; the game is over"),
    ] {
        let refused = refusal(game, moves);
        assert!(refused.contains(words), "{game}, {moves}: {refused}");
        assert!(!refused.contains('\n'), "{refused}");
    }
}

/// Reads text that is no move; the error's text.
fn no_move<G: Game>(game: &G, text: &str) -> String {
    let refused = game.parse_move(&game.start(), text).expect_err("no move");
    assert!(matches!(refused, GameError::BadMove { .. }), "{refused:?}");
    refused.to_string()
}

/// Text that means nothing in any game.
#[test]
fn strange_text_is_shown_in_one_short_line() {
    let long = "a".repeat(10_000);
    for game in game_names() {
        for text in [
            "\u{e9}",
            "\u{212a}1",
            "a\u{661}",
            "a1\u{0}",
            "a1\nb1",
            "",
            " ",
            "-1",
            "+1",
            "99999999999",
            &long,
        ] {
            let spec: GameSpec = game.parse().expect("a name");
            let refused = with_game!(&spec, |game| no_move(&game, text)).expect("a game");
            assert!(refused.len() < 400, "{game}: {refused}");
            assert!(!refused.contains(char::is_control), "{game}: {refused}");
        }
    }
}

#[test]
fn strange_names_are_shown_in_one_short_line() {
    let long = "a".repeat(10_000);
    for text in [
        "go\n".to_owned(),
        format!("go:size={long}"),
        format!("go:{long}=9"),
        format!("{long}:size=9"),
        long.clone(),
        format!("go:size=9,{long}"),
        "go:size=9\u{0}".to_owned(),
        "go:komi=\u{661}".to_owned(),
        "gomoku:size=99999999999999999999".to_owned(),
        "chess:history_planes=256".to_owned(),
    ] {
        let made = text.parse::<GameSpec>().and_then(|spec| canonical_spec(&spec));
        let refused = made.expect_err(&text).to_string();
        assert!(refused.len() < 400, "{refused}");
        assert!(!refused.contains(char::is_control), "{refused}");
    }
}
