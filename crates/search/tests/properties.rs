//! Laws for all graphs and settings: counts add up, values stay in range, bounds contain the value
//! of best play, recomputing reaches a fixed point, and long searches converge to the exact value.
//!
//! Sources: D. J. Wu, "Monte-Carlo Graph Search from First Principles" (N and Q as functions of the
//! children); Winands, Bjornsson and Saito 2008 (proven values); Kocsis and Szepesvari 2006
//! (convergence).

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use std::collections::{BTreeMap, BTreeSet};

use dz_search::{
    Backup, Budget, CatchUp, Compact, Exact, ExplicitGraph, GraphFile, NodeView, Numbers, Puct,
    Search, SearchParams, Selection, Staleness,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::proof::graphs::{Shape, certain_and_hoped, minimax, random_graph};
use crate::proof::settings::{random_params, random_setup};
use crate::proof::{Dice, Judge, run, run_from, search_graph};

fn shape(back: f64) -> impl Strategy<Value = Shape> {
    let sizes = (1..8_usize, 1..8_usize, 1..6_usize, 0.0..0.4, any::<bool>());
    sizes.prop_map(move |(layers, width, moves_max, terminals, alternates)| Shape {
        layers,
        width,
        moves_max,
        terminals,
        back,
        alternates,
    })
}

/// Every node, the root first.
fn views<N: Numbers>(search: &Search<ExplicitGraph, N>) -> Vec<NodeView> {
    search.root_node().into_iter().chain(search.nodes()).collect()
}

/// What each node of a graph search is worth with best play, from and to, by its number.
fn truths<N: Numbers>(file: &GraphFile, search: &Search<ExplicitGraph, N>) -> Vec<(f64, f64)> {
    let values = certain_and_hoped(file);
    let graph = search.domain();
    let by_key: BTreeMap<_, _> = (0..file.nodes.len() as u32)
        .map(|state| (dz_search::Domain::node_key(graph, &state, &()), graph.id(state)))
        .collect();
    let root = graph.id(graph.root());
    let id = |view: &NodeView| if view.id == 0 { root } else { by_key[&view.key] };
    views(search).iter().map(|view| values[&id(view)]).collect()
}

fn check<N: Numbers>(file: &GraphFile, params: SearchParams, dice: &mut Dice, slack: f64) {
    let graph = ExplicitGraph::new(file).unwrap();
    let mut search = search_graph::<N>(&graph, params);
    let judge = Judge::of_graph();
    for _ in 0..3 {
        let budget = Budget::Playouts(1 + dice.below(150) as u32);
        let setup = random_setup(dice);
        run_from(&mut search, budget, dice.word(), setup, &judge, &mut BTreeSet::new());
        let views = views(&search);
        let mut in_flight = 0;
        for view in &views {
            let edges: u32 = view.edges.iter().map(|edge| edge.visits).sum();
            assert!(view.visits >= edges, "{view:?}");
            // Everything but rollouts and counted outcomes ends once where it is evaluated.
            if view.mover.is_some() && !view.edges.is_empty() && is_plain(&params) {
                assert_eq!(view.visits, params.leaf_rollouts + edges, "{view:?}");
            }
            let range = -1.0 - slack..=1.0 + slack;
            assert!(range.contains(&view.value), "{view:?} of {params:?}");
            assert!((-slack..=1.0 + slack).contains(&view.draw), "{view:?} of {params:?}");
            if let Some(square) = view.square {
                assert!((-slack..=1.0 + slack).contains(&square), "{view:?} of {params:?}");
            }
            for average in view.edges.iter().filter_map(|edge| edge.average) {
                assert!(range.contains(&average), "{view:?} of {params:?}");
            }
            in_flight += view.edges.iter().map(|edge| edge.in_flight).sum::<u32>();
        }
        assert_eq!(in_flight, 0);
        if params.prove && params.graph {
            for (view, (certain, hoped)) in views.iter().zip(truths(file, &search)) {
                let (lower, upper) = view.bounds.unwrap();
                assert!(lower <= certain && hoped <= upper, "{certain} {hoped}: {view:?}");
                if lower >= upper {
                    assert_eq!((certain, hoped, view.value), (lower, lower, lower), "{view:?}");
                }
            }
        }
    }
}

fn is_plain(params: &SearchParams) -> bool {
    params.leaf_value == dz_search::LeafValue::Network
        || params.expansion == dz_search::Expansion::FirstVisit
}

/// Leaves that wait together, too.
fn batched(params: SearchParams, dice: &mut Dice) -> SearchParams {
    let collisions_max = dice.pick(&[0, 3, 32]);
    SearchParams { leaves_max: dice.pick(&[1, 1, 2, 8]), collisions_max, ..params }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..Default::default() })]

    #[test]
    fn counts_and_values_hold_on_acyclic_graphs(shape in shape(0.0), seed in any::<u64>()) {
        let mut dice = Dice::new(seed);
        let file = random_graph(&mut dice, shape);
        let params = random_params(&mut dice);
        let params = batched(params, &mut dice);
        check::<Exact>(&file, params, &mut dice, 1e-9);
    }

    #[test]
    fn counts_and_values_hold_on_graphs_with_cycles(shape in shape(0.3), seed in any::<u64>()) {
        let mut dice = Dice::new(seed);
        let file = random_graph(&mut dice, shape);
        let params = random_params(&mut dice);
        let params = batched(params, &mut dice);
        check::<Compact>(&file, params, &mut dice, 1e-5);
    }

    /// At the fixed point every node agrees with its children, and recomputing again changes
    /// nothing. If all ancestors are kept up to date, that holds without recomputing.
    #[test]
    fn refreshing_comes_to_rest(shape in shape(0.0), seed in any::<u64>()) {
        let mut dice = Dice::new(seed);
        let file = random_graph(&mut dice, shape);
        let graph = ExplicitGraph::new(&file).unwrap();
        let mut params = SearchParams { prove: false, leaves_max: 1, ..random_params(&mut dice) };
        // Corrections go on changing: each depends on all nodes of its bucket.
        params.value_bias = None;
        params.uncertainty = None;
        if params.backup == Backup::Incremental {
            params.backup = Backup::Idempotent;
        }
        let mut search = search_graph::<Exact>(&graph, params);
        run(&mut search, 300, &Judge::of_graph());
        let before = views(&search);
        search.recompute_all();
        let rested = views(&search);
        if params.staleness == Staleness::Ancestors && params.backup == Backup::Idempotent {
            prop_assert_eq!(&before, &rested);
        }
        prop_assert_eq!(search.recompute_all(), 1);
        prop_assert_eq!(&views(&search), &rested);
        for view in &rested {
            let edges: u32 = view.edges.iter().map(|edge| edge.visits).sum();
            let own = f64::from(view.visits - edges);
            let value = |edge: &dz_search::EdgeView| {
                f64::from(edge.visits) * rested[edge.child as usize].value
            };
            let sum = own * view.own_value + view.edges.iter().map(value).sum::<f64>();
            prop_assert!((view.value - sum / f64::from(view.visits)).abs() < 1e-12);
            for edge in &view.edges {
                if let (Backup::Delta { .. }, Some(average)) = (params.backup, edge.average) {
                    prop_assert_eq!(average, rested[edge.child as usize].value);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, rng_seed: RngSeed::Fixed(7), ..Default::default() })]

    /// The most visited move is worth what the root is, and the root's average comes near it.
    #[test]
    fn long_searches_come_to_the_exact_value(seed in any::<u64>()) {
        let mut dice = Dice::new(seed);
        let shape = Shape {
            layers: 4, width: 4, moves_max: 3, terminals: 0.1, back: 0.0, alternates: dice.chance(0.5),
        };
        let file = random_graph(&mut dice, shape);
        let graph = ExplicitGraph::new(&file).unwrap();
        let params = SearchParams {
            graph: dice.chance(0.7),
            selection: dice.pick(&[Selection::Puct(Puct::constant(1.0)), Selection::Uct { c: 1.4 }]),
            backup: dice.pick(&[Backup::Idempotent, Backup::Delta { tolerance: 0.01, clamp: true }]),
            catch_up: dice.pick(&[CatchUp::Continue, CatchUp::Leak(0.5)]),
            ..SearchParams::default()
        };
        let mut search = search_graph::<Exact>(&graph, params);
        // Equal priors: a prior of 0 is never tried.
        let mut judge = Judge::of_graph();
        let opinion = judge.opinion;
        judge.opinion = Box::new(move |graph, state, history, legal| {
            let mut known = opinion(graph, state, history, legal);
            known.priors.fill(1.0 / legal.len() as f64);
            known
        });
        run(&mut search, 20_000, &judge);
        let values = minimax(&file);
        let root = graph.id(graph.root());
        let node = file.nodes.iter().find(|node| node.id == root).unwrap();
        let sign = f64::from(node.to_move.unwrap());
        let summary = search.summary();
        let best = summary.moves.iter().max_by_key(|m| m.visits).unwrap();
        let chosen = sign * values[&node.children[usize::from(best.mv.0)]];
        let truth = sign * values[&root];
        prop_assert!((summary.value - truth).abs() < 0.2, "{} {truth} {params:?}", summary.value);
        prop_assert_eq!(chosen, truth, "{:?}", summary.moves);
    }
}
