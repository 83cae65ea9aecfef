//! Files of one megabyte that nobody should write: every reader stays below 200 MB and two seconds.
//! Alone in its process, so that the peak of memory is that of one file.

use std::{fs, time::Instant};

use dz_game::{Game, with_game};
use dz_record::{Sheet, annotated, decode, read};

const BYTES: usize = 1_000_000;
const MEMORY_MAX_KB: u64 = 200_000;
const SECONDS_MAX: f64 = 2.0;

/// `begin`, and `part` again and again, the number `#` in it counted up.
fn many(begin: &str, part: &str) -> Vec<u8> {
    let mut text = begin.to_owned();
    let mut number = 0;
    while text.len() < BYTES {
        number += 1;
        text.push_str(&part.replace('#', &number.to_string()));
    }
    text.into_bytes()
}

/// How a file begins, and what it repeats.
const SHAPES: &[(&str, &str)] = &[
    ("", "(;"),
    ("", "(;)"),
    ("(;", ";"),
    ("(;GM[1]SZ[19]", ";B[]"),
    ("(;GM[1]SZ[19]", ";B[];W[]"),
    ("(;GM[1]SZ[19];", "B[]"),
    ("(;GM[1]SZ[19];", "B[]W[]"),
    ("(;GM[1]SZ[19]AB", "[aa:ss]"),
    ("(;GM[1]SZ[19]", "AB[aa:ss]AE[aa:ss]"),
    ("(;GM[1]SZ[19]", "AB[aa]"),
    ("(;GM[1]SZ[19]", ";AB[aa];AE[aa]"),
    ("(;GM[1]SZ[19]", ";B[aa];AE[aa]"),
    ("(;GM[1]SZ[19]", "A[]"),
    ("(;GM[1]SZ[19]ZZ", "[x]"),
    ("(;GM[1]SZ[19]", "A#[]"),
    ("(;GM[1]SZ[19]", "A"),
    ("(;GM[1]KM[", "7"),
    ("(;C[", "\\"),
    ("(;C[", "\\]"),
    ("(;C[", "x"),
    ("(;GM[1]", ";C[x]"),
    ("(;GM[1]", "CA[x]"),
    ("", "(;CA[a])(;CA[b])"),
    ("", "(;CA[Shift_JIS]GN[é])(;CA[GBK])"),
    ("(;CA[a]", "CA[b]("),
    ("", "("),
    ("", "(A"),
    ("", "(A["),
    ("(;GM[1]SZ[19]", "(;B[aa]"),
    ("(;GM[1]SZ[19]", "(;B[aa])"),
    ("x", "(;"),
    ("1. e4 e5 ", "* "),
    ("", "*\n\n"),
    ("", "1. e4 *\n\n"),
    ("", "[A \"x\"]\n"),
    ("", "[A# \"x\"]"),
    ("", "[A \""),
    ("", "[\""),
    ("[A \"", "\\\"]"),
    ("[A \"", "\"] y"),
    ("[A \"", "\" [A \""),
    ("[A", "A"),
    ("1. e4\n", "[A# \"x\"]\n"),
    ("1. e4\n", "[A \"x\"]\n1. e4\n"),
    ("1. e4 ", "("),
    ("1. e4 ", "()"),
    ("1. e4 ", "{a} "),
    ("1. e4 ", "{a}{b}; c\n"),
    ("1. e4 ", "$1"),
    ("1. e4 ", "e4 "),
    ("1. ", "Nf3 Nf6 Ng1 Ng8 "),
    ("1. e4 ", "hello "),
    ("1. e4 ", "hello"),
    ("1. e4 ", "a1b2"),
    ("1. e4 ", "a1b2±"),
    ("1. e4 ", "-"),
    ("1. e4 ", "± "),
    ("1. e4 ", "1"),
    ("1. e4 ", "\n"),
    ("1. e4 ", "\r"),
    ("%", "x"),
    ("", "moves:\n\n"),
    ("game: connect4\nmoves:", " 1"),
    ("game: connect4\nmoves:", "1"),
    ("game: go:size=5\nmoves:", " pass"),
    ("game: go:size=5\nmoves: A1\n", "comment 1: x\n"),
    ("game: tictactoe\n", "note: x\n"),
    ("game: tictactoe\n", "game: tictactoe\n"),
    ("", "{\"moves\":[]}\n"),
    ("{\"moves\":[\"1\"", ",\"1\""),
    ("{\"moves\":[],\"x\":[0", ",0"),
    ("{\"moves\":[],\"x\":[0", ",{}"),
    ("{\"moves\":[]", ",\"x#\":0"),
    ("{\"moves\":", "["),
    ("", "{}\n"),
];

