//! Split values in a graph, by plain recursion over a map. Ours: no source has them.

use std::collections::BTreeMap;

use dz_game::{Move, mix64};
use dz_search::{Domain, Exact, ExplicitGraph, Status};

use super::literal::{sign, value};
use super::{Rule, coarse_graph};
use crate::proof::{Dice, Judge, rollout, run, search_graph};

/// A position: what was seen there itself, and the sums over its edges, as of its last visit.
#[derive(Clone, Debug, Default)]
struct Position {
    own_v: Option<f64>,
    own_z: f64,
    rollouts: f64,
    /// Priors and visits, once it is open.
    edges: Vec<(f64, f64)>,
    n_v: f64,
    w_v: f64,
    n_r: f64,
    w_r: f64,
}

impl Position {
    fn q(&self, lambda: f64) -> f64 {
        (1.0 - lambda) * (self.w_v / self.n_v) + lambda * (self.w_r / self.n_r)
    }
}

struct Shared<'a> {
    graph: &'a ExplicitGraph,
    rule: Rule,
    /// The root is a private copy, under none.
    at: BTreeMap<Option<u32>, Position>,
}

impl Shared<'_> {
    fn child(&self, state: u32, a: usize) -> u32 {
        let mut next = state;
        self.graph.advance(&mut next, &mut (), Move(a as u16));
        next
    }

    fn open(&self, state: u32) -> Vec<(f64, f64)> {
        let mut priors = Vec::new();
        self.graph.evaluate(state, &mut priors);
        priors.into_iter().map(|p| (p, 0.0)).collect()
    }

    fn choose(&self, name: Option<u32>, state: u32) -> usize {
        let edges = &self.at[&name].edges;
        let sum: f64 = edges.iter().map(|edge| edge.1).sum();
        let score = |a: usize| {
            let (p, n) = edges[a];
            let child = Some(self.child(state, a));
            let q = if n > 0.0 {
                sign(self.graph, state) * self.at[&child].q(self.rule.lambda)
            } else {
                0.0
            };
            q + self.rule.c * p * sum.sqrt() / (1.0 + n)
        };
        let untried = (0..edges.len()).filter(|&a| edges[a].1 == 0.0);
        let first = untried.reduce(|a, b| if edges[b].0 > edges[a].0 { b } else { a });
        let mut best: Option<usize> = None;
        for a in (0..edges.len()).filter(|&a| edges[a].1 > 0.0 || Some(a) == first) {
            if best.is_none_or(|b| score(a) > score(b)) {
                best = Some(a);
            }
        }
        best.unwrap()
    }

    fn playout(&mut self, name: Option<u32>, state: u32, random: u64) {
        let a = self.choose(name, state);
        let next = self.child(state, a);
        self.arrive(next, random);
        self.at.get_mut(&name).unwrap().edges[a].1 += 1.0;
        self.recompute(name, state);
    }

    fn arrive(&mut self, state: u32, random: u64) {
        let name = Some(state);
        if let Status::Over { value, .. } = self.graph.status(&state, &()) {
            let over =
                Position { n_v: 1.0, w_v: value, n_r: 1.0, w_r: value, ..Position::default() };
            self.at.entry(name).or_insert(over);
            return;
        }
        let here = self.at.entry(name).or_default();
        if !here.edges.is_empty() {
            return self.playout(name, state, random);
        }
        here.own_v.get_or_insert_with(|| value(self.graph, state));
        here.own_z += sign(self.graph, state) * rollout(self.graph, &state, &(), random).0;
        here.rollouts += 1.0;
        if here.rollouts > f64::from(self.rule.threshold) {
            let edges = self.open(state);
            self.at.get_mut(&name).unwrap().edges = edges;
        }
        self.recompute(name, state);
    }

    /// Both halves from the position itself and, for each edge, its visits' share of its child's.
    fn recompute(&mut self, name: Option<u32>, state: u32) {
        let here = &self.at[&name];
        let mut sums = [
            f64::from(u8::from(here.own_v.is_some())),
            here.own_v.unwrap_or(0.0),
            here.rollouts,
            here.own_z,
        ];
        for (a, &(_, n)) in here.edges.iter().enumerate().filter(|(_, edge)| edge.1 > 0.0) {
            let child = &self.at[&Some(self.child(state, a))];
            let share = n / child.n_r;
            for (sum, part) in sums.iter_mut().zip([child.n_v, child.w_v, child.n_r, child.w_r]) {
                *sum += share * part;
            }
        }
        let here = self.at.get_mut(&name).unwrap();
        [here.n_v, here.w_v, here.n_r, here.w_r] = sums;
    }
}

#[test]
fn a_graph_search_recomputes_both_halves() {
    let mut shared = 0;
    for seed in 0..400 {
        let mut dice = Dice::new(seed);
        let graph = ExplicitGraph::new(&coarse_graph(&mut dice)).unwrap();
        // With lambda 0 or 1 and shares that round, a choice may hang on the last bit.
        let rule = Rule { lambda: dice.pick(&[0.5, 0.3, 0.7]), ..Rule::random(&mut dice) };
        let playouts = 1 + dice.below(200) as u32;
        let mut search = search_graph::<Exact>(&graph, rule.params());
        run(&mut search, playouts, &Judge::of_graph());
        let root = graph.root();
        let mut plain = Shared { graph: &graph, rule, at: BTreeMap::new() };
        let z = sign(&graph, root) * rollout(&graph, &root, &(), mix64(mix64(0))).0;
        let own_v = Some(value(&graph, root));
        let first = Position {
            own_v,
            own_z: z,
            rollouts: 1.0,
            edges: plain.open(root),
            ..Position::default()
        };
        plain.at.insert(None, first);
        plain.recompute(None, root);
        for walk in 1..u64::from(playouts) {
            plain.playout(None, root, mix64(mix64(walk)));
        }
        shared += search.counts().transpositions;
        let summary = search.summary();
        let expected = &plain.at[&None];
        for (m, edge) in summary.moves.iter().zip(&expected.edges) {
            assert_eq!(f64::from(m.visits), edge.1, "seed {seed}, {rule:?}");
        }
        let value = sign(&graph, root) * expected.q(rule.lambda);
        assert!((summary.value - value).abs() < 1e-12, "seed {seed}: {} {value}", summary.value);
        let split = search.root_node().unwrap().split.unwrap();
        for (found, expected) in [
            (split.values, expected.n_v),
            (split.value_sum, expected.w_v),
            (split.outcomes, expected.n_r),
            (split.outcome_sum, expected.w_r),
        ] {
            assert!((found - expected).abs() < 1e-9, "seed {seed}: {found} {expected}");
        }
        assert_eq!(search.node_count() + 1, plain.at.len(), "seed {seed}");
    }
    assert!(shared > 1000, "{shared}");
}

/// Nothing depends on what happened before: recomputing all changes nothing in a tree, and comes to
/// rest in a graph.
#[test]
fn recomputing_comes_to_rest() {
    for seed in 0..50 {
        let mut dice = Dice::new(seed);
        let graph = ExplicitGraph::new(&coarse_graph(&mut dice)).unwrap();
        let rule = Rule::random(&mut dice);
        for is_graph in [false, true] {
            let params = dz_search::SearchParams { graph: is_graph, ..rule.params() };
            let mut search = search_graph::<Exact>(&graph, params);
            run(&mut search, 200, &Judge::of_graph());
            let rounds = search.recompute_all();
            assert!(is_graph || rounds == 1, "seed {seed}: {rounds}");
            assert_eq!(search.recompute_all(), 1, "seed {seed}");
        }
    }
}
