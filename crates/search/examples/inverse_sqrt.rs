//! Measures `InvSqrt` of Lew's mail (computer-go list, 14 January 2007) beside the processor's own
//! square root, in the exploration term of UCT over 82 moves.
//!
//!     cargo run --release -p dz-search --example inverse_sqrt

use std::hint::black_box;
use std::time::Instant;

/// Moves of a node: those of an empty 9x9 board.
const MOVES: usize = 82;

/// Nodes that are scored in a round.
const NODES: usize = 200_000;

/// Rounds, of which the fastest counts.
const ROUNDS: usize = 9;

/// 1 / sqrt(x) by a shift and one step of Newton's method, as in the mail.
fn inv_sqrt(x: f32) -> f32 {
    let half = 0.5 * x;
    let guess = f32::from_bits(0x5f37_59df - (x.to_bits() >> 1));
    guess * (1.5 - half * guess * guess)
}

/// The place of the best score, where `root` gives sqrt(logarithm / n) of ln s and n.
fn best(values: &[f32], visits: &[f32], logarithm: f32, root: impl Fn(f32, f32) -> f32) -> usize {
    let mut best = (f32::NEG_INFINITY, 0);
    for (place, (value, n)) in values.iter().zip(visits).enumerate() {
        let score = value + root(logarithm, *n);
        if score > best.0 {
            best = (score, place);
        }
    }
    best.1
}

/// Nanoseconds that a node takes.
fn measure(root: impl Fn(f32, f32) -> f32 + Copy) -> f64 {
    let values: Vec<f32> = (0..MOVES).map(|i| ((i * 37 % 82) as f32).sin() * 0.3).collect();
    let visits: Vec<f32> = (0..MOVES).map(|i| (1 + i * 53 % 71) as f32).collect();
    let round = || {
        let begin = Instant::now();
        for node in 0..NODES {
            let logarithm = black_box(1.0 + (node % 7) as f32);
            black_box(best(black_box(&values), black_box(&visits), logarithm, root));
        }
        begin.elapsed().as_secs_f64() * 1e9 / NODES as f64
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let own = measure(|logarithm, n| (logarithm / n).sqrt());
    let mail = measure(|logarithm, n| {
        let x = logarithm / n;
        x * inv_sqrt(x)
    });
    let off = (1..1_000_000).map(|i| i as f32 * 1e-3);
    let off = off.map(|x| (x.sqrt() * inv_sqrt(x) - 1.0).abs()).fold(0.0, f32::max);
    println!("the processor's square root: {own:.0} ns a node of {MOVES} moves");
    println!("InvSqrt of the mail:         {mail:.0} ns, {:.2} times as long", mail / own);
    println!("InvSqrt is off by at most {:.2} %", off * 100.0);
}
