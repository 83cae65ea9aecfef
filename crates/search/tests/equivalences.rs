//! Settings that must give the same result: equivalent forms, and options without effect on the
//! given graph.
//!
//! Sources: D. J. Wu, "Monte-Carlo Graph Search from First Principles" (a graph without
//! transpositions is a tree; stopping with a leak); L. Lew, computer-go list, January 2007 (epsilon
//! trick); Liu et al. 2020 and Segal 2010 (leaves in flight).

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use std::collections::BTreeSet;

use dz_game::{
    Game, Key,
    games::{Connect4, TicTacToe},
};
use dz_search::{
    Backup, Budget, CatchUp, Compact, Domain, EpsilonSchedule, Exact, ExplicitGraph, Gathered,
    InFlight, LeafValue, NodeView, Numbers, Puct, RootSetup, Search, SearchCounts, SearchParams,
    Selection, Staleness, TieBreak,
};

use crate::proof::domains::Unshared;
use crate::proof::graphs::{graph, inner, random_graph, random_shape, terminal};
use crate::proof::reference::Rounds;
use crate::proof::settings::{random_params, random_setup};
use crate::proof::{
    Dice, Judge, Round, answer, assert_agrees, position, run, run_from, search_graph, search_of,
};

/// All nodes without their names, the root first, and what was counted.
type Picture = (Vec<NodeView>, SearchCounts);

fn picture<D: Domain, N: Numbers>(search: &Search<D, N>) -> Picture {
    let views = search.root_node().into_iter().chain(search.nodes());
    let nameless = |view: NodeView| {
        let mut view = NodeView { key: Key::default(), ..view };
        for edge in &mut view.edges {
            edge.average = None; // It is kept where nobody reads it if leaves may wait.
        }
        view
    };
    (views.map(nameless).collect(), search.counts())
}

/// A search of two moves and what it looks like.
fn searched<D: Domain, N: Numbers>(
    domain: &D,
    params: SearchParams,
    at: &(D::State, D::History),
    judge: &Judge<D>,
    setup: RootSetup,
    playouts: u32,
) -> Vec<Picture> {
    let mut search: Search<D, N> = search_of(domain, params, at);
    let mut seen = BTreeSet::new();
    let mut pictures = Vec::new();
    for seed in [5, 6] {
        run_from(&mut search, Budget::Playouts(playouts), seed, setup, judge, &mut seen);
        pictures.push(picture(&search));
        let moves = search.summary().moves;
        let Some(best) = moves.iter().max_by_key(|m| m.visits).filter(|m| m.visits > 0) else {
            break;
        };
        search.advance(best.mv, true);
    }
    pictures
}

/// Random graphs and settings under two versions of the settings.
fn assert_same<N: Numbers>(
    seeds: u64,
    back: f64,
    versions: impl Fn(SearchParams) -> [SearchParams; 2],
) {
    for seed in 0..seeds {
        let mut dice = Dice::new(seed);
        let shape = random_shape(&mut dice, back);
        let graph = ExplicitGraph::new(&random_graph(&mut dice, shape)).unwrap();
        let versions = versions(random_params(&mut dice));
        let setup = random_setup(&mut dice);
        let judge = Judge::hashed(seed);
        let [a, b] = versions.map(|params| {
            searched::<_, N>(&graph, params, &(graph.root(), ()), &judge, setup, 150)
        });
        assert_eq!(a, b, "seed {seed} {:?}", versions[0]);
    }
}

/// Transpositions are counted where keys meet, which nothing else depends on.
fn uncounted(pictures: Vec<Picture>) -> Vec<Picture> {
    let plain = |(views, counts)| (views, SearchCounts { transpositions: 0, ..counts });
    pictures.into_iter().map(plain).collect()
}

fn assert_tree_is_unshared_graph<D: Domain>(domain: &D, at: &(D::State, D::History), seed: u64) {
    let mut dice = Dice::new(seed);
    // Names of nodes break ties at random.
    let params = SearchParams { tie_break: TieBreak::LowestMove, ..random_params(&mut dice) };
    let setup = random_setup(&mut dice);
    let tree = SearchParams { graph: false, ..params };
    let graph = SearchParams { graph: true, check_states: false, ..params };
    let tree = searched::<_, Exact>(domain, tree, at, &Judge::hashed(seed), setup, 200);
    let unshared = Unshared(domain.clone());
    let at = (at.0.clone(), (at.1.clone(), Vec::new()));
    let graph = searched::<_, Exact>(&unshared, graph, &at, &Judge::hashed(seed), setup, 200);
    assert_eq!(uncounted(tree), uncounted(graph), "seed {seed} {params:?}");
}

