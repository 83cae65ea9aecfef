//! Two ways to search a graph that are wrong, for the oracles to catch (D. J. Wu, "Monte-Carlo
//! Graph Search from First Principles", "Doing it wrong"). They live here only.

use std::collections::BTreeMap;

use dz_game::Move;
use dz_search::{Domain, ExplicitGraph, Status};

/// What is done wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Tree search on shared nodes: PUCT with the child's visits, running averages of playouts.
    ChildVisits,
    /// Edge visits in PUCT, but each playout is averaged into all ancestors of its nodes.
    AllParents,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub visits: f64,
    pub value: f64,
    sign: f64,
    priors: Vec<f64>,
    edges: Vec<f64>,
}

pub struct Unsound<'a> {
    graph: &'a ExplicitGraph,
    mistake: Mistake,
    c: f64,
    pub nodes: BTreeMap<u32, Node>,
}

impl<'a> Unsound<'a> {
    /// So many playouts from the root, by PUCT with first-play value 0; ties go to the lowest move.
    pub fn run(graph: &'a ExplicitGraph, mistake: Mistake, c: f64, playouts: u32) -> Self {
        let mut this = Self { graph, mistake, c, nodes: BTreeMap::new() };
        for _ in 0..playouts {
            let mut path = Vec::new();
            let value = this.walk(graph.root(), &mut path);
            let counted = if mistake == Mistake::AllParents { this.ancestors(&path) } else { path };
            for state in counted {
                let node = this.nodes.get_mut(&state).unwrap();
                node.visits += 1.0;
                node.value += (value - node.value) / node.visits;
            }
        }
        this
    }

    fn walk(&mut self, state: u32, path: &mut Vec<u32>) -> f64 {
        path.push(state);
        let Some(node) = self.nodes.get(&state) else {
            let node = self.evaluate(state);
            let value = node.value;
            self.nodes.insert(state, Node { visits: 0.0, ..node });
            return value;
        };
        if node.edges.is_empty() {
            return node.value;
        }
        let counts: Vec<f64> = (0..node.edges.len()).map(|i| self.count(node, state, i)).collect();
        let root = (counts.iter().sum::<f64>() + 0.01).sqrt();
        let score = |i: usize| {
            let tried = node.edges[i] > 0.0;
            let q = if tried { node.sign * self.nodes[&self.child(state, i)].value } else { 0.0 };
            q + self.c * node.priors[i] * root / (1.0 + counts[i])
        };
        let mut best = 0;
        for i in 1..counts.len() {
            if score(i) > score(best) {
                best = i;
            }
        }
        let value = self.walk(self.child(state, best), path);
        self.nodes.get_mut(&state).unwrap().edges[best] += 1.0;
        value
    }

    fn count(&self, node: &Node, state: u32, i: usize) -> f64 {
        if self.mistake == Mistake::AllParents || node.edges[i] == 0.0 {
            return node.edges[i];
        }
        self.nodes[&self.child(state, i)].visits
    }

    fn child(&self, mut state: u32, i: usize) -> u32 {
        self.graph.advance(&mut state, &mut (), Move(i as u16));
        state
    }

    fn evaluate(&self, state: u32) -> Node {
        match self.graph.status(&state, &()) {
            Status::Over { value, .. } => {
                Node { visits: 0.0, value, sign: 1.0, priors: Vec::new(), edges: Vec::new() }
            }
            Status::ToMove(player) => {
                let sign = if player == dz_game::Player::First { 1.0 } else { -1.0 };
                let mut priors = Vec::new();
                let value = sign * self.graph.evaluate(state, &mut priors).value;
                let edges = vec![0.0; priors.len()];
                Node { visits: 0.0, value, sign, priors, edges }
            }
        }
    }

    /// The path and all nodes from which tried moves lead there.
    fn ancestors(&self, path: &[u32]) -> Vec<u32> {
        let mut found = path.to_vec();
        let mut at = 0;
        while at < found.len() {
            for (&state, node) in &self.nodes {
                let leads = |i: usize| node.edges[i] > 0.0 && self.child(state, i) == found[at];
                if !found.contains(&state) && (0..node.edges.len()).any(leads) {
                    found.push(state);
                }
            }
            at += 1;
        }
        found
    }
}
