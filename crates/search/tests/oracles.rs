//! Oracles of graph search: small graphs on which right and wrong rules give different numbers.
//!
//! Sources: D. J. Wu, "Monte-Carlo Graph Search from First Principles" (soundness, stopping against
//! continuing, cycles); Kishimoto and Mueller 2004, "A general solution to the graph history
//! interaction problem" (history in keys). Numbers of the hub come from an independent Python
//! program.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dz_game::Move;
use dz_search::{
    CatchUp, Domain, Exact, ExplicitGraph, GraphFile, NodeView, Puct, Revisit, Search,
    SearchParams, Selection, Terminals,
};

use crate::proof::domains::{Hardy, KeyOf, Repeating};
use crate::proof::graphs::{graph, inner, minimax, terminal};
use crate::proof::unsound::{Mistake, Unsound};
use crate::proof::{Dice, Judge, Opinion, run, search_graph, search_of};

fn plain() -> SearchParams {
    SearchParams {
        selection: Selection::Puct(Puct::constant(1.0)),
        terminals: Terminals::Counted,
        ..SearchParams::default()
    }
}

fn tree() -> SearchParams {
    SearchParams { graph: false, ..plain() }
}

fn stop() -> SearchParams {
    SearchParams { catch_up: CatchUp::Stop, ..plain() }
}

fn node_behind(search: &Search<ExplicitGraph, Exact>, mv: u16) -> NodeView {
    let id = search.root_child(Move(mv)).unwrap();
    search.nodes().find(|node| node.id == id).unwrap()
}

/// The first player moves everywhere. Move 0 leads to A, four others through forced nodes to the
/// hub C, to which A leads too; A's two other moves are bad.
fn hub() -> ExplicitGraph {
    let forced = (2..6).map(|id| inner(id, 1, 0.0, &[6]));
    let mut nodes = vec![inner(0, 1, 0.0, &[1, 2, 3, 4, 5]), inner(1, 1, 0.5, &[6, 8, 9])];
    nodes.extend(forced);
    nodes.extend([inner(6, 1, 0.0, &[7]), terminal(7, 0.5), terminal(8, -0.5), terminal(9, -0.5)]);
    graph(0, nodes)
}

#[test]
fn a_hub_that_others_visit_does_not_spoil_its_parents() {
    let hub = hub();
    // The first playout evaluates the root.
    let q = |params: SearchParams| {
        let mut search = search_graph::<Exact>(&hub, params);
        run(&mut search, 1001, &Judge::of_graph());
        let a = node_behind(&search, 0);
        (a.value, a.visits)
    };
    let near = |found: (f64, u32), value: f64, visits: u32| {
        assert!((found.0 - value).abs() < 1e-12 && found.1 == visits, "{found:?}");
    };
    near(q(tree()), 0.440_789_473_684_210_5, 76);
    near(q(plain()), 0.454_578_537_961_151_8, 89);
    near(q(stop()), 0.441_756_985_184_448_7, 89);
    let naive = Unsound::run(&hub, Mistake::ChildVisits, 1.0, 1001).nodes.remove(&1).unwrap();
    assert!((naive.value + 0.285_714_285_714_285_7).abs() < 1e-12, "{naive:?}");
    for params in [plain(), stop()] {
        assert!((q(params).0 - q(tree()).0).abs() < 0.05);
    }
    assert!(naive.value < q(tree()).0 - 0.3, "the oracle sees the mistake");
}

/// The second player moves at the root and the first player at D, who has a good move E and a bad
/// one F; four forced nodes lead to F as well.
fn spoiled() -> ExplicitGraph {
    let mut nodes = vec![inner(0, -1, 0.0, &[1, 2, 3, 4, 5]), inner(1, 1, 0.5, &[6, 7])];
    nodes.extend((2..6).map(|id| inner(id, 1, 0.0, &[7])));
    nodes.extend([inner(6, 1, 0.5, &[8]), inner(7, 1, -0.5, &[9])]);
    nodes.extend([terminal(8, 0.5), terminal(9, -0.5)]);
    graph(0, nodes)
}

