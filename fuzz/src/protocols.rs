//! Protocols of front ends: on any input, every command is answered once and the engine goes on.

use dz_frontends::{Activity, Protocol};

use crate::common::{Eyes, gtp, uci};

/// The longest input that is looked at, and most of its lines.
const BYTES_MAX: usize = 20_000;
const LINES_MAX: usize = 200;

/// Pieces of thinking that a line may take; a front end may ask for more than there is time for
/// here.
const STEPS_MAX: usize = 40;

const GAMES: [&str; 5] =
    ["go:size=3", "hex:size=3,swap=true", "othello:size=4", "gomoku:size=6", "tictactoe"];

/// Lines said in GTP, and in UCI if the first one is `uci`. Another first line chooses the game.
pub fn protocols(data: &[u8]) {
    let data = &data[..data.len().min(BYTES_MAX)];
    let mut lines = data.split(|&byte| byte == b'\n').take(LINES_MAX).peekable();
    if lines.peek().is_some_and(|line| line.starts_with(b"uci")) {
        said_in_uci(lines);
    } else {
        let choice: usize =
            lines.next().unwrap_or_default().iter().map(|&byte| byte as usize).sum();
        said_in_gtp(GAMES[choice % GAMES.len()], lines);
    }
}

fn said_in_gtp<'a>(game: &str, lines: impl Iterator<Item = &'a [u8]>) {
    let mut engine = gtp(game, Eyes::Uniform, 3);
    for line in lines {
        let Some(answer) = say(&mut engine, line) else { return };
        let shown = String::from_utf8_lossy(line);
        // An analysis has no end before the next line; its end comes before that line's answer.
        let answer = answer.strip_prefix('\n').unwrap_or(&answer);
        let open = engine.activity() == Activity::Interruptible || answer.contains("\ninfo ");
        let blocks: Vec<&str> = answer.split_inclusive("\n\n").collect();
        assert!(blocks.len() <= 1, "{shown:?}: {answer:?}");
        for block in blocks {
            assert!(block.starts_with(['=', '?']), "{shown:?}: {answer:?}");
            assert!(open || block.ends_with("\n\n"), "{shown:?}: {answer:?}");
        }
        if engine.activity() == Activity::Ended {
            return;
        }
    }
    engine.close();
    assert_eq!(say(&mut engine, b"7 name").as_deref(), Some("=7 DagZero\n\n"));
}

fn said_in_uci<'a>(lines: impl Iterator<Item = &'a [u8]>) {
    let mut engine = uci();
    engine.line(b"setoption name Playouts value 5");
    for line in lines {
        let Some(answer) = say(&mut engine, line) else { return };
        assert!(answer.is_empty() || answer.ends_with('\n'), "{answer:?}");
        assert!(!answer.chars().any(|c| c.is_control() && c != '\n'), "{answer:?}");
        if engine.activity() == Activity::Ended {
            return;
        }
    }
    engine.line(b"stop");
    assert_eq!(engine.line(b"isready"), "readyok\n");
}

/// Says a line and lets the engine think; `None` if it has not come to an end then.
fn say(engine: &mut dyn Protocol, line: &[u8]) -> Option<String> {
    let mut text = engine.line(line);
    for _ in 0..STEPS_MAX {
        match engine.activity() {
            Activity::Thinking => text += &engine.step(),
            Activity::Interruptible => {
                // What ponders and analyses takes the next line at any time.
                text += &engine.step();
                return Some(text);
            }
            Activity::Idle | Activity::Ended => return Some(text),
        }
    }
    None
}
