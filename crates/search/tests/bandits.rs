//! Bandits and the older family: regret, all-moves-as-first values, rollouts at leaves.
//!
//! Sources: Auer, Cesa-Bianchi and Fischer 2002 (UCB1's bound); Kocsis and Szepesvari 2006 (UCT);
//! Gelly and Silver 2007 (RAVE); Silver et al. 2016, Methods (expansion threshold, mix of value and
//! rollout).

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use crate::proof;
use std::collections::BTreeSet;

use dz_game::{Move, Player};
use dz_search::{
    Budget, Exact, Expansion, ExplicitGraph, Gathered, LeafValue, Rave, RaveSchedule, Search,
    SearchParams, Selection, ValuePov,
};

use crate::proof::graphs::{graph, inner, terminal};
use crate::proof::{Dice, Judge, answer, search_graph};

/// Two arms, each a leaf that is never opened: every visit is one more rollout.
fn two_arms() -> ExplicitGraph {
    let nodes = vec![
        inner(0, 1, 0.0, &[1, 2]),
        inner(1, 1, 0.0, &[3]),
        inner(2, 1, 0.0, &[3]),
        terminal(3, 0.0),
    ];
    graph(0, nodes)
}

/// Pulls of the worse arm in so many, by rollouts that pay 1 with the arm's probability, else
/// `loss`.
fn worse_pulls(selection: Selection, loss: f64, pulls: u32, seed: u64) -> u32 {
    let params = SearchParams {
        selection,
        leaf_value: LeafValue::Rollout,
        expansion: Expansion::Threshold(u32::MAX),
        ..SearchParams::default()
    };
    let mut search = search_graph::<Exact>(&two_arms(), params);
    let mut dice = Dice::new(seed);
    search.start(Budget::Playouts(pulls + 1), seed, None);
    while let Gathered::Need(leaf) = search.gather() {
        let seen = search.leaf(leaf).unwrap();
        let (state, wants) = (*seen.state, seen.wants);
        if wants.network {
            search.apply(leaf, dz_game::Wdl::DRAW, &[0.5, 0.5]);
        }
        let win = dice.chance([0.5, 0.6, 0.4][state as usize]);
        let value = if win { 1.0 } else { loss };
        search.apply_rollout(leaf, ValuePov { value, draw: 0.0 }, &[]);
    }
    let moves = search.summary().moves;
    assert_eq!(moves[0].visits + moves[1].visits, pulls);
    moves[1].visits
}

/// E(pulls of the worse arm) <= 8 ln n / gap^2 + 1 + pi^2 / 3 for values in [0, 1]; and some are
/// needed.
#[test]
fn ucb1_keeps_its_bound() {
    let (pulls, runs) = (10_000_u32, 20_u32);
    let average = |selection: Selection, loss: f64| {
        let sum: u32 =
            (0..runs).map(|run| worse_pulls(selection, loss, pulls, u64::from(run))).sum();
        f64::from(sum) / f64::from(runs)
    };
    let logarithm = f64::from(pulls).ln();
    let bound = 8.0 * logarithm / 0.04 + 1.0 + std::f64::consts::PI.powi(2) / 3.0;
    let ucb1 = average(Selection::Ucb1, 0.0);
    assert!(ucb1 < bound && ucb1 > logarithm / 0.04 / 4.0, "{ucb1} of {bound}");
    let uct = average(Selection::Uct { c: std::f64::consts::SQRT_2 }, 0.0);
    assert_eq!(uct, ucb1, "the same formula by another name");
    // On [-1, 1] all is twice as wide: c = sqrt 8 gives the same pulls.
    let wide = average(Selection::Uct { c: 8.0_f64.sqrt() }, -1.0);
    assert!((wide / ucb1 - 1.0).abs() < 0.05, "{wide} {ucb1}");
    println!("worse pulls of {pulls}: UCB1 {ucb1}, wide {wide}, bound {bound}");
}