#[test]
fn playouts_of_other_parents_do_not_count() {
    let spoiled = spoiled();
    let q = |params: SearchParams| {
        let mut search = search_graph::<Exact>(&spoiled, params);
        run(&mut search, 1001, &Judge::of_graph());
        node_behind(&search, 0).value
    };
    let wrong = Unsound::run(&spoiled, Mistake::AllParents, 1.0, 1001).nodes.remove(&1).unwrap();
    println!(
        "tree {} continue {} stop {} all parents {}",
        q(tree()),
        q(plain()),
        q(stop()),
        wrong.value
    );
    for params in [plain(), stop()] {
        assert!((q(params) - q(tree())).abs() < 0.05, "{} {}", q(params), q(tree()));
    }
    assert!(wrong.value < q(tree()) - 0.3, "the oracle sees the mistake: {wrong:?}");
}

/// Layers of nodes with so many moves to random nodes of the next layer, movers in turn, outcomes
/// +-1 at the end, nothing known before.
fn layered(dice: &mut Dice, depth: usize, width: usize, moves: usize) -> GraphFile {
    let id = |layer: usize, place: usize| (layer * 1000 + place) as i64;
    let mut nodes = Vec::new();
    for layer in 0..=depth {
        for place in 0..if layer == 0 { 1 } else { width } {
            if layer == depth {
                nodes.push(terminal(id(layer, place), dice.pick(&[-1.0, 1.0])));
                continue;
            }
            let children: Vec<i64> = (0..moves).map(|_| id(layer + 1, dice.below(width))).collect();
            nodes.push(inner(
                id(layer, place),
                if layer % 2 == 0 { 1 } else { -1 },
                0.0,
                &children,
            ));
        }
    }
    GraphFile { root: 0, nodes }
}

/// Wrong first moves, root mean square error of the root's value, and nodes a search.
fn errors(shape: (usize, usize, usize), params: SearchParams) -> (u32, f64, f64) {
    let (mut wrong, mut square, mut nodes) = (0, 0.0, 0.0);
    for seed in 0..100 {
        let file = layered(&mut Dice::new(seed), shape.0, shape.1, shape.2);
        let graph = ExplicitGraph::new(&file).unwrap();
        let selection = Selection::Puct(Puct::constant(1.5));
        let params = SearchParams { selection, terminals: Terminals::Fixed, ..params };
        let mut search = search_graph::<Exact>(&graph, params);
        run(&mut search, 3000, &Judge::of_graph());
        let values = minimax(&file);
        let summary = search.summary();
        let best =
            summary.moves.iter().max_by_key(|m| (m.visits, std::cmp::Reverse(m.mv))).unwrap();
        let chosen = values[&file.nodes[0].children[usize::from(best.mv.0)]];
        wrong += u32::from(chosen != values[&0]);
        square += (summary.value - values[&0]).powi(2) / 100.0;
        nodes += (search.node_count() + 1) as f64 / 100.0;
    }
    (wrong, square.sqrt(), nodes)
}

/// On graphs with many transpositions and an evaluator that knows nothing, going on finds the truth
/// where stopping spends its playouts on edges, and a tree on copies.
#[test]
fn layered_graphs_are_understood_by_going_on() {
    for shape in [(8, 12, 3), (16, 8, 2)] {
        let [going_on, stopping, tree] =
            [plain(), stop(), tree()].map(|params| errors(shape, params));
        println!("{shape:?}: continue {going_on:?} stop {stopping:?} tree {tree:?}");
        assert!(going_on.0 <= 1 && going_on.1 < 0.2, "{going_on:?}");
        assert!(stopping.1 > 2.0 * going_on.1 && tree.1 > 2.0 * going_on.1);
        assert!(stopping.2 <= going_on.2 && going_on.2 < tree.2);
    }
}

/// Two positions that lead to each other, one of which has an exit that wins.
#[test]
fn a_circle_ends_and_the_exit_is_found() {
    let toy = graph(0, vec![inner(0, 1, 0.0, &[1, 2]), inner(1, -1, 0.0, &[0]), terminal(2, 1.0)]);
    for (catch_up, revisit, prove) in [
        (CatchUp::Continue, Revisit::Count, false),
        (CatchUp::Continue, Revisit::Draw, false),
        (CatchUp::Stop, Revisit::Count, false),
        (CatchUp::Stop, Revisit::Draw, true),
        (CatchUp::Continue, Revisit::Count, true),
    ] {
        let params = SearchParams { catch_up, revisit, prove, ..plain() };
        let mut search = search_graph::<Exact>(&toy, params);
        run(&mut search, 2000, &Judge::of_graph());
        let summary = search.summary();
        let best = summary.moves.iter().max_by_key(|m| m.visits).unwrap();
        assert_eq!(best.mv, Move(1));
        assert!(prove || summary.counts.cycle_ends > 0, "{:?}", summary.counts);
        assert!(summary.value > 0.9, "{}", summary.value);
        assert_eq!(summary.proven, prove);
        assert!(search.node_count() <= 3);
    }
}

