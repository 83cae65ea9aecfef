//! Numbers by hand.

use dz_game::Move;
use dz_search::{
    Budget, Exact, Expansion, ExplicitGraph, Gathered, InFlight, LeafId, NetworkAnswer, Search,
    SearchParams, ValuePov,
};

use super::Rule;
use crate::proof::graphs::{graph, inner, terminal};
use crate::proof::{Judge, run, search_graph};

/// The first node is worth 0.4 and the second -0.8; every rollout ends at 1. The book has it.
fn chain() -> ExplicitGraph {
    let file = include_str!("../../../../examples/alphago-chain.json");
    ExplicitGraph::new(&serde_json::from_str(file).unwrap()).unwrap()
}

fn split(threshold: u32) -> SearchParams {
    Rule { lambda: 0.5, c: 1.5, threshold }.params()
}

/// Eight visits: six at the first node, of which the sixth opens it, and two at the second. Each
/// value counts once, so Q = 1/2 (0.4 - 0.8) / 2 + 1/2 = 0.4.
#[test]
fn a_value_counts_once_and_rollouts_each_time() {
    for is_graph in [false, true] {
        let mut search =
            search_graph::<Exact>(&chain(), SearchParams { graph: is_graph, ..split(5) });
        run(&mut search, 9, &Judge::of_graph());
        let m = search.summary().moves[0];
        assert_eq!((m.visits, m.q), (8, Some(0.4)));
        let edge = search.root_node().unwrap().edges[0].split.unwrap();
        assert_eq!((edge.values, edge.value_sum), (2.0, -0.4));
        assert_eq!((edge.outcomes, edge.outcome_sum), (8.0, 8.0));
    }
    // As one average, each visit of the first node counts its value again.
    let average = SearchParams { edge_values: dz_search::EdgeValues::Average, ..split(5) };
    let mut search = search_graph::<Exact>(&chain(), average);
    run(&mut search, 9, &Judge::of_graph());
    assert!((search.summary().moves[0].q.unwrap() - 0.775).abs() < 1e-15);
}

/// Nine moves at the root, each to a node of its own.
fn fan() -> ExplicitGraph {
    let moves: Vec<i64> = (1..=9).collect();
    let mut nodes = vec![inner(0, 1, 0.0, &moves)];
    nodes.extend(moves.iter().map(|&id| inner(id, -1, 0.0, &[20])));
    nodes.push(terminal(20, 0.0));
    graph(0, nodes)
}

fn network(search: &mut Search<ExplicitGraph, Exact>, leaf: LeafId, value: f64) {
    let moves = search.leaf(leaf).unwrap().legal.len();
    let priors = vec![1.0 / moves as f64; moves];
    let estimate = ValuePov { value, draw: 0.0 };
    let answer = NetworkAnswer::new(estimate, &priors);
    search.apply_network(leaf, &answer);
}

fn outcome(search: &mut Search<ExplicitGraph, Exact>, leaf: LeafId, value: f64) {
    search.apply_rollout(leaf, ValuePov { value, draw: 0.0 }, &[]);
}

/// 15 finished visits and 7 walks that wait, `n_vl` = 3: `sum_b N_r = 15 + 7 * 3 = 36`.
#[test]
fn the_sum_counts_virtual_losses() {
    for (rule, sum) in [
        (InFlight::Losses(3), 36.0),
        (InFlight::Losses(1), 22.0),
        (InFlight::Losses(0), 15.0),
        (InFlight::Visits, 22.0),
    ] {
        let params = SearchParams { leaves_max: 7, in_flight: rule, ..split(1000) };
        let mut search = search_graph::<Exact>(&fan(), params);
        run(&mut search, 16, &Judge::of_graph());
        search.start(Budget::Playouts(100), 0, None);
        search.set_trace(true);
        let mut waiting = Vec::new();
        while let Gathered::Need(leaf) = search.gather() {
            waiting.push(leaf);
        }
        assert_eq!(waiting.len(), 7);
        let scale = search.summary().exploration_scale;
        assert!((scale - 1.5 * f64::sqrt(sum)).abs() < 1e-12, "{rule:?}: {scale}");
    }
}