/// A node below the threshold gathers rollouts, and its value is the mix of their mean and the
/// network's: `W_v / N_v = 0.4`, `W_r / N_r = -0.2`, lambda 0.5 give 0.1.
#[test]
fn a_leaf_that_opens_mixes_network_and_rollouts() {
    let params = SearchParams {
        leaf_value: LeafValue::Mix { rollout_share: 0.5 },
        expansion: Expansion::Threshold(4),
        ..SearchParams::default()
    };
    let nodes = vec![inner(0, 1, 0.0, &[1]), inner(1, 1, 0.4, &[2]), terminal(2, 1.0)];
    let domain = graph(0, nodes);
    let mut search = search_graph::<Exact>(&domain, params);
    search.start(Budget::Playouts(6), 0, None);
    // The root's rollout, then five of node 1, of mean -0.2; the fifth visit opens it.
    let outcomes = [0.0, 1.0, -1.0, -1.0, 1.0, -1.0];
    for (i, outcome) in outcomes.into_iter().enumerate() {
        let Gathered::Need(leaf) = search.gather() else { panic!("a rollout is due") };
        let wants = search.leaf(leaf).unwrap().wants;
        assert_eq!((wants.network, wants.rollouts), (i == 0 || i == 5, 1));
        if wants.network {
            let value = if i == 0 { 0.0 } else { 0.4 };
            let estimate = ValuePov { value, draw: 0.0 };
            let answer = dz_search::NetworkAnswer::new(estimate, &[1.0]);
            search.apply_network(leaf, &answer);
        }
        search.apply_rollout(leaf, ValuePov { value: outcome, draw: 0.0 }, &[]);
    }
    assert_eq!(search.gather(), Gathered::Decided);
    let node = search.nodes().next().unwrap();
    assert!((node.own_value - 0.1).abs() < 1e-15, "{node:?}");
    assert_eq!((node.visits, search.counts().rollouts), (5, 6));
}

/// A playout teaches every move that its player made later, in the tree or the rollout, and no
/// other.
#[test]
fn all_moves_as_first_counts_later_moves_of_the_same_player() {
    let params = SearchParams {
        selection: Selection::Rave(Rave {
            c: 0.0,
            schedule: RaveSchedule::Equivalence { k: 1000.0 },
        }),
        leaf_value: LeafValue::Rollout,
        ..SearchParams::default()
    };
    // Moves 0 to 3 at the root, whoever moves below.
    let nodes =
        vec![inner(0, 1, 0.0, &[1, 1, 1, 1]), inner(1, -1, 0.0, &[2, 2, 2, 2]), terminal(2, 0.0)];
    let domain = graph(0, nodes);
    let mut search: Search<_, Exact> = search_graph(&domain, params);
    search.start(Budget::Playouts(2), 0, None);
    for moves in [vec![], vec![(Player::Second, Move(1)), (Player::First, Move(2))]] {
        let Gathered::Need(leaf) = search.gather() else { panic!("a rollout is due") };
        search.apply(leaf, dz_game::Wdl::DRAW, &[0.25; 4]);
        // A win of the leaf's mover: of the first player at the root, of the second below it.
        search.apply_rollout(leaf, ValuePov { value: 1.0, draw: 0.0 }, &moves);
    }
    let amaf: Vec<Option<f64>> = search.summary().moves.iter().map(|m| m.amaf).collect();
    // The first player took 0 in the tree and 2 in the rollout; the second player won.
    assert_eq!(amaf, [Some(-1.0), None, Some(-1.0), None]);
}

/// Rollouts, thresholds and RAVE together come to the right move.
#[test]
fn the_older_family_plays() {
    let game = dz_game::games::TicTacToe;
    for (selection, expansion) in [
        (Selection::Uct { c: 1.0 }, Expansion::FirstVisit),
        (Selection::Uct { c: 1.0 }, Expansion::Threshold(4)),
        (
            Selection::Rave(Rave { c: 0.3, schedule: RaveSchedule::Equivalence { k: 100.0 } }),
            Expansion::FirstVisit,
        ),
        (
            Selection::Rave(Rave { c: 0.3, schedule: RaveSchedule::Logarithm }),
            Expansion::Dynamic { start: 3, waiting_max: 1 },
        ),
    ] {
        let params = SearchParams {
            selection,
            expansion,
            leaf_value: LeafValue::Rollout,
            ..SearchParams::default()
        };
        // O must answer the corner with the centre.
        let at = proof::position(&game, &[0]);
        let mut search: Search<_, Exact> = proof::search_of(&game, params, &at);
        search.start(Budget::Playouts(10_000), 1, None);
        while let Gathered::Need(leaf) = search.gather() {
            answer(&mut search, leaf, &Judge::uniform(), &mut BTreeSet::new());
        }
        let moves = search.summary().moves;
        let best = moves.iter().max_by_key(|m| m.visits).unwrap();
        assert_eq!(best.mv, Move(4), "{selection:?} {expansion:?} {moves:?}");
    }
}
