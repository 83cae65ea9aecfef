//! Priors too small for 16 bits: a search that finds out what such a move is worth must be able to
//! say so.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use dz_game::Move;
use dz_search::{
    Compact, Exact, ExplicitGraph, GraphFile, Gumbel, Numbers, PolicyTarget, SearchParams,
    Selection, Sigma, policy_target,
};

use crate::proof::graphs::inner;
use crate::proof::{Judge, run, search_of};

/// After the only move of node 0 the second player chooses between a move that a network is sure
/// of, worth -0.9 to the mover, and one with a prior of a millionth, worth 0.1.
fn blind_spot() -> GraphFile {
    let mut choice = inner(1, -1, 0.5, &[2, 3]);
    choice.priors = vec![1.0 - 1e-6, 1e-6];
    let nodes = vec![
        inner(0, 1, 0.5, &[1]),
        choice,
        inner(2, 1, 0.9, &[4]),
        inner(3, 1, -0.1, &[5]),
        inner(4, -1, 0.9, &[2]),
        inner(5, -1, -0.1, &[3]),
    ];
    GraphFile { root: 0, nodes }
}

/// Visits of both moves, and what the policy is to learn of them: at a root that was searched
/// before, and at a new one.
fn found<N: Numbers>() -> [(Vec<u32>, Vec<f64>); 2] {
    let graph = ExplicitGraph::new(&blind_spot()).expect("a graph");
    let selection = Selection::Gumbel(Gumbel { scale: 0.0, ..Gumbel::default() });
    let params = SearchParams { graph: false, selection, ..SearchParams::default() };
    [true, false].map(|keep| {
        let mut search = search_of::<_, N>(&graph, params, &(0, ()));
        run(&mut search, 8, &Judge::of_graph());
        search.advance(Move(0), keep);
        run(&mut search, 16, &Judge::of_graph());
        let summary = search.summary();
        let target = policy_target(&summary, PolicyTarget::CompletedQ(Sigma::BOARD_GAMES));
        (summary.moves.iter().map(|m| m.visits).collect(), target)
    })
}

#[test]
fn a_move_that_is_stored_with_prior_0_is_learnt_where_the_search_likes_it() {
    for (visits, target) in found::<Compact>().into_iter().chain(found::<Exact>()) {
        assert!(visits[1] >= 4, "halving gives both moves as much: {visits:?}");
        assert!(target[1] > 0.999, "one point of value weighs more than 14 of logits: {target:?}");
    }
}
