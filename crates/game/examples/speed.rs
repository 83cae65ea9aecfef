//! Speed of the rules: perft and uniform random playouts of Connect Four, one thread.
//!
//! `cargo run --release -p dz-game --example speed`

use std::time::Instant;

use dz_game::{Game, GameSpec, Move, Status, games::Connect4, perft};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

const DEPTH: u32 = 9;
const PLAYOUTS: u32 = 1_000_000;

fn main() {
    for text in ["connect4", "connect4:width=9,height=9,connect=5"] {
        let spec: GameSpec = text.parse().expect("a specification");
        let game = Connect4::from_spec(&spec).expect("possible parameters");
        let (nodes, plies, keys) = (perft_rate(&game), playout_rate(&game), key_rate(&game));
        println!("{}", game.spec());
        println!("  perft depth {DEPTH}: {:.1} M leaf nodes/s", nodes / 1e6);
        println!("  random playouts: {:.2} M/s, {:.1} M plies/s", plies.0 / 1e6, plies.1 / 1e6);
        println!("  play + node_key: {:.1} M/s", keys / 1e6);
    }
}

/// Leaf nodes a second.
fn perft_rate(game: &Connect4) -> f64 {
    let started = Instant::now();
    let counts = perft(game, &game.start(), &(), DEPTH);
    counts[DEPTH as usize] as f64 / started.elapsed().as_secs_f64()
}

/// Playouts and plies a second, with uniform moves from the start to the end of the game.
fn playout_rate(game: &Connect4) -> (f64, f64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut legal, mut plies) = (Vec::new(), 0u64);
    let started = Instant::now();
    for _ in 0..PLAYOUTS {
        let mut state = game.start();
        while let Status::ToMove(_) = game.status(&state, &()) {
            game.legal_moves(&state, &(), &mut legal);
            game.play(&mut state, legal[random.random_range(0..legal.len())]);
            plies += 1;
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    (f64::from(PLAYOUTS) / seconds, plies as f64 / seconds)
}

/// Moves played and keyed a second.
fn key_rate(game: &Connect4) -> f64 {
    let (mut folded, mut plies) = (0, 0u64);
    let started = Instant::now();
    for first in 0..PLAYOUTS {
        let mut state = game.start();
        for ply in 0..6 {
            game.play(&mut state, Move(((first >> ply) % 7) as u16));
            folded ^= game.node_key(&state, &()).low;
            plies += 1;
        }
    }
    let rate = plies as f64 / started.elapsed().as_secs_f64();
    std::hint::black_box(folded);
    rate
}
