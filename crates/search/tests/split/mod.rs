//! Split values: AlphaGo's edge statistics (Silver et al. 2016, Methods, "Search algorithm").
//!
//! `literal.rs` is the algorithm as the text has it: a tree whose edges hold `N_v`, `W_v`, `N_r`
//! and `W_r` as running sums. `shared.rs` is ours for graphs, by plain recursion. Neither borrows a
//! formula from the crate.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

mod flights;
mod literal;
mod oracles;
mod shared;

use dz_search::{
    EdgeValues, Expansion, GraphFile, InFlight, LeafValue, Puct, Revisit, SearchParams, Selection,
};

use crate::proof::Dice;
use crate::proof::graphs::{random_graph, random_shape};

/// lambda, c and `n_thr` of a search.
#[derive(Clone, Copy, Debug)]
struct Rule {
    lambda: f64,
    c: f64,
    threshold: u32,
}

impl Rule {
    fn random(dice: &mut Dice) -> Self {
        Self {
            lambda: dice.pick(&[0.5, 0.5, 0.25, 0.0, 1.0]),
            c: dice.pick(&[0.3, 1.5, 5.0]),
            threshold: dice.pick(&[0, 1, 2, 5]),
        }
    }

    fn params(self) -> SearchParams {
        SearchParams {
            selection: Selection::Puct(Puct::constant(self.c)),
            edge_values: EdgeValues::Split,
            leaf_value: LeafValue::Mix { rollout_share: self.lambda },
            expansion: Expansion::Threshold(self.threshold),
            revisit: Revisit::Count,
            in_flight: InFlight::Losses(3),
            ..SearchParams::default()
        }
    }
}

/// A random graph without cycles, whose values are multiples of 1/256: their sums are exact in any
/// order.
fn coarse_graph(dice: &mut Dice) -> GraphFile {
    let shape = random_shape(dice, 0.0);
    let mut file = random_graph(dice, shape);
    for node in &mut file.nodes {
        node.value = node.value.map(|value| (value * 256.0).round() / 256.0);
    }
    file
}