/// R leads to P through X and through Y. At P the first player goes back to X or loses; at X the
/// first player goes to P or wins. After X, going back repeats: a draw. After Y it wins.
fn two_pasts(key_of: KeyOf) -> Repeating {
    let nodes = vec![
        inner(0, 1, 0.0, &[1, 2]),
        inner(1, 1, 0.0, &[3, 4]), // X
        inner(2, -1, 0.0, &[3]),   // Y
        inner(3, 1, 0.0, &[1, 5]), // P
        terminal(4, 1.0),
        terminal(5, -1.0),
    ];
    Repeating { graph: graph(0, nodes), key_of }
}

fn plain_judge() -> Judge<Repeating> {
    Judge {
        opinion: Box::new(|_, _, _, legal| Opinion {
            value: 0.0,
            draw: 0.0,
            priors: vec![1.0 / legal.len() as f64; legal.len()],
            heuristics: Vec::new(),
            margin: None,
            error: None,
        }),
        caches: false,
    }
}

/// The value of P after these moves.
fn value_of(domain: &Repeating, search: &Search<Repeating, Exact>, moves: &[u16]) -> f64 {
    let (mut state, mut past) = (domain.graph.root(), Vec::new());
    for &mv in moves {
        domain.advance(&mut state, &mut past, Move(mv));
    }
    let key = domain.node_key(&state, &past);
    search.nodes().find(|node| node.key == key).unwrap().value
}

#[test]
fn keys_that_know_the_past_keep_two_pasts_apart() {
    for key_of in [KeyOf::Past, KeyOf::Repetitions] {
        let domain = two_pasts(key_of);
        let mut search: Search<_, Exact> = search_of(&domain, plain(), &(0, Vec::new()));
        run(&mut search, 4000, &plain_judge());
        let (after_x, after_y) =
            (value_of(&domain, &search, &[0, 0]), value_of(&domain, &search, &[1, 0]));
        assert!(after_x.abs() < 0.2 && after_x <= 0.0, "{key_of:?}: a draw at best, {after_x}");
        assert!(after_y > 0.8, "{key_of:?}: a win, {after_y}");
    }
}

#[test]
fn a_shared_position_recovers_once_the_path_is_left() {
    let domain = two_pasts(KeyOf::Position);
    for revisit in [Revisit::Count, Revisit::Draw] {
        let params = SearchParams { revisit, ..plain() };
        let mut search: Search<_, Exact> = search_of(&domain, params, &(0, Vec::new()));
        run(&mut search, 200, &plain_judge());
        assert!(search.counts().cycle_ends > 0);
        let before = value_of(&domain, &search, &[1, 0]);
        // From Y nothing repeats before P: what repetitions on the other path left is outweighed.
        search.advance(Move(1), true);
        run(&mut search, 4000, &plain_judge());
        let after =
            search.nodes().find(|node| node.key == domain.node_key(&3, &Vec::new())).unwrap();
        assert!(after.value > 0.8 && after.value > before, "{revisit:?}: {before} {}", after.value);
    }
}

#[test]
fn colliding_keys_are_seen_by_the_check_and_survived_without() {
    for acyclic in [false, true] {
        let domain = Hardy { bits: 8, acyclic };
        let checked = SearchParams { check_states: true, ..plain() };
        let mut search: Search<_, Exact> = search_of(&domain, checked, &((1, 0), ()));
        let panicked = catch_unwind(AssertUnwindSafe(|| run(&mut search, 5000, &Judge::hashed(1))));
        let message = panicked.unwrap_err();
        let message = message.downcast_ref::<String>().unwrap();
        assert!(message.contains("two positions share the key"), "{message}");
        let draws = SearchParams { revisit: Revisit::Draw, ..plain() };
        for params in [plain(), stop(), draws] {
            let mut search: Search<_, Exact> = search_of(&domain, params, &((1, 0), ()));
            run(&mut search, 5000, &Judge::hashed(1));
            assert_eq!(search.counts().playouts, 5000);
            assert!(search.node_count() <= 256);
        }
    }
    // With all 64 bits there is nothing to see.
    let domain = Hardy { bits: 64, acyclic: true };
    let checked = SearchParams { check_states: true, ..plain() };
    let mut search: Search<_, Exact> = search_of(&domain, checked, &((1, 0), ()));
    run(&mut search, 5000, &Judge::hashed(1));
}