/// A value that comes before its rollout counts no visit, and the other way round.
#[test]
fn the_two_backups_come_in_any_order() {
    for value_first in [false, true] {
        let params = SearchParams { leaves_max: 2, ..split(5) };
        let mut search = search_graph::<Exact>(&chain(), params);
        run(&mut search, 1, &Judge::of_graph());
        search.start(Budget::Playouts(4), 0, None);
        let Gathered::Need(leaf) = search.gather() else { panic!("a leaf") };
        let wants = search.leaf(leaf).unwrap().wants;
        assert!(wants.network && wants.rollouts == 1);
        let sums = |search: &Search<ExplicitGraph, Exact>| {
            let edge = search.root_node().unwrap().edges[0];
            let split = edge.split.unwrap();
            let flies = edge.in_flight;
            (split.values, split.value_sum, split.outcomes, split.outcome_sum, flies)
        };
        // Values of the leaf's mover, who is the second player.
        if value_first {
            network(&mut search, leaf, -0.4);
            assert_eq!(sums(&search), (1.0, 0.4, 0.0, 0.0, 1));
            assert_eq!((search.counts().playouts, search.summary().visits), (0, 1));
        } else {
            outcome(&mut search, leaf, -1.0);
            assert_eq!(sums(&search), (0.0, 0.0, 1.0, 1.0, 0));
            assert_eq!((search.counts().playouts, search.summary().visits), (0, 2));
            // The rollout's half alone is the value until the other one comes.
            assert_eq!(search.summary().moves[0].q, Some(1.0));
            // Meanwhile another rollout may start there, and the value is not asked for again.
            let Gathered::Need(other) = search.gather() else { panic!("a leaf") };
            let wants = search.leaf(other).unwrap().wants;
            assert!(!wants.network && wants.rollouts == 1);
            outcome(&mut search, other, 1.0);
            assert_eq!(sums(&search), (0.0, 0.0, 2.0, 0.0, 0));
            assert_eq!(search.counts().playouts, 1);
        }
        if value_first {
            outcome(&mut search, leaf, -1.0);
            assert_eq!(sums(&search), (1.0, 0.4, 1.0, 1.0, 0));
        } else {
            network(&mut search, leaf, -0.4);
            assert_eq!(sums(&search), (1.0, 0.4, 2.0, 0.0, 0));
        }
        assert!(search.leaf(leaf).is_none());
        let q = search.summary().moves[0].q.unwrap();
        assert!((q - if value_first { 0.7 } else { 0.2 }).abs() < 1e-15, "{q}");
    }
}

/// The value of a leaf that was given up before it came is asked for at the next visit.
#[test]
fn a_value_that_never_came_is_asked_for_again() {
    let mut search = search_graph::<Exact>(&chain(), split(5));
    run(&mut search, 1, &Judge::of_graph());
    search.start(Budget::Playouts(3), 0, None);
    let Gathered::Need(leaf) = search.gather() else { panic!("a leaf") };
    outcome(&mut search, leaf, -1.0);
    search.start(Budget::Playouts(3), 0, None);
    assert_eq!(search.summary().moves[0].visits, 1, "the rollout is counted");
    let Gathered::Need(leaf) = search.gather() else { panic!("a leaf") };
    assert!(search.leaf(leaf).unwrap().wants.network);
    network(&mut search, leaf, -0.4);
    outcome(&mut search, leaf, -1.0);
    let edge = search.root_node().unwrap().edges[0].split.unwrap();
    assert_eq!((edge.values, edge.value_sum, edge.outcomes), (1.0, 0.4, 2.0));
}

/// One average in, another rule out: moves that a proof decides are worth what it says.
#[test]
fn a_proof_settles_both_halves() {
    let nodes = vec![
        inner(0, 1, 0.0, &[1, 4]),
        inner(1, -1, -0.9, &[2, 3]),
        terminal(2, 1.0),
        terminal(3, 1.0),
        terminal(4, 0.0),
    ];
    let params = SearchParams { prove: true, ..split(0) };
    let mut search = search_graph::<Exact>(&graph(0, nodes), params);
    run(&mut search, 100, &Judge::of_graph());
    let summary = search.summary();
    assert!(summary.proven);
    assert_eq!((summary.value, summary.moves[0].q), (1.0, Some(1.0)));
}

/// Priors are softened when the node opens: beta = 1/2 of 0.64 and 0.36 is 0.8 and 0.6, scaled.
#[test]
fn priors_are_softened_when_the_node_opens() {
    let mut nodes = vec![inner(0, 1, 0.0, &[1]), inner(1, -1, 0.0, &[2, 3])];
    nodes[1].priors = vec![0.64, 0.36];
    nodes.extend([terminal(2, 0.0), terminal(3, 0.0)]);
    let params = SearchParams { prior_exponent: 0.5, ..split(2) };
    let mut search = search_graph::<Exact>(&graph(0, nodes), params);
    run(&mut search, 3, &Judge::of_graph());
    assert!(search.nodes().next().unwrap().edges.is_empty());
    run(&mut search, 3, &Judge::of_graph());
    let priors: Vec<f64> =
        search.nodes().next().unwrap().edges.iter().map(|edge| edge.prior).collect();
    assert!((priors[0] - 0.8 / 1.4).abs() < 1e-15 && (priors[1] - 0.6 / 1.4).abs() < 1e-15);
    assert_eq!(search.root_child(Move(0)), Some(1));
}

#[test]
fn what_split_values_cannot_go_with_is_refused() {
    use dz_search::{Backup, LeafValue, ParamsError, Revisit};
    let split = split(5);
    assert_eq!(split.validate(), Ok(()));
    for (params, error) in [
        (
            SearchParams {
                leaf_value: LeafValue::Network,
                expansion: Expansion::FirstVisit,
                ..split
            },
            ParamsError::SplitWithoutRollouts,
        ),
        (SearchParams { backup: Backup::Incremental, ..split }, ParamsError::SplitBackup),
        (SearchParams { revisit: Revisit::Draw, ..split }, ParamsError::DrawsInSplit),
    ] {
        assert_eq!(params.validate(), Err(error));
    }
}
