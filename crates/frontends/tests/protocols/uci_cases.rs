//! UCI as front ends really speak it: refused positions, games that go on after our draws, searches
//! without end. Mutations are compared with python-chess; `DAGZERO_PYTHON` names the interpreter.

use std::process::Command;

use dz_frontends::{Activity, LINE_BYTES_MAX, Protocol, Uci};
use dz_game::{
    Game,
    games::{Chess, ChessHistory},
};
use dz_testkit::{output_with_input, python_with};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::common::{best_move, say_uci, uci};

const NONE: &str = "bestmove (none)\n";

/// Says the lines of a file; the last one is answered as far as it is without another line.
fn follow(text: &str) -> (Uci, String) {
    let mut engine = uci();
    let said = text.lines().map(|line| say_uci(&mut engine, line)).collect::<Vec<_>>();
    (engine, said.last().cloned().expect("a line"))
}

#[test]
fn stale_castling_rights_are_left_out_and_reported() {
    let (mut engine, said) = follow(include_str!("cases/c09-uci-refused-position.uci"));
    // None of the moves of 1. e4.
    let mv = best_move(&said).to_owned();
    assert!(!["e7e5", "c7c5", "e7e6", "g8f6", "b8c6", "d7d5"].contains(&mv.as_str()), "{said}");
    let line = "position fen 2r5/5p1k/p4b2/2Rp1pr1/1Pn1q3/2P3PP/P4P2/2RQ2K1 b KQkq - 0 1";
    assert!(say_uci(&mut engine, line).contains("castling rights KQkq become -"));
    assert_eq!(say_uci(&mut engine, &format!("{line} moves {mv}")).matches("cannot").count(), 0);
}

/// Positions that are refused, whatever was there before.
const REFUSED: [&str; 20] = [
    "",
    "fen",
    "fen 8/8 w",
    "startpos e2e4",
    "startpos moves e2e5",
    "startpos moves e2e4 e7e5 e4e5 d7d6",
    "startpos moves e2e4 0000",
    "startpos moves e2e4 e7\u{7}e5",
    "startpos moves e2e4 moves e7e5",
    "startpos moves f2f3 e7e5 g2g4 d8h4 a2a3",
    "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR W KQkq - 0 1",
    "fen rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
    "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - zero 1",
    "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 e2e4",
    "fen rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1",
    "fen rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 0 1 moves h5e8",
    "fen startpos",
];

#[test]
fn a_refused_position_is_never_answered_for_another() {
    for words in REFUSED {
        let mut engine = uci();
        say_uci(&mut engine, "position startpos moves e2e4");
        let said = say_uci(&mut engine, &format!("position {words}"));
        assert!(said.starts_with("info string ") && said.lines().count() == 1, "{words}: {said}");
        let safe = |text: &str| !text.chars().any(|c| c.is_control() && c != '\n');
        for go in ["go nodes 5", "go wtime 100 btime 100", "go depth 1"] {
            let said = say_uci(&mut engine, go);
            assert!(said.contains("info string ") && said.ends_with(NONE), "{words}: {said}");
            assert!(safe(&said));
        }
        say_uci(&mut engine, "go infinite");
        assert_eq!((engine.activity(), engine.line(b"stop").as_str()), (Activity::Idle, NONE));
        // The next position is answered for itself.
        assert_eq!(say_uci(&mut engine, "position startpos moves e2e4 e7e5"), "");
        assert_ne!(best_move(&say_uci(&mut engine, "go nodes 5")), "(none)");
    }
}

#[test]
fn other_variants_and_cut_lines_are_no_position_of_ours() {
    let mut engine = uci();
    for option in ["UCI_Variant value atomic", "UCI_Chess960 value true"] {
        let said = say_uci(&mut engine, &format!("setoption name {option}"));
        assert!(said.contains("is not played here"), "{said}");
        say_uci(&mut engine, "position startpos");
        assert!(say_uci(&mut engine, "go nodes 5").ends_with(NONE));
        say_uci(&mut engine, "setoption name UCI_Chess960 value false");
        say_uci(&mut engine, "setoption name UCI_Variant value chess");
        assert_ne!(best_move(&say_uci(&mut engine, "go nodes 5")), "(none)");
    }
    let long = format!("position startpos moves {}", "g1f3 g8f6 f3g1 f6g8 ".repeat(60_000));
    let said = say_uci(&mut engine, &long[..LINE_BYTES_MAX]);
    assert!(said.contains("is longer than 1048576 bytes"), "{said}");
    assert!(say_uci(&mut engine, "go nodes 5").ends_with(NONE));
}