/// KataGo's own trick: with keys that nothing shares, graph search is tree search.
#[test]
fn a_graph_whose_keys_are_private_is_a_tree() {
    for seed in 0..200 {
        let mut dice = Dice::new(seed);
        let shape = random_shape(&mut dice, 0.0);
        let graph = ExplicitGraph::new(&random_graph(&mut dice, shape)).unwrap();
        assert_tree_is_unshared_graph(&graph, &(graph.root(), ()), seed);
    }
    for seed in 0..40 {
        assert_tree_is_unshared_graph(&TicTacToe, &position(&TicTacToe, &[]), seed);
        let game = Connect4::new(4, 4, 3).unwrap();
        assert_tree_is_unshared_graph(&game, &position(&game, &[]), seed);
    }
}

/// A random tree: every node has one parent.
fn random_tree(dice: &mut Dice) -> ExplicitGraph {
    let mut nodes = Vec::new();
    let (mut open, mut next) = (vec![(0_i64, 0)], 1);
    while let Some((id, depth)) = open.pop() {
        if depth > 5 || (depth > 0 && dice.chance(0.2)) {
            nodes.push(terminal(id, dice.pick(&[-1.0, -0.25, 0.0, 1.0])));
            continue;
        }
        let children: Vec<i64> = (0..=dice.below(3) as i64).map(|i| next + i).collect();
        next += children.len() as i64;
        open.extend(children.iter().map(|&child| (child, depth + 1)));
        nodes.push(inner(id, dice.pick(&[1, -1]), 2.0 * dice.share() - 1.0, &children));
    }
    graph(0, nodes)
}

#[test]
fn without_transpositions_a_tree_is_a_graph() {
    for seed in 0..200 {
        let mut dice = Dice::new(seed);
        let domain = random_tree(&mut dice);
        let params = SearchParams { tie_break: TieBreak::LowestMove, ..random_params(&mut dice) };
        let setup = random_setup(&mut dice);
        let [tree, graph] = [false, true].map(|is_graph| {
            let params = SearchParams { graph: is_graph, ..params };
            searched::<_, Exact>(
                &domain,
                params,
                &(domain.root(), ()),
                &Judge::hashed(seed),
                setup,
                300,
            )
        });
        assert_eq!(tree, graph, "seed {seed} {params:?}");
    }
}

