//! A made-up file of games for `dagzero rate`: `cargo run --release -p dz-stats --example rate_file
//! -- 3000 30000 > games.pgn`.
//!
//! So many players of different strengths and so many games between random two of them, the same
//! ones each time.

use std::io::{self, BufWriter, Write};

/// The next number of a linear congruential generator (D. Knuth, MMIX).
fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

fn main() -> io::Result<()> {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<usize>());
    let mut number = |otherwise| numbers.next().and_then(Result::ok).unwrap_or(otherwise);
    let (players, games) = (number(3_000).max(2), number(30_000));
    let mut out = BufWriter::new(io::stdout().lock());
    let mut state = 1;
    for game in 0..games {
        // Everybody plays, then whoever comes.
        let first =
            if game < players { game } else { (next(&mut state) * players as f64) as usize };
        let other = (next(&mut state) * (players - 1) as f64) as usize;
        let second = if other < first { other } else { other + 1 };
        let strength = |player: usize| (player * 7_919 % players) as f64 / players as f64 * 6.0;
        let d = strength(first) - strength(second) + 0.2;
        let (win, roll) = (1.0 / (1.0 + (-d).exp()), next(&mut state));
        let result = match roll {
            _ if roll < 0.8 * win => "1-0",
            _ if roll < 0.8 * win + 0.2 => "1/2-1/2",
            _ => "0-1",
        };
        writeln!(
            out,
            "[White \"Player {first}\"]\n[Black \"Player {second}\"]\n[Result \"{result}\"]\n\n{result}\n"
        )?;
    }
    out.flush()
}
