//! Random games against independent programs: legal moves, mover, winner and margin at every ply.
//!
//! Needs Python with `open_spiel` and `chess` (pip); `DAGZERO_PYTHON` names the interpreter. Where
//! a program is missing, the test says so and passes. `DAGZERO_PEER_GAMES` is the number of games
//! of each kind, 10 if it is not set.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use dz_game::{Game, GameSpec, Player, Status, with_game};
use dz_testkit::python;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// A program that answers games with its view of each position: `peers/positions.py`.
struct Peer {
    child: Child,
    games: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// `None`, and a line that says so, if the program is not installed.
    fn start(spec: &GameSpec) -> Option<Self> {
        let python = python();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers/positions.py");
        let command = || {
            let mut command = Command::new(&python);
            command.args([script, &spec.to_string()]);
            command
        };
        let checked = command().arg("check").stderr(Stdio::null()).status();
        if !checked.is_ok_and(|status| status.success()) {
            println!("{spec}: skipped, {python} lacks the program; see DAGZERO_PYTHON");
            return None;
        }
        let piped = command().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = piped.expect("it has just run");
        let (games, answers) = (child.stdin.take(), child.stdout.take());
        Some(Self {
            child,
            games: games.expect("piped"),
            answers: BufReader::new(answers.expect("piped")),
        })
    }

    /// The program's views of a game's positions, of which there are `count`.
    fn ask(&mut self, moves: &[String], count: usize) -> Vec<String> {
        writeln!(self.games, "{}", moves.join(" ")).expect("the program reads");
        let mut answers = Vec::new();
        for _ in 0..count {
            let mut line = String::new();
            self.answers.read_line(&mut line).expect("the program answers");
            answers.push(line.trim_end().to_owned());
        }
        answers
    }

    /// Lets the program end by itself.
    fn finish(self) {
        let Self { mut child, games, .. } = self;
        drop(games);
        assert!(child.wait().expect("it was started").success());
    }
}

/// Our own view, in the words of `peers/positions.py`.
fn view<G: Game>(game: &G, state: &G::State, history: &G::History) -> String {
    match game.status(state, history) {
        Status::ToMove(player) => {
            let mut legal = Vec::new();
            game.legal_moves(state, history, &mut legal);
            let mut legal: Vec<String> = legal.iter().map(|&mv| game.format_move(mv)).collect();
            legal.sort_unstable();
            format!("{} {}", player.name(), legal.join(" "))
        }
        Status::Over(outcome) => {
            let winner = outcome.winner.map_or("draw", Player::name);
            let margin = outcome.margin.map_or("-".to_owned(), |margin| margin.to_string());
            format!("over {winner} {margin}")
        }
    }
}

/// Plays random games and asks the program about each of them.
fn compare_games<G: Game>(game: &G, games: usize) {
    let Some(mut peer) = Peer::start(&game.spec()) else { return };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    let (mut plies, mut scratch) = (0, Vec::new());
    for _ in 0..games {
        let (mut state, mut history) = (game.start(), G::History::default());
        let (mut moves, mut views) = (Vec::new(), vec![view(game, &state, &history)]);
        while let Some(mv) = game.random_move(&state, &history, &mut random, &mut scratch) {
            moves.push(game.format_move(mv));
            game.advance(&mut state, &mut history, mv);
            views.push(view(game, &state, &history));
        }
        let answers = peer.ask(&moves, views.len());
        for (ply, (ours, theirs)) in views.iter().zip(&answers).enumerate() {
            assert_eq!(ours, theirs, "{}, after {}", game.spec(), moves[..ply].join(" "));
        }
        plies += moves.len();
    }
    peer.finish();
    println!("{}: {} games of {plies} plies agree", game.spec(), games);
}

fn compare(spec: &str) {
    let games = env::var("DAGZERO_PEER_GAMES").ok().map(|games| games.parse().expect("a number"));
    let games = games.unwrap_or(10);
    let spec = spec.parse().expect("a specification");
    with_game!(&spec, |game| compare_games(&game, games)).expect("possible parameters");
}

#[test]
fn open_spiel_agrees() {
    for spec in [
        "tictactoe",
        "connect4",
        "connect4:width=9,height=7,connect=5",
        "hex",
        "hex:size=4",
        "hex:size=19",
        "othello",
        "gomoku",
        "gomoku:size=6",
        "gomoku:size=19",
    ] {
        compare(spec);
    }
}

#[test]
fn python_chess_agrees() {
    compare("chess");
}
