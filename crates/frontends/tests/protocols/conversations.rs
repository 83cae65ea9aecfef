//! Answers of engines: files in `tests/protocols/conversations`. A file's first line names game and
//! playouts; lines with `> ` are sent, all others are the answer, with `*` for parts that the
//! search decides.

use std::{fs, path::Path};

use crate::common::{Eyes, gtp, say};
use dz_frontends::{Activity, Protocol};

#[test]
fn engines_answer_as_the_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/protocols/conversations");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() >= 4, "{files:?}");
    for file in files {
        follow(&file);
    }
}

fn follow(file: &Path) {
    let text = fs::read_to_string(file).expect("text");
    let (head, rest) = text.split_once('\n').expect("a first line");
    let (game, playouts) = head.split_once(' ').expect("game and playouts");
    let mut engine = gtp(game, Eyes::Uniform, playouts.parse().expect("a number"));
    for turn in rest.split("> ").skip(1) {
        let (said, expected) = turn.split_once('\n').unwrap_or((turn, ""));
        let mut answer = say(&mut engine, said);
        // An analysis goes on until it has printed something.
        for _ in 0..1_000 {
            if engine.activity() == Activity::Interruptible && !answer.contains("info") {
                answer += &engine.step();
            }
        }
        let (answer, expected) = (answer.trim(), expected.trim());
        assert!(matches(answer, expected), "{}: {said}\n{answer}\nnot\n{expected}", file.display());
    }
}

/// True if `text` is `pattern`, where a `*` stands for anything within a line.
fn matches(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<_>, Vec<_>) = (text.lines().collect(), pattern.lines().collect());
    text.len() == pattern.len()
        && text.iter().zip(&pattern).all(|(line, pattern)| {
            let (line, pattern) = (line.trim_end(), pattern.trim_end());
            match pattern.split_once('*') {
                None => line == pattern,
                Some((begin, end)) => {
                    line.len() >= begin.len() + end.len()
                        && line.starts_with(begin)
                        && line.ends_with(end)
                }
            }
        })
}