#[test]
fn odd_bytes_are_shown_and_marks_mean_nothing() {
    let mut engine = uci();
    assert_eq!(engine.line(b"\xef\xbb\xbfisready\x00"), "readyok\n");
    assert_eq!(
        engine.line(b"\xff\x1b[31m hello"),
        "info string unknown command: \u{fffd}\\u{1b}[31m hello\n"
    );
    let said = engine.line(b"position startpos moves e2e4 \x9b31m\xe9");
    assert!(said.starts_with("info string ") && said.contains('\u{fffd}'), "{said}");
    assert!(say_uci(&mut engine, "go nodes 5").ends_with(NONE));
}

#[test]
fn a_dead_position_is_played_on() {
    let (mut engine, said) = follow(include_str!("cases/c10-uci-dead-position.uci"));
    let mv = best_move(&said).to_owned();
    assert_ne!(mv, "(none)");
    // Both kings, and nothing else, on and on; then a move that is illegal there too.
    let start = "position fen 8/8/4k3/8/8/4K3/8/8 w - - 0 1";
    let moves = "e3e4 e6d6 e4e3 d6e6 ".repeat(40);
    assert_eq!(say_uci(&mut engine, &format!("{start} moves {moves}")), "");
    assert_ne!(best_move(&say_uci(&mut engine, "go nodes 5")), "(none)");
    assert_eq!(best_move(&say_uci(&mut engine, "go searchmoves e3d4 nodes 5")), "e3d4");
    say_uci(&mut engine, "go infinite");
    assert_eq!(engine.activity(), Activity::Idle);
    assert!(engine.line(b"stop").contains("bestmove e3"));
    let said = say_uci(&mut engine, &format!("{start} moves {moves} e3e5"));
    assert!(said.contains("e3e5 cannot be played"), "{said}");
    // A stalemate of dead material is the end.
    say_uci(&mut engine, "position fen 7k/5K2/8/8/4B3/8/8/8 b - - 0 1 moves h8h7 e4h7");
    assert!(say_uci(&mut engine, "go nodes 5").contains("bestmove"));
    say_uci(&mut engine, "position fen k7/2K5/1B6/8/8/8/8/8 b - - 0 1");
    assert_eq!(say_uci(&mut engine, "go nodes 5"), NONE);
}

#[test]
fn nothing_that_waits_answers_before_stop() {
    let (mut engine, said) = follow(include_str!("cases/c11-uci-infinite-at-mate.uci"));
    assert_eq!((said.as_str(), engine.activity()), ("", Activity::Idle));
    assert_eq!(engine.line(b"isready"), "readyok\n");
    assert_eq!(engine.line(b"stop"), NONE);
    assert_eq!(engine.line(b"stop"), "", "once");
    for position in [
        "startpos moves f2f3 e7e5 g2g4 d8h4",
        "fen 7k/5K2/6Q1/8/8/8/8/8 b - - 0 1",
        "fen 8/8/4k3/8/8/4K3/8/8 w - - 0 1",
        "fen 7k/8/8/8/8/8/R7/K7 w - - 100 90",
        "fen 7k/8/8/6R1/8/8/R7/K7 b - - 0 1",
        "fen 6k1/8/5KQ1/8/8/8/8/8 w - - 0 1",
        "startpos moves e2e5",
    ] {
        for go in [
            "infinite",
            "ponder",
            "infinite nodes 3",
            "ponder depth 1 movetime 1",
            "ponder wtime 5 btime 5",
        ] {
            say_uci(&mut engine, &format!("position {position}"));
            let mut said = engine.line(format!("go {go}").as_bytes());
            for _ in 0..50 {
                said += &engine.step();
            }
            assert!(!said.contains("bestmove"), "{position}, {go}: {said}");
            assert_eq!(engine.line(b"isready"), "readyok\n");
            let end = if go.starts_with("ponder") { "ponderhit" } else { "stop" };
            let said = say_uci(&mut engine, end);
            assert_eq!(said.matches("bestmove ").count(), 1, "{position}, {go}: {said}");
        }
    }
    // Where nobody can say stop any more, there is an end as well.
    say_uci(&mut engine, "go infinite");
    assert_eq!(engine.close(), NONE.to_owned());
}

