//! UCI, line by line.

use dz_frontends::{Activity, Protocol};
use dz_game::{Game, Status, games::Chess};
use proptest::prelude::*;

use crate::common::{best_move, say_uci, uci};

#[test]
fn it_introduces_itself_and_is_ready() {
    let mut engine = uci();
    let text = say_uci(&mut engine, "uci");
    for part in ["id name DagZero", "option name Playouts type spin", "option name MultiPV"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(text.ends_with("\nuciok\n"));
    assert_eq!(say_uci(&mut engine, "joho isready\r\n"), "readyok\n");
    assert_eq!(say_uci(&mut engine, ""), "");
    let text = say_uci(&mut engine, "what is this");
    assert_eq!(text, "info string unknown command: what is this\n");
    assert_eq!(say_uci(&mut engine, "stop"), "");
    let text = say_uci(&mut engine, "setoption name Hash value 16");
    assert!(text.starts_with("info string no such option"), "{text}");
    say_uci(&mut engine, "quit");
    assert_eq!(engine.activity(), Activity::Ended);
}

#[test]
fn limits_and_options_are_kept() {
    let mut engine = uci();
    say_uci(&mut engine, "setoption name MultiPV value 3");
    say_uci(&mut engine, "setoption name UCI_ShowWDL value true");
    say_uci(&mut engine, "position startpos moves e2e4 e7e5");
    let text = say_uci(&mut engine, "go nodes 120");
    assert!(text.contains("multipv 3 score cp ") && !text.contains("multipv 4"), "{text}");
    assert!(text.contains(" wdl ") && text.contains(" nodes 120 "), "{text}");
    say_uci(&mut engine, "setoption name playouts value 30");
    assert!(say_uci(&mut engine, "go movetime 100000").contains(" nodes 30 "));
    assert!(say_uci(&mut engine, "go depth 3").contains("info string depth is no limit"));
    // Without time there is a move all the same.
    assert!(say_uci(&mut engine, "go wtime 0 btime 0").contains("bestmove "));
}

#[test]
fn only_moves_that_are_asked_for_are_searched() {
    let mut engine = uci();
    say_uci(&mut engine, "setoption name MultiPV value 500");
    let first_moves = |text: &str| -> std::collections::BTreeSet<String> {
        let lines = text.lines().filter_map(|line| line.split_once(" pv ")?.1.split(' ').next());
        lines.map(str::to_owned).collect()
    };
    say_uci(&mut engine, "go nodes 100");
    let text = say_uci(&mut engine, "go searchmoves h2h3 a2a4 h7h5 nodes 100");
    assert!(text.contains("info string searchmoves: h7h5 is no legal move"), "{text}");
    assert!(text.contains(" nodes 100 "), "what was found before is not taken over: {text}");
    assert_eq!(first_moves(&text).into_iter().collect::<Vec<_>>(), ["a2a4", "h2h3"], "{text}");
    assert!(["a2a4", "h2h3"].contains(&best_move(&text)), "{text}");
    let text = say_uci(&mut engine, "go nodes 100");
    assert_eq!(first_moves(&text).len(), 20, "all moves are back: {text}");
}

#[test]
fn infinite_and_pondering_searches_wait() {
    let mut engine = uci();
    engine.line(b"setoption name Playouts value 30");
    engine.line(b"go infinite");
    let mut printed = String::new();
    for _ in 0..200 {
        printed += &engine.step();
    }
    assert!(printed.contains("info depth ") && !printed.contains("bestmove"), "{printed}");
    assert!(!printed.contains(" nodes 30 "), "no number of playouts ends it: {printed}");
    assert_eq!(engine.line(b"isready"), "readyok\n");
    assert!(engine.line(b"stop").contains("bestmove "));
    assert_eq!(engine.activity(), Activity::Idle);

    engine.line(b"setoption name Playouts value 0");
    engine.line(b"position startpos moves d2d4 d7d5");
    engine.line(b"go ponder wtime 10000 btime 10000");
    for _ in 0..200 {
        assert!(!engine.step().contains("bestmove"));
    }
    let answer = say_uci(&mut engine, "ponderhit");
    assert!(best_move(&answer).len() >= 4, "{answer}");
    engine.line(b"go ponder");
    for _ in 0..5 {
        engine.step();
    }
    let answer = say_uci(&mut engine, "ponderhit");
    assert!(best_move(&answer).len() >= 4, "without a clock there is an end as well: {answer}");
    engine.line(b"go ponder");
    assert!(engine.close().contains("bestmove"), "nobody can say stop any more");
}

#[test]
fn wrong_positions_are_reported_and_change_nothing() {
    let mut engine = uci();
    for line in ["position", "position fen", "position fen 8/8 w", "position startpos moves e2e5"] {
        let text = say_uci(&mut engine, line);
        assert!(text.starts_with("info string "), "{line}: {text}");
    }
    let text = say_uci(&mut engine, "position startpos moves e2e4 e7e5 e4e5 d2d4");
    assert!(text.contains("e4e5 cannot be played"), "{text}");
    assert!(say_uci(&mut engine, "go nodes 20").ends_with("\nbestmove (none)\n"));
    say_uci(&mut engine, "position fen 7k/5KQ1/8/8/8/8/8/8 b - - 0 1");
    assert_eq!(say_uci(&mut engine, "go nodes 20"), "bestmove (none)\n", "it is mate");
}

#[test]
fn a_draw_that_nobody_claims_is_played_on() {
    let mut engine = uci();
    let shuffle = "g1f3 g8f6 f3g1 f6g8 ";
    let line = format!("position startpos moves {}", shuffle.repeat(3));
    assert_eq!(say_uci(&mut engine, &line), "");
    assert!(best_move(&say_uci(&mut engine, "go nodes 20")).len() >= 4);
    say_uci(&mut engine, "position fen 7k/8/8/8/8/8/R7/K7 w - - 100 90 moves a2a3");
    assert!(best_move(&say_uci(&mut engine, "go nodes 20")).starts_with("h8"));
    // Beyond the draw that nobody claimed; a queen's move is none of the position before.
    assert_eq!(say_uci(&mut engine, "position fen 4k3/8/8/8/8/3Q4/8/4K3 w - - 120 200"), "");
    let only = "go nodes 20 searchmoves d3d4";
    assert_eq!(best_move(&say_uci(&mut engine, only)), "d3d4");
}

#[test]
fn what_was_found_serves_the_next_move() {
    let mut engine = uci();
    say_uci(&mut engine, "position startpos moves e2e4");
    let text = say_uci(&mut engine, "go nodes 3000");
    let mv = best_move(&text);
    let expected = |engine: &mut _, again: &str| {
        say_uci(engine, again);
        let text = say_uci(engine, "go nodes 1");
        let (_, line) = text.split_once(" pv ").expect("a line");
        line.lines().next().expect("a line").split(' ').count()
    };
    // One playout alone knows no reply to a reply.
    let goes_on = format!("position startpos moves e2e4 {mv}");
    assert!(expected(&mut engine, &goes_on) >= 2);
    assert_eq!(expected(&mut engine, "position startpos moves d2d4"), 1);
}

/// Two engines, one referee.
fn referee<G: Game>(game: &G) {
    let mut engines = [uci(), uci()];
    let (mut state, mut history) = (game.start(), G::History::default());
    let mut moves = String::new();
    for _ in 0..60 {
        let Status::ToMove(player) = game.status(&state, &history) else { break };
        let engine = &mut engines[player.index()];
        let said = say_uci(engine, &format!("position startpos moves {moves}"));
        assert_eq!(said, "");
        let text = say_uci(engine, "go wtime 2000 btime 2000 winc 10 binc 10 nodes 60");
        let mv = best_move(&text);
        game.play_text(&mut state, &mut history, mv).expect("a legal move");
        moves.push_str(mv);
        moves.push(' ');
    }
}

#[test]
fn engines_play_legal_moves() {
    referee(&Chess::new());
}

const WORDS: &[&str] = &[
    "uci",
    "isready",
    "setoption",
    "name",
    "value",
    "MultiPV",
    "Playouts",
    "ucinewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "e2e4",
    "e7e5",
    "e1g1",
    "a7a8q",
    "go",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "movestogo",
    "infinite",
    "ponder",
    "ponderhit",
    "stop",
    "depth",
    "searchmoves",
    "mate",
    "0",
    "1",
    "50",
    "-7",
    "99999999999999999999",
    "8/8/8/8/8/8/8/8",
    "w",
    "-",
    "\u{0}",
    "\u{e9}",
    "7k/5KQ1/8/8/8/8/8/8",
    "b",
    "true",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_that_is_said_ends_it(
        lines in prop::collection::vec(prop::collection::vec(0..WORDS.len(), 0..7), 1..20),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut engine = uci();
        engine.line(b"setoption name Playouts value 5");
        for line in lines {
            let words: Vec<&str> = line.into_iter().map(|word| WORDS[word]).collect();
            engine.line(words.join(" ").as_bytes());
            for _ in 0..3 {
                engine.step();
            }
        }
        engine.line(&bytes);
        engine.line(b"stop");
        prop_assert_eq!(engine.line(b"isready"), "readyok\n");
    }
}
