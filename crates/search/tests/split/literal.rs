//! AlphaGo's search as the text has it, in a tree, one simulation at a time.

use dz_game::{Move, Player, mix64};
use dz_search::{Domain, Exact, ExplicitGraph, Status};

use super::{Rule, coarse_graph};
use crate::proof::{Dice, Judge, rollout, run, search_graph};

/// `{ P(s,a), N_v(s,a), N_r(s,a), W_v(s,a), W_r(s,a) }`, sums of the player who moves at s.
#[derive(Clone, Debug, Default)]
pub(super) struct Edge {
    pub p: f64,
    pub n_v: f64,
    pub w_v: f64,
    pub n_r: f64,
    pub w_r: f64,
    /// The successor, once it is in the tree.
    pub below: Option<Box<Tree>>,
    /// `v(s_L)` was asked for.
    pub evaluated: bool,
    /// Some walk took it.
    pub tried: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub state: u32,
    pub sign: f64,
    pub edges: Vec<Edge>,
}

impl Edge {
    /// `Q(s,a) = (1 - lambda) W_v/N_v + lambda W_r/N_r`. The text does not say what 0/0 is: the
    /// half that there is, and 0, the first-play value, without any.
    pub(super) fn q(&self, lambda: f64) -> f64 {
        match (self.n_v > 0.0, self.n_r > 0.0) {
            (true, true) => (1.0 - lambda) * (self.w_v / self.n_v) + lambda * (self.w_r / self.n_r),
            (true, false) => self.w_v / self.n_v,
            (false, true) => self.w_r / self.n_r,
            (false, false) => 0.0,
        }
    }
}

impl Tree {
    pub(super) fn new(graph: &ExplicitGraph, state: u32) -> Self {
        let mut priors = Vec::new();
        graph.evaluate(state, &mut priors);
        let edges = priors.into_iter().map(|p| Edge { p, ..Edge::default() }).collect();
        Self { state, sign: sign(graph, state), edges }
    }

    /// argmax Q + u, `u = c P sqrt(sum_b N_r) / (1 + N_r)`. Ties: untried moves by prior, then the
    /// lowest move.
    pub(super) fn choose(&self, rule: Rule) -> usize {
        let sum: f64 = self.edges.iter().map(|edge| edge.n_r).sum();
        let score = |e: &Edge| e.q(rule.lambda) + rule.c * e.p * sum.sqrt() / (1.0 + e.n_r);
        let untried = (0..self.edges.len()).filter(|&a| !self.edges[a].tried);
        let first = untried.reduce(|a, b| if self.edges[b].p > self.edges[a].p { b } else { a });
        let mut best: Option<usize> = None;
        for a in 0..self.edges.len() {
            let counts = self.edges[a].tried || Some(a) == first;
            if counts && best.is_none_or(|b| score(&self.edges[a]) > score(&self.edges[b])) {
                best = Some(a);
            }
        }
        best.unwrap()
    }

    /// One simulation: z, and v if it was asked for, both the first player's.
    fn simulate(&mut self, graph: &ExplicitGraph, rule: Rule, random: u64) -> (f64, Option<f64>) {
        let a = self.choose(rule);
        let mut next = self.state;
        graph.advance(&mut next, &mut (), Move(a as u16));
        let edge = &mut self.edges[a];
        edge.tried = true;
        let (z, v) = match (&mut edge.below, graph.status(&next, &())) {
            (Some(below), _) => below.simulate(graph, rule, random),
            // A finished game: its outcome for both.
            (None, Status::Over { value, .. }) => (value, Some(value)),
            (None, Status::ToMove(_)) => {
                let v = (!edge.evaluated).then(|| value(graph, next));
                edge.evaluated = true;
                let z = sign(graph, next) * rollout(graph, &next, &(), random).0;
                if edge.n_r + 1.0 > f64::from(rule.threshold) {
                    edge.below = Some(Box::new(Self::new(graph, next)));
                }
                (z, v)
            }
        };
        edge.n_r += 1.0;
        edge.w_r += self.sign * z;
        if let Some(v) = v {
            edge.n_v += 1.0;
            edge.w_v += self.sign * v;
        }
        (z, v)
    }
}

pub(super) fn sign(graph: &ExplicitGraph, state: u32) -> f64 {
    if graph.status(&state, &()) == Status::ToMove(Player::Second) { -1.0 } else { 1.0 }
}

/// v of a position, the first player's.
pub(super) fn value(graph: &ExplicitGraph, state: u32) -> f64 {
    sign(graph, state) * graph.evaluate(state, &mut Vec::new()).value
}

#[test]
fn a_tree_search_has_the_sums_of_the_text() {
    let mut opened = 0;
    for seed in 0..400 {
        let mut dice = Dice::new(seed);
        let graph = ExplicitGraph::new(&coarse_graph(&mut dice)).unwrap();
        let rule = Rule::random(&mut dice);
        let playouts = 1 + dice.below(300) as u32;
        let params = dz_search::SearchParams { graph: false, ..rule.params() };
        let mut search = search_graph::<Exact>(&graph, params);
        run(&mut search, playouts, &Judge::of_graph());
        let mut tree = Tree::new(&graph, graph.root());
        // The first playout evaluates the root.
        for walk in 1..u64::from(playouts) {
            tree.simulate(&graph, rule, mix64(mix64(walk)));
        }
        let nodes: Vec<_> = search.root_node().into_iter().chain(search.nodes()).collect();
        let mut open = vec![(0, &tree)];
        while let Some((id, tree)) = open.pop() {
            for seen in &nodes[id].edges {
                let edge = &tree.edges[usize::from(seen.mv.0)];
                let split = seen.split.unwrap();
                let found = (split.values, split.value_sum, split.outcomes, split.outcome_sum);
                let expected = (edge.n_v, tree.sign * edge.w_v, edge.n_r, tree.sign * edge.w_r);
                assert_eq!(found, expected, "seed {seed}, {rule:?}, node {id}");
                assert_eq!(f64::from(seen.visits), edge.n_r);
                let q = tree.sign * nodes[seen.child as usize].value;
                assert!((q - edge.q(rule.lambda)).abs() < 1e-15, "seed {seed}: {q}");
                if let Some(below) = &edge.below {
                    open.push((seen.child as usize, below));
                    opened += 1;
                }
            }
            let tried = tree.edges.iter().filter(|edge| edge.tried).count();
            assert_eq!(nodes[id].edges.len(), tried, "seed {seed}, node {id}");
        }
    }
    assert!(opened > 2000, "{opened}");
}
