//! Seconds that one fit takes, by the number of networks:
//! `cargo run --release -p dz-stats --example fit_speed`.
//!
//! The league of a run: each network meets two anchors and the networks 1, 3 and 10 before it, and
//! every fifth cycle two networks of the past meet again. With a number, a tournament of so many
//! players alone.

use std::time::Instant;

use dz_stats::{PairResult, RatingOptions, rate};

fn main() {
    if let Some(players) = std::env::args().nth(1).and_then(|word| word.parse().ok()) {
        tournament(players);
        return;
    }
    for players in [100, 200, 500, 1000, 2000] {
        let mut games = Vec::new();
        let mut meet = |first: usize, second: usize, strength: f64| {
            let wins_first = (8.0 + 4.0 * strength).clamp(0.0, 15.0) as u64;
            let (draws, wins_second) = (1, 15 - wins_first);
            games.push(PairResult { first, second, wins_first, draws, wins_second });
            games.push(PairResult { first: second, second: first, wins_first, draws, wins_second });
        };
        for i in 2..players {
            meet(i, 0, 1.5);
            meet(i, 1, 0.5);
            for back in [1, 3, 10] {
                if i >= 2 + back {
                    meet(i, i - back, 0.1 * (i % 4) as f64);
                }
            }
            if i % 5 == 4 {
                meet(i, i * 7 % (i - 1) + 1, 0.2);
            }
        }
        let lineage = (3..players).map(|i| (i, i - 1)).collect();
        let begun = Instant::now();
        let fit = rate(players, &games, &RatingOptions::of_run(Some(0), lineage));
        let seconds = begun.elapsed().as_secs_f64();
        let steps = fit.map_or(0, |fit| fit.iterations);
        println!("{players:>5} players: {seconds:>8.3} s, {steps} Newton steps");
    }
    println!("players of a tournament, ten games each");
    [500, 1_000, 3_000, 4_000, 10_000].into_iter().for_each(tournament);
}

/// Random games, ten a player.
fn tournament(players: usize) {
    let (mut games, mut state) = (Vec::new(), 1_u64);
    for game in 0..10 * players {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (first, random) = (game % players, (state >> 33) as usize);
        let second = (first + 1 + random % (players - 1)) % players;
        let [wins_first, draws, wins_second] =
            [[1, 0, 0], [0, 1, 0], [0, 0, 1]][random / players % 3];
        games.push(PairResult { first, second, wins_first, draws, wins_second });
    }
    let begun = Instant::now();
    let fit = rate(players, &games, &RatingOptions::default()).expect("a prior holds them");
    let seconds = begun.elapsed().as_secs_f64();
    let how = if fit.errors_are_estimates { ", errors estimated" } else { "" };
    println!("{players:>5} players: {seconds:>8.3} s, {} Newton steps{how}", fit.iterations);
}