fn files() -> Vec<Vec<u8>> {
    let mut files: Vec<Vec<u8>> = SHAPES.iter().map(|(begin, part)| many(begin, part)).collect();
    let closed = |begin: &str, part: &str, end: &str| [many(begin, part), end.into()].concat();
    files.push(closed("{\"moves\":[\"1\"", ",\"1\"", "]}"));
    files.push(closed("{\"moves\":[],\"x\":[0", ",{}", "]}"));
    files.push(closed("{\"moves\":[]", ",\"x#\":0", "}"));
    files.push(closed("(;GM[1]SZ[19]AB", "[aa:ss]", "AE[aa:ss];B[aa])"));
    files.push(closed("(;GM[1]SZ[19]", ";B[]", ")"));
    files.push([b"(;CA[Shift_JIS]C[", &b"\x95\x5c".repeat(BYTES / 2)[..], b"])"].concat());
    files.push([b"(;C[", &b"\x95\x5c".repeat(BYTES / 2)[..], b"])"].concat());
    files.push([b"\xff\xfe", &b"(\0;\0".repeat(BYTES / 4)[..]].concat());
    files.push([b"\xef\xbb\xbf", &b"\xff".repeat(BYTES)[..]].concat());
    files.push(b"(;CA[ISO-2022-JP])\x1b$".repeat(BYTES / 20));
    files.push(b"(;CA[GBK]\x81(;CA[Big5]\x81".repeat(BYTES / 20));
    files
}

fn play_and_write<G: Game>(sheet: &Sheet, game: &G) {
    if let Ok(played) = sheet.play(game) {
        let _ = played.record.sheet(game, sheet.format).map(|written| written.to_string());
    }
}

/// Everything that a command does with a file.
fn use_file(bytes: &[u8]) {
    let text = decode(bytes).text;
    let Ok(sheets) = read(&text) else { return };
    for sheet in sheets.iter().take(2) {
        let spec = sheet.game.clone().unwrap_or_else(|| "chess".parse().expect("a name"));
        let _ = with_game!(&spec, |game| play_and_write(sheet, &game));
        let comments: Vec<(usize, String)> =
            (0..sheet.moves.len().min(1000)).map(|at| (at, "x".to_owned())).collect();
        let _ = annotated(&text, sheet, &comments);
    }
}

/// The highest resident memory since the last call, in kB; 0 where the system does not report it.
fn peak_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse().ok());
    // Begins the count anew.
    let _ = fs::write("/proc/self/clear_refs", "5");
    peak.unwrap_or(0)
}

#[test]
fn a_megabyte_takes_little_memory_and_time() {
    let (mut most_kb, mut longest) = (0, 0.0_f64);
    for file in files() {
        let shown = String::from_utf8_lossy(&file[..40]).into_owned();
        peak_kb();
        let began = Instant::now();
        use_file(&file);
        let seconds = began.elapsed().as_secs_f64() * 1e6 / file.len() as f64;
        let kb = peak_kb();
        println!("{kb:>8} kB {seconds:>7.3} s a MB  {shown:?}");
        assert!(kb < MEMORY_MAX_KB, "{shown:?} takes {kb} kB");
        assert!(seconds < SECONDS_MAX, "{shown:?} takes {seconds} s a MB");
        (most_kb, longest) = (most_kb.max(kb), longest.max(seconds));
    }
    println!("at most {most_kb} kB and {longest:.3} s a MB");
}
