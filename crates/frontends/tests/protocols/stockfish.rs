//! A game against Stockfish, which must find every move legal. Skipped where there is no
//! `stockfish`.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
};

use dz_game::{
    Game,
    games::{Chess, ChessHistory},
};

use crate::common::{best_move, say_uci, uci};

#[test]
fn stockfish_finds_our_moves_legal() {
    let paths = ["/usr/games/stockfish", "/usr/bin/stockfish", "/usr/local/bin/stockfish"];
    let Some(path) = paths.into_iter().find(|path| Path::new(path).exists()) else {
        println!("skipped: there is no stockfish");
        return;
    };
    let mut child = Command::new(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("stockfish starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut ask = |lines: &str, end: &str| {
        writeln!(input, "{lines}").expect("stockfish reads");
        loop {
            let mut line = String::new();
            assert!(output.read_line(&mut line).expect("stockfish writes") > 0, "it ended");
            if line.starts_with(end) {
                return line;
            }
        }
    };
    ask("uci\nsetoption name Skill Level value 0", "uciok");
    let game = Chess::from_spec(&"chess".parse().expect("a spec")).expect("a game");
    let (mut state, mut history, mut moves) =
        (game.start(), ChessHistory::default(), String::new());
    let mut engine = uci();
    for ply in 0..120 {
        if game.outcome(&state, &history).is_some() {
            break;
        }
        let position = format!("position startpos moves {moves}");
        let text = if ply % 2 == 0 {
            assert_eq!(say_uci(&mut engine, &position), "");
            say_uci(&mut engine, "go nodes 50")
        } else {
            ask(&format!("{position}\ngo nodes 50"), "bestmove")
        };
        let mv = best_move(&text);
        game.play_text(&mut state, &mut history, mv).expect("a legal move");
        moves.push_str(mv);
        moves.push(' ');
        // Stockfish drops moves that it finds illegal, and all that follow.
        let fen = ask(&format!("position startpos moves {moves}\nd"), "Fen:");
        let (ours, theirs) = (state.fen(), fen.trim_start_matches("Fen:").trim().to_owned());
        assert_eq!(
            ours.split(' ').take(2).collect::<Vec<_>>(),
            theirs.split(' ').take(2).collect::<Vec<_>>()
        );
    }
    let _ = writeln!(input, "quit");
    child.wait().expect("stockfish ends");
}