/// Where nothing transposes, an average recomputed from children, one that runs along, and one kept
/// on edges are the same but for rounding.
#[test]
fn in_a_tree_all_backups_agree() {
    for seed in 0..200 {
        let mut dice = Dice::new(seed);
        let domain = random_tree(&mut dice);
        let plain = SearchParams { graph: dice.chance(0.5), ..SearchParams::default() };
        let with = |backup: Backup| {
            let mut search = search_graph::<Exact>(&domain, SearchParams { backup, ..plain });
            run(&mut search, 300, &Judge::hashed(seed));
            picture(&search).0
        };
        let recomputed = with(Backup::Idempotent);
        for backup in [
            Backup::Incremental,
            Backup::Delta { tolerance: 0.01, clamp: true },
            Backup::Delta { tolerance: 0.0, clamp: false },
        ] {
            for (a, b) in recomputed.iter().zip(with(backup)) {
                assert_eq!(a.visits, b.visits, "seed {seed}");
                assert!((a.value - b.value).abs() < 1e-12, "seed {seed} {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn a_full_leak_goes_on_and_no_leak_stops() {
    let with = |params: SearchParams, catch_up: CatchUp| SearchParams { catch_up, ..params };
    assert_same::<Exact>(150, 0.0, |p| [with(p, CatchUp::Leak(1.0)), with(p, CatchUp::Continue)]);
    assert_same::<Exact>(150, 0.0, |p| [with(p, CatchUp::Leak(0.0)), with(p, CatchUp::Stop)]);
    assert_same::<Exact>(150, 0.2, |p| [with(p, CatchUp::Margin(0)), with(p, CatchUp::Stop)]);
    assert_same::<Exact>(150, 0.2, |p| {
        [with(p, CatchUp::Margin(u32::MAX)), with(p, CatchUp::Continue)]
    });
}

#[test]
fn a_choice_that_holds_once_is_a_choice_each_time() {
    let with = |params: SearchParams, epsilon| SearchParams { epsilon, ..params };
    for schedule in [
        EpsilonSchedule::Linear { epsilon: 1.0 / 2000.0 },
        EpsilonSchedule::Root { epsilon: 0.02 },
        EpsilonSchedule::Linear { epsilon: 0.0 },
    ] {
        assert_same::<Compact>(100, 0.2, |p| [with(p, schedule), with(p, EpsilonSchedule::Off)]);
    }
}

#[test]
fn leaves_answered_one_by_one_are_a_search_in_sequence() {
    // `run_from` collects leaves unless `leaves_max` is 1, so this drives by hand.
    for seed in 0..200 {
        let mut dice = Dice::new(seed);
        let shape = random_shape(&mut dice, 0.2);
        let graph = ExplicitGraph::new(&random_graph(&mut dice, shape)).unwrap();
        let params = random_params(&mut dice);
        let judge = Judge::hashed(seed);
        let pictures = [(1, 0), (1, 16), (8, 16)].map(|(leaves_max, collisions_max)| {
            let params = SearchParams { leaves_max, collisions_max, ..params };
            let mut search = search_graph::<Exact>(&graph, params);
            search.start(Budget::Playouts(200), seed, None);
            loop {
                match search.gather() {
                    Gathered::Need(leaf) => answer(&mut search, leaf, &judge, &mut BTreeSet::new()),
                    Gathered::Decided => break,
                    Gathered::Wait => panic!("nobody waits"),
                }
            }
            picture(&search)
        });
        assert_eq!(pictures[0], pictures[1], "seed {seed} {params:?}");
        assert_eq!(pictures[0], pictures[2], "seed {seed} {params:?}");
    }
}

/// Opens leaves until the search must wait; answers how many wait.
fn fill<D: Domain, N: Numbers>(search: &mut Search<D, N>) -> Vec<dz_search::LeafId> {
    let mut waiting = Vec::new();
    while let Gathered::Need(leaf) = search.gather() {
        waiting.push(leaf);
    }
    waiting
}

fn in_flight<D: Domain, N: Numbers>(search: &Search<D, N>) -> u32 {
    let views = search.root_node().into_iter().chain(search.nodes());
    views.map(|view| view.edges.iter().map(|edge| edge.in_flight).sum::<u32>()).sum()
}

/// Leaves that wait leave nothing behind, answered in any order or given up: virtual visits and
/// virtual losses are added and removed, and all statistics are the same in every bit.
#[test]
fn waiting_leaves_leave_no_trace() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let back = dice.pick(&[0.0, 0.2]);
        let shape = random_shape(&mut dice, back);
        let graph = ExplicitGraph::new(&random_graph(&mut dice, shape)).unwrap();
        let in_flight_rule = dice.pick(&[InFlight::Visits, InFlight::Losses(3)]);
        let params = SearchParams {
            leaves_max: 8,
            in_flight: in_flight_rule,
            collisions_max: dice.pick(&[0, 3, 32]),
            ..random_params(&mut dice)
        };
        let judge = Judge::hashed(seed);
        let mut search = search_graph::<Exact>(&graph, params);
        search.start(Budget::Playouts(400), seed, None);
        loop {
            let mut waiting = fill(&mut search);
            if waiting.is_empty() {
                break;
            }
            while !waiting.is_empty() {
                let leaf = waiting.swap_remove(dice.below(waiting.len()));
                answer(&mut search, leaf, &judge, &mut BTreeSet::new());
            }
            assert_eq!(in_flight(&search), 0, "seed {seed} {params:?}");
        }
        assert_eq!(search.gather(), Gathered::Decided);
        assert_eq!(search.counts().playouts, search.counts().ends());
    }
}

#[test]
fn leaves_given_up_leave_no_trace() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let game = Connect4::new(4, 4, 3).unwrap();
        let in_flight_rule = dice.pick(&[InFlight::Visits, InFlight::Losses(3)]);
        let params = SearchParams {
            leaves_max: 8,
            in_flight: in_flight_rule,
            collisions_max: dice.pick(&[0, 3, 32]),
            leaf_value: LeafValue::Network,
            expansion: dz_search::Expansion::FirstVisit,
            // Background sweeps go on with the playouts that need no evaluation.
            staleness: Staleness::Path,
            ..random_params(&mut dice)
        };
        if params.validate().is_err() {
            continue;
        }
        let judge = Judge::hashed(seed);
        let mut search: Search<_, Exact> = search_of(&game, params, &position(&game, &[]));
        search.start(Budget::Playouts(100), seed, None);
        for _ in 0..3 + dice.below(6) {
            let mut waiting = fill(&mut search);
            // Some are answered, out of order, others wait on.
            while waiting.len() > 1 || (!waiting.is_empty() && search.root_node().is_none()) {
                let leaf = waiting.swap_remove(dice.below(waiting.len()));
                answer(&mut search, leaf, &judge, &mut BTreeSet::new());
            }
        }
        let before = picture(&search).0;
        let visits = |views: &[NodeView]| -> Vec<(u32, f64)> {
            views.iter().map(|view| (view.visits, view.value)).collect()
        };
        search.start(Budget::Playouts(1), seed, None);
        assert_eq!(in_flight(&search), 0, "seed {seed} {params:?}");
        let after = picture(&search).0;
        assert_eq!(visits(&before), visits(&after), "seed {seed} {params:?}");
        for view in &after {
            assert!(view.edges.iter().all(|edge| edge.visits > 0), "{view:?}");
        }
    }
}

