//! A game against GNU Go, which must find every move legal and count as we do. Skipped where there
//! is no `gnugo`.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{ChildStdin, ChildStdout, Command, Stdio},
};

use dz_testkit::Process;

use crate::common::{Eyes, ask, gtp};

struct Peer {
    _child: Process,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start() -> Option<Self> {
        let path = ["gnugo", "/usr/games/gnugo"].into_iter().find(|path| {
            Path::new(path).is_absolute() && Path::new(path).exists()
                || Command::new(path).arg("--version").output().is_ok()
        })?;
        let rules = ["--chinese-rules", "--positional-superko", "--forbid-suicide"];
        let mut child = Command::new(path)
            .args(["--mode", "gtp", "--level", "1", "--capture-all-dead"])
            .args(rules)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let (input, output) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        Some(Self { _child: Process(child), input, output })
    }

    fn ask(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").expect("gnugo reads");
        let (mut text, mut line_read) = (String::new(), String::new());
        while line_read != "\n" || text.trim().is_empty() {
            line_read.clear();
            let read = self.output.read_line(&mut line_read).expect("gnugo writes");
            assert!(read > 0, "gnugo ended at {line}");
            text += &line_read;
        }
        let body = text.trim().strip_prefix('=').unwrap_or_else(|| panic!("{line}: {text}"));
        body.trim().to_owned()
    }
}

#[test]
fn gnugo_finds_our_moves_legal_and_counts_as_we_do() {
    let Some(mut peer) = Peer::start() else {
        println!("skipped: there is no gnugo");
        return;
    };
    let mut engine = gtp("go:size=7", Eyes::Rollouts, 60);
    ask(&mut engine, "kata-set-param resignThreshold -1");
    for line in ["boardsize 7", "komi 7.5", "clear_board"] {
        peer.ask(line);
        ask(&mut engine, line);
    }
    let mut passes = 0;
    for ply in 0..300 {
        let color = ["b", "w"][ply % 2];
        let mv = if ply % 2 == 0 {
            let mv = ask(&mut engine, &format!("genmove {color}"));
            peer.ask(&format!("play {color} {mv}"));
            mv
        } else {
            let mv = peer.ask(&format!("genmove {color}"));
            ask(&mut engine, &format!("play {color} {mv}"));
            mv
        };
        passes = if mv.eq_ignore_ascii_case("pass") { passes + 1 } else { 0 };
        if passes == 2 || mv.eq_ignore_ascii_case("resign") {
            break;
        }
    }
    let stones = |text: String| {
        let mut names: Vec<String> = text.split_whitespace().map(str::to_ascii_uppercase).collect();
        names.sort();
        names
    };
    let ours = stones(ask(&mut engine, "final_status_list alive"));
    let mut theirs = stones(peer.ask("list_stones black"));
    theirs.extend(stones(peer.ask("list_stones white")));
    theirs.sort();
    assert_eq!(ours, theirs, "the same stones on both boards");
}
