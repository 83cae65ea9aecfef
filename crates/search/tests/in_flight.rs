//! The effect of waiting leaves on choices, by the trace of every walk of a batch: scores are
//! recomputed by hand from the statistics before the batch and the earlier walks.
//!
//! Sources: Liu et al. 2020, "Watch the unobserved" (unanswered visits count in exploration alone;
//! lc0 does the same); Silver et al. 2016, Methods, and Segal 2010 (virtual losses: n more visits,
//! n less won).

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use std::collections::{BTreeMap, BTreeSet};

use dz_game::{Move, Player, games::Connect4};
use dz_search::{
    Budget, Exact, Gathered, InFlight, NodeView, Puct, Search, SearchParams, Selection, TracedMove,
};

use crate::proof::{Judge, answer, position, run, search_of};

const C: f64 = 1.3;

/// q + c p sqrt(s + 0.01) / (1 + n) with waiting visits counted in; `waiting` is this move's, `all`
/// the node's.
fn score(
    node: &NodeView,
    views: &[NodeView],
    m: &TracedMove,
    waiting: u32,
    all: u32,
    rule: InFlight,
) -> f64 {
    let edge = node.edges.iter().find(|edge| edge.mv == m.mv);
    let sign = if node.mover == Some(Player::First) { 1.0 } else { -1.0 };
    let (mut n, mut q) = edge.map_or((0.0, 0.0), |edge| {
        (f64::from(edge.visits), sign * views[edge.child as usize].value)
    });
    let waiting = f64::from(waiting);
    match rule {
        InFlight::Visits => n += waiting,
        InFlight::Losses(each) if waiting > 0.0 => {
            let lost = f64::from(each) * waiting;
            q = (n * q - lost) / (n + lost);
            n += lost;
        }
        InFlight::Losses(_) => {}
    }
    let sum: u32 = node.edges.iter().map(|edge| edge.visits).sum();
    q + C * m.prior * (f64::from(sum + all) + 0.01).sqrt() / (1.0 + n)
}

#[test]
fn scores_count_what_waits() {
    let game = Connect4::new(7, 6, 4).unwrap();
    for rule in [InFlight::Visits, InFlight::Losses(1), InFlight::Losses(3)] {
        let params = SearchParams {
            selection: Selection::Puct(Puct::constant(C)),
            leaves_max: 16,
            in_flight: rule,
            ..SearchParams::default()
        };
        let mut search: Search<_, Exact> = search_of(&game, params, &position(&game, &[]));
        let judge = Judge::hashed(4);
        run(&mut search, 50, &judge);
        search.set_trace(true);
        let (mut checked, mut shared) = (0, 0);
        for _ in 0..20 {
            let views: Vec<NodeView> =
                search.root_node().into_iter().chain(search.nodes()).collect();
            search.start(Budget::Playouts(16), 0, None);
            let mut waiting = Vec::new();
            while let Gathered::Need(leaf) = search.gather() {
                waiting.push(leaf);
            }
            for leaf in waiting {
                answer(&mut search, leaf, &judge, &mut BTreeSet::new());
            }
            // Leaves were answered in the order of their walks.
            let mut flying: BTreeMap<(u32, Move), u32> = BTreeMap::new();
            for playout in search.take_trace() {
                for step in &playout.steps {
                    let node = &views[step.node as usize];
                    let of = |mv: Move| flying.get(&(step.node, mv)).copied().unwrap_or(0);
                    let all = step.moves.iter().map(|m| of(m.mv)).sum();
                    let mut best = f64::NEG_INFINITY;
                    for m in &step.moves {
                        let by_hand = score(node, &views, m, of(m.mv), all, rule);
                        assert!((m.score - by_hand).abs() < 1e-12, "{rule:?} {m:?} {by_hand}");
                        best = best.max(by_hand);
                        shared += u32::from(of(m.mv) > 0);
                    }
                    let chosen = step.moves.iter().find(|m| m.mv == step.mv).unwrap();
                    assert!((chosen.score - best).abs() < 1e-12, "{step:?}");
                    checked += 1;
                }
                for step in &playout.steps {
                    *flying.entry((step.node, step.mv)).or_default() += 1;
                }
            }
        }
        assert!(checked > 400 && shared > 400, "{checked} choices, {shared} moves with company");
    }
}

/// A walk that meets a leaf which waits keeps its virtual visits, so the next one goes around it:
/// batches are fuller, no leaf waits twice, and no more walks stand before leaves than may.
#[test]
fn walks_go_around_leaves_that_wait() {
    let game = Connect4::new(7, 6, 4).unwrap();
    for rule in [InFlight::Visits, InFlight::Losses(3)] {
        let batches = [0, 4, 32].map(|collisions_max| {
            let params = SearchParams {
                leaves_max: 32,
                in_flight: rule,
                collisions_max,
                ..SearchParams::default()
            };
            let mut search: Search<_, Exact> = search_of(&game, params, &position(&game, &[]));
            search.start(Budget::Playouts(400), 0, None);
            let mut batches = 0;
            loop {
                let (mut waiting, before) = (Vec::new(), search.counts().collisions);
                while let Gathered::Need(leaf) = search.gather() {
                    waiting.push(leaf);
                }
                if waiting.is_empty() {
                    break;
                }
                // One more than may stand there ends the gathering.
                let met = search.counts().collisions - before;
                assert!(met <= u64::from(collisions_max) + 1, "{met} of {collisions_max}");
                let keys: BTreeSet<_> =
                    waiting.iter().map(|&leaf| search.leaf_eval_key(leaf).unwrap()).collect();
                assert_eq!(keys.len(), waiting.len());
                batches += 1;
                for leaf in waiting {
                    answer(&mut search, leaf, &Judge::hashed(4), &mut BTreeSet::new());
                }
            }
            assert_eq!(search.counts().playouts, 400);
            batches
        });
        assert!(batches[1] <= batches[0] && batches[2] < batches[0], "{rule:?} {batches:?}");
    }
}

/// A batch of virtual visits spreads: the leaves of one batch are all different.
#[test]
fn leaves_of_a_batch_differ() {
    let game = Connect4::new(7, 6, 4).unwrap();
    for rule in [InFlight::Visits, InFlight::Losses(3)] {
        let params = SearchParams { leaves_max: 8, in_flight: rule, ..SearchParams::default() };
        let mut search: Search<_, Exact> = search_of(&game, params, &position(&game, &[]));
        search.start(Budget::Playouts(400), 0, None);
        loop {
            let mut waiting = Vec::new();
            while let Gathered::Need(leaf) = search.gather() {
                waiting.push(leaf);
            }
            if waiting.is_empty() {
                break;
            }
            let keys: BTreeSet<_> =
                waiting.iter().map(|&leaf| search.leaf_eval_key(leaf).unwrap()).collect();
            assert_eq!(keys.len(), waiting.len());
            for leaf in waiting {
                answer(&mut search, leaf, &Judge::hashed(4), &mut BTreeSet::new());
            }
        }
        assert_eq!(search.counts().playouts, 400);
    }
}
