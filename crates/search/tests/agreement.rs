//! Proof that the core implements its settings: an independent, literal search agrees with it in
//! every number of every node, bit for bit, over random graphs and random settings and on games.
//!
//! The reference (`proof/reference.rs`) is plain recursion over a map and is written from the
//! papers named there. `Exact` numbers are 64-bit; `Compact` ones round values to 32 bits and
//! priors to 16, in both at the same places.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use std::ops::Range;

use dz_game::Game;
use dz_game::games::{Connect4, Shuttle, TicTacToe};
use dz_search::{Compact, Exact, ExplicitGraph, RootSetup, SearchParams};

use crate::proof::graphs::{random_graph, random_shape};
use crate::proof::reference::Rounds;
use crate::proof::settings::{random_params, random_rounds};
use crate::proof::{Dice, Judge, Round, assert_agrees, position};

fn check_graphs<N: Rounds>(seeds: Range<u64>, back: f64) {
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let shape = random_shape(&mut dice, back);
        let graph = ExplicitGraph::new(&random_graph(&mut dice, shape)).unwrap();
        let params = random_params(&mut dice);
        let mut judge = if dice.chance(0.6) { Judge::of_graph() } else { Judge::hashed(seed) };
        judge.caches = dice.chance(0.3);
        let rounds = random_rounds(&mut dice, 250);
        println!("seed {seed}: {shape:?}"); // The last one is the one that failed.
        assert_agrees::<_, N>(&graph, params, &(graph.root(), ()), &judge, &rounds);
    }
}

#[test]
fn exact_numbers_on_acyclic_graphs() {
    check_graphs::<Exact>(0..3000, 0.0);
}

#[test]
fn compact_numbers_on_acyclic_graphs() {
    check_graphs::<Compact>(100_000..103_000, 0.0);
}

#[test]
fn exact_numbers_on_graphs_with_cycles() {
    check_graphs::<Exact>(200_000..201_500, 0.25);
}

#[test]
fn compact_numbers_on_graphs_with_cycles() {
    check_graphs::<Compact>(300_000..301_500, 0.25);
}

fn check_game<G: Game>(game: &G, moves: &[u16], settings: u64) {
    for seed in 0..settings {
        let mut dice = Dice::new(seed);
        let params = random_params(&mut dice);
        let mut judge = if dice.chance(0.3) { Judge::uniform() } else { Judge::hashed(seed) };
        judge.caches = dice.chance(0.3);
        let rounds = random_rounds(&mut dice, 400);
        let position = position(game, moves);
        println!("{} {moves:?}, seed {seed}", game.spec());
        if seed % 2 == 0 {
            assert_agrees::<_, Exact>(game, params, &position, &judge, &rounds);
        } else {
            assert_agrees::<_, Compact>(game, params, &position, &judge, &rounds);
        }
    }
}

#[test]
fn games() {
    check_game(&TicTacToe, &[], 60);
    check_game(&TicTacToe, &[4, 0], 30);
    check_game(&Connect4::new(4, 4, 3).unwrap(), &[], 60);
    check_game(&Connect4::new(4, 4, 3).unwrap(), &[1, 2], 30);
    check_game(&Shuttle::from_spec(&"shuttle".parse().unwrap()).unwrap(), &[], 60);
}

#[test]
fn the_plain_settings_for_long() {
    for seed in 0..40 {
        let mut dice = Dice::new(seed);
        let shape = random_shape(&mut dice, 0.0);
        let graph = ExplicitGraph::new(&random_graph(&mut dice, shape)).unwrap();
        let round = Round { playouts: 1000, seed, setup: RootSetup::default(), keep: None };
        let judge = Judge::of_graph();
        for is_graph in [false, true] {
            let params = SearchParams { graph: is_graph, ..SearchParams::default() };
            assert_agrees::<_, Exact>(&graph, params, &(graph.root(), ()), &judge, &[round]);
        }
    }
}
