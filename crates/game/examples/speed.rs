//! Speed of the rules, one thread: perft, random playouts uniform and by hand-made rules, keys.
//!
//! `cargo run --release -p dz-game --example speed [-- [NAME [PLIES]]]`: all games listed below, or
//! those that begin with a name. Few plies and `valgrind --tool=callgrind` count instructions.

use std::time::Instant;

use dz_game::{Game, GameSpec, Move, Status, perft, with_game};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Plies of all playouts of a game, about, unless the command line says otherwise.
const PLIES: u64 = 20_000_000;

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    let plies = std::env::args().nth(2).and_then(|plies| plies.parse().ok()).unwrap_or(PLIES);
    for (text, depth) in [
        ("connect4", 9),
        ("connect4:width=9,height=9,connect=5", 8),
        ("hex:size=5", 6),
        ("hex", 4),
        ("hex:size=19", 3),
        ("othello", 9),
        ("othello:size=10", 8),
        ("go:size=9", 3),
        ("go:size=13", 3),
        ("go:size=19", 2),
        ("gomoku", 4),
        ("gomoku:size=19,rule=exact", 3),
    ] {
        if !text.starts_with(&name) {
            continue;
        }
        let spec: GameSpec = text.parse().expect("a specification");
        with_game!(&spec, |game| print_speeds(&game, depth, plies)).expect("possible parameters");
    }
}

/// Prints the speeds of a game.
fn print_speeds<G: Game>(game: &G, depth: u32, plies: u64) {
    let nodes = perft_rate(game, depth);
    let informed = playout_rate(game, plies, true);
    let (plies, keys) = (playout_rate(game, plies, false), key_rate(game, plies));
    println!("{}, {} bytes a state", game.spec(), size_of::<G::State>());
    println!("  perft depth {depth}: {:.1} M leaf nodes/s", nodes / 1e6);
    println!("  random playouts: {:.3} M/s, {:.1} M plies/s", plies.0 / 1e6, plies.1 / 1e6);
    let ratio = informed.0 / plies.0;
    println!("  by hand-made rules: {:.3} M/s, {ratio:.2} of random ones", informed.0 / 1e6);
    println!("  play + node_key: {:.1} M/s", keys / 1e6);
}

/// Leaf nodes a second.
fn perft_rate<G: Game>(game: &G, depth: u32) -> f64 {
    let started = Instant::now();
    let counts = perft(game, &game.start(), &G::History::default(), depth);
    counts[depth as usize] as f64 / started.elapsed().as_secs_f64()
}

/// Playouts and plies a second from the start to the end of the game, with uniform moves or those
/// of the policy that the game has for rollouts.
#[inline(never)]
fn playout_rate<G: Game>(game: &G, plies_min: u64, informed: bool) -> (f64, f64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut scratch, mut playouts, mut plies, mut folded) = (Vec::new(), 0u64, 0u64, 0);
    let started = Instant::now();
    while plies < plies_min {
        let (mut state, mut history) = (game.start(), G::History::default());
        let mut last = None;
        loop {
            let sampled = if informed {
                game.informed_move(&state, &history, last, &mut random, &mut scratch)
            } else {
                game.random_move(&state, &history, &mut random, &mut scratch)
            };
            let Some(mv) = sampled else { break };
            last = Some(mv);
            game.advance_unkeyed(&mut state, &mut history, mv);
            plies += 1;
        }
        folded += game.outcome(&state, &history).and_then(|o| o.margin).map_or(0, i64::from);
        playouts += 1;
    }
    let seconds = started.elapsed().as_secs_f64();
    std::hint::black_box(folded);
    (playouts as f64 / seconds, plies as f64 / seconds)
}

/// Moves played and keyed a second, along a few random games that are generated before.
fn key_rate<G: Game>(game: &G, plies_min: u64) -> f64 {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut legal = Vec::new();
    let mut random_game = || {
        let (mut state, mut history) = (game.start(), G::History::default());
        let mut moves: Vec<Move> = Vec::new();
        while let Status::ToMove(_) = game.status(&state, &history) {
            game.legal_moves(&state, &history, &mut legal);
            moves.push(legal[random.random_range(0..legal.len())]);
            game.advance(&mut state, &mut history, moves[moves.len() - 1]);
        }
        moves
    };
    let games: Vec<Vec<Move>> = (0..256).map(|_| random_game()).collect();
    let (mut folded, mut plies) = (0, 0u64);
    let started = Instant::now();
    for moves in games.iter().cycle() {
        let (mut state, mut history) = (game.start(), G::History::default());
        for &mv in moves {
            game.advance(&mut state, &mut history, mv);
            folded ^= game.node_key(&state, &history).low;
        }
        plies += moves.len() as u64;
        if plies > plies_min {
            break;
        }
    }
    let rate = plies as f64 / started.elapsed().as_secs_f64();
    std::hint::black_box(folded);
    rate
}