/// A position from a random game, and a change of it.
fn mutation(random: &mut Xoshiro256PlusPlus) -> String {
    let game = Chess::new();
    let (mut state, mut history) = (game.start(), ChessHistory::default());
    let (mut moves, mut scratch) = (Vec::new(), Vec::new());
    for _ in 0..random.random_range(0..80) {
        let Some(mv) = game.random_move(&state, &history, random, &mut scratch) else { break };
        moves.push(game.format_move(mv));
        game.advance(&mut state, &mut history, mv);
    }
    let fen = state.fen();
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    let pick = |random: &mut Xoshiro256PlusPlus, of: &[&str]| {
        of[random.random_range(0..of.len())].to_owned()
    };
    match random.random_range(0..10) {
        0 => fields[2] = pick(random, &["KQkq", "KQ", "kq", "Qk", "K", "qkQK"]),
        1 => fields[3] = pick(random, &["e3", "d6", "a3", "h6", "e4", "z9", "e", "c6"]),
        2 => fields.truncate(random.random_range(2..6)),
        3 => fields[4] = pick(random, &["-", "-4", "99", "100", "101", "5000"]),
        4 => fields[5] = pick(random, &["-", "0", "-7", "70000"]),
        5 => {
            // One sign for another: impossible boards among them.
            let at = random.random_range(0..fields[0].len());
            fields[0].replace_range(at..=at, &pick(random, &["P", "k", "1", "q", "/", "8", "N"]));
        }
        6 => fields[1] = pick(random, &["w", "b", "x"]),
        7 => {
            let at = random.random_range(0..=moves.len());
            moves.insert(at, pick(random, &["e2e4", "a1a1", "h7h8q", "e1g1", "g8f6"]));
            return format!("startpos moves {}", moves.join(" "));
        }
        8 if !moves.is_empty() => {
            moves.remove(random.random_range(0..moves.len()));
            return format!("startpos moves {}", moves.join(" "));
        }
        _ => {
            // Kings with a piece or two, anywhere: dead material for the most part.
            let mut squares = ['1'; 64];
            for sign in
                ['K', 'k', *['B', 'N', 'b', 'n'].get(random.random_range(0..4)).expect("four")]
            {
                squares[random.random_range(0..64)] = sign;
            }
            let rows = squares.chunks(8).map(|row| {
                let row: String = row.iter().collect();
                // python-chess wants one digit for empty squares side by side.
                (2..=8).rev().fold(row, |row, n| row.replace(&"1".repeat(n), &n.to_string()))
            });
            fields[0] = rows.collect::<Vec<_>>().join("/");
            fields.truncate(2);
        }
    }
    format!("fen {}", fields.join(" "))
}

/// What python-chess says of each position: the legal moves, or nothing for an impossible position.
fn ask_peer(lines: &[String]) -> Option<Vec<Option<Vec<String>>>> {
    let python = python_with("chess")?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/protocols/positions.py");
    let text = lines.join("\n") + "\n";
    let output = output_with_input(Command::new(&python).arg(script), &text);
    assert!(output.status.success(), "the program reads all");
    let text = String::from_utf8(output.stdout).expect("text");
    let read = |line: &str| {
        let words = line.strip_prefix("legal")?;
        Some(words.split_whitespace().map(str::to_owned).collect())
    };
    Some(text.lines().map(read).collect())
}

#[test]
fn mutated_positions_are_answered_as_python_chess_reads_them() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let lines: Vec<String> = (0..400).map(|_| mutation(&mut random)).collect();
    let Some(answers) = ask_peer(&lines) else { return };
    assert_eq!(answers.len(), lines.len());
    let mut engine = uci();
    let (mut refused, mut over) = (0, 0);
    for (line, answer) in lines.iter().zip(&answers) {
        let said = say_uci(&mut engine, &format!("position {line}"));
        let printed = say_uci(&mut engine, "go nodes 2");
        let mv = best_move(&printed);
        match answer {
            // More than python-chess has against a position is a refusal that says so.
            _ if mv == "(none)" && said.contains("no move is answered") => {
                let stricter = said.contains("more pieces than its pawns can have become");
                assert!(answer.is_none() || stricter, "{line}: {said}");
                refused += 1;
            }
            None => panic!("{line}: python-chess finds it impossible; answered {mv}; {said}"),
            Some(legal) if legal.is_empty() => {
                assert_eq!(mv, "(none)", "{line}");
                over += 1;
            }
            Some(legal) => assert!(legal.iter().any(|other| other == mv), "{line}: {printed}"),
        }
    }
    println!("{} positions, {refused} refused, {over} over", lines.len());
    assert!(refused > 30 && refused < 300, "{refused}");
}
