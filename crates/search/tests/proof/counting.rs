//! The literal reference beside the core on random graphs whose positions have points.

use std::ops::Range;

use dz_search::{ExplicitGraph, SearchParams};

use super::domains::Counting;
use super::graphs::{random_graph, random_shape};
use super::reference::Rounds;
use super::settings::random_rounds;
use super::{Dice, Judge, assert_agrees};

/// Compares a search of a random graph for each seed, with random settings by `params`. `back` is
/// the share of moves that lead back or stay.
pub fn agrees_on_graphs<N: Rounds>(
    seeds: Range<u64>,
    back: f64,
    params: fn(&mut Dice) -> SearchParams,
) {
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let shape = random_shape(&mut dice, back);
        let graph = Counting(ExplicitGraph::new(&random_graph(&mut dice, shape)).unwrap());
        let params = params(&mut dice);
        let rounds = random_rounds(&mut dice, 200);
        println!("seed {seed}: {shape:?}"); // The last one is the one that failed.
        let at = (graph.0.root(), ());
        assert_agrees::<_, N>(&graph, params, &at, &Judge::hashed(seed), &rounds);
    }
}