#[test]
fn virtual_losses_keep_others_off_a_path() {
    // Two equal moves: the second walk takes the other one.
    let nodes = vec![
        inner(0, 1, 0.0, &[1, 2]),
        inner(1, 1, 0.0, &[3]),
        inner(2, 1, 0.0, &[3]),
        terminal(3, 0.0),
    ];
    let domain = graph(0, nodes);
    for rule in [InFlight::Visits, InFlight::Losses(3)] {
        let params = SearchParams { leaves_max: 2, in_flight: rule, ..SearchParams::default() };
        let mut search = search_graph::<Exact>(&domain, params);
        search.start(Budget::Playouts(3), 0, None);
        let root = fill(&mut search);
        answer(&mut search, root[0], &Judge::of_graph(), &mut BTreeSet::new());
        let waiting = fill(&mut search);
        let states: Vec<u32> =
            waiting.iter().map(|&leaf| *search.leaf(leaf).unwrap().state).collect();
        assert_eq!(states, [1, 2]);
    }
}

/// The budgets say the same where each playout is a visit and an evaluation.
#[test]
fn budgets_agree_where_they_must() {
    let game = Connect4::new(7, 6, 4).unwrap();
    let pictures = [
        Budget::Playouts(200),
        Budget::Visits(200),
        Budget::Evaluations { evaluations: 200, playouts_max: 1000 },
    ]
    .map(|budget| {
        let params = SearchParams { graph: false, ..SearchParams::default() };
        let mut search: Search<_, Exact> = search_of(&game, params, &position(&game, &[]));
        let setup = RootSetup::default();
        run_from(&mut search, budget, 1, setup, &Judge::hashed(1), &mut BTreeSet::new());
        picture(&search)
    });
    // 200 playouts do not reach the end of a game of 42 plies.
    assert_eq!(pictures[0], pictures[1]);
    assert_eq!(pictures[0], pictures[2]);
}

/// A long search from a real opening agrees with the reference, too.
#[test]
fn a_long_search_agrees_with_the_reference() {
    fn check<N: Rounds>(params: SearchParams) {
        let game = Connect4::new(5, 5, 4).unwrap();
        let round =
            Round { playouts: 3000, seed: 3, setup: RootSetup::default(), keep: Some(true) };
        let at = position(&game, &[2]);
        assert!(Game::acyclic(&game));
        assert_agrees::<_, N>(&game, params, &at, &Judge::hashed(9), &[round, round]);
    }
    let puct =
        SearchParams { selection: Selection::Puct(Puct::constant(1.1)), ..SearchParams::default() };
    check::<Exact>(puct);
    check::<Compact>(puct);
    check::<Compact>(SearchParams { prove: true, catch_up: CatchUp::Stop, ..puct });
}
