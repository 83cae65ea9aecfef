//! The search once more, literally: plain recursion over a map from positions to nodes, every legal
//! move with an edge from the start, a full scan at each selection, and no arena, table or reuse.
//! It rounds where the core rounds: values and sums in f32, priors below the root to 16 bits.

use std::collections::BTreeMap;

use dz_game::{Game, Move, Player, Status};
use dz_search::{CatchUp, Fpu, SearchParams, Selection};

use super::Judge;

/// A node's key in a graph, the moves that lead to it in a tree.
type Name = Vec<u64>;

#[derive(Debug)]
pub struct Edge {
    pub mv: u16,
    pub prior: f32,
    pub visits: u32,
    pub child: Option<Name>,
}

#[derive(Debug)]
pub struct RefNode {
    /// U, the first player's.
    own: f32,
    /// Q, the first player's.
    pub value: f32,
    own_draw: f32,
    pub draw: f32,
    pub visits: u32,
    terminal: bool,
    pub sign: f32,
    /// In order of falling prior, then of rising move; the root's in the order of moves.
    pub edges: Vec<Edge>,
}

pub struct Reference<'a, G: Game> {
    pub game: &'a G,
    pub params: SearchParams,
    pub judge: Judge,
    pub nodes: BTreeMap<Name, RefNode>,
    pub root: Option<RefNode>,
    pub cycle_ends: u64,
    pub cut: u64,
}

impl<G: Game> Reference<'_, G> {
    pub fn playout(&mut self, state: &G::State, history: &G::History) {
        let Some(mut root) = self.root.take() else {
            let mut root = self.evaluate(state, history, |prior| prior);
            root.edges.sort_by_key(|edge| edge.mv);
            self.root = Some(root);
            return;
        };
        let place = self.select(&root);
        let mut path = Vec::new();
        let (mut state, mut history) = (state.clone(), history.clone());
        let edge = &mut root.edges[place];
        self.game.advance(&mut state, &mut history, Move(edge.mv));
        let name = self.name(&state, &history, &[edge.mv]);
        let mut line = vec![edge.mv];
        self.walk(&name, &state, &history, edge.visits, &mut path, &mut line);
        edge.child = Some(name);
        edge.visits += 1;
        self.refresh(&mut root);
        self.root = Some(root);
    }

    /// One step of a playout: into node `name`, reached by an edge with so many visits.
    fn walk(
        &mut self,
        name: &Name,
        state: &G::State,
        history: &G::History,
        edge_visits: u32,
        path: &mut Vec<Name>,
        line: &mut Vec<u16>,
    ) {
        if !self.nodes.contains_key(name) {
            let round = |prior: f32| (prior * 65535.0).round() * (1.0 / 65535.0);
            let node = self.evaluate(state, history, round);
            self.nodes.insert(name.clone(), node);
            return;
        }
        let node = &self.nodes[name];
        if node.terminal {
            return;
        }
        if path.contains(name) {
            self.cycle_ends += 1;
            return;
        }
        if self.params.catch_up == CatchUp::Stop && node.visits > edge_visits {
            self.cut += 1;
            return;
        }
        let place = self.select(node);
        let (mv, visits) = (node.edges[place].mv, node.edges[place].visits);
        let (mut state, mut history) = (state.clone(), history.clone());
        self.game.advance(&mut state, &mut history, Move(mv));
        line.push(mv);
        path.push(name.clone());
        let child = self.name(&state, &history, line);
        self.walk(&child, &state, &history, visits, path, line);
        let mut node = self.nodes.remove(name).expect("walked through");
        node.edges[place].child = Some(child);
        node.edges[place].visits += 1;
        // A node can be its own child's child; the map must hold it while values are read.
        self.nodes.insert(name.clone(), node);
        self.refresh_named(name);
    }

    fn name(&self, state: &G::State, history: &G::History, line: &[u16]) -> Name {
        if self.params.graph {
            let key = self.game.node_key(state, history);
            return vec![key.high, key.low];
        }
        line.iter().map(|&mv| u64::from(mv)).collect()
    }

    fn evaluate(
        &self,
        state: &G::State,
        history: &G::History,
        round: impl Fn(f32) -> f32,
    ) -> RefNode {
        let blank = |value: f32, draw: f32, sign: f32| RefNode {
            own: value,
            value,
            own_draw: draw,
            draw,
            visits: 1,
            terminal: false,
            sign,
            edges: Vec::new(),
        };
        match self.game.status(state, history) {
            Status::Over(outcome) => {
                let wdl = outcome.wdl_for(Player::First);
                RefNode { terminal: true, ..blank(wdl.value(), wdl.draw, 1.0) }
            }
            Status::ToMove(player) => {
                let mut legal = Vec::new();
                self.game.legal_moves(state, history, &mut legal);
                let (wdl, priors) = (self.judge)(self.game.eval_key(state, history), &legal);
                let sign = if player == Player::First { 1.0 } else { -1.0 };
                let mut node = blank(sign * wdl.value(), wdl.draw, sign);
                node.edges = legal
                    .iter()
                    .zip(priors)
                    .map(|(mv, p)| Edge { mv: mv.0, prior: round(p), visits: 0, child: None })
                    .collect();
                node.edges.sort_by(|a, b| b.prior.total_cmp(&a.prior).then(a.mv.cmp(&b.mv)));
                node
            }
        }
    }

    /// The best score; ties go to the lowest move. Of the unvisited moves only the one with the largest
    /// prior is looked at.
    fn select(&self, node: &RefNode) -> usize {
        let sum: u32 = node.edges.iter().map(|e| e.visits).sum();
        let mass: f32 = node.edges.iter().filter(|e| e.visits > 0).map(|e| e.prior).sum();
        let own = node.sign * node.value;
        let fresh = match self.params.fpu {
            Fpu::Absolute(value) => value,
            Fpu::Reduction(less) => own - less * mass.sqrt(),
        };
        let score = |edge: &Edge| {
            let child = edge.child.as_ref().filter(|_| edge.visits > 0);
            let q = child.map(|name| node.sign * self.nodes[name].value);
            match self.params.selection {
                Selection::Puct { c_puct } => {
                    let root = c_puct * (sum as f32 + 0.01).sqrt();
                    q.unwrap_or(fresh) + root * edge.prior / (1.0 + edge.visits as f32)
                }
                Selection::Uct { c } => q.map_or(f32::INFINITY, |q| {
                    q + c * ((sum as f32).max(1.0).ln() / edge.visits as f32).sqrt()
                }),
            }
        };
        let better = |a: &Edge, b: &Edge| a.prior > b.prior || (a.prior == b.prior && a.mv < b.mv);
        let is_next = |edge: &Edge| {
            edge.visits == 0 && !node.edges.iter().any(|e| e.visits == 0 && better(e, edge))
        };
        let candidates = node.edges.iter().enumerate().filter(|(_, e)| e.visits > 0 || is_next(e));
        let by_score = |a: &Edge, b: &Edge| {
            let scores = score(a).partial_cmp(&score(b)).expect("scores are numbers");
            scores.then(b.mv.cmp(&a.mv))
        };
        let best = candidates.max_by(|(_, a), (_, b)| by_score(a, b));
        best.expect("a node that is not over has moves").0
    }

    fn refresh_named(&mut self, name: &Name) {
        let (visits, value, draw) = self.recomputed(&self.nodes[name]);
        let node = self.nodes.get_mut(name).expect("it was just read");
        (node.visits, node.value, node.draw) = (visits, value, draw);
    }

    fn refresh(&self, node: &mut RefNode) {
        (node.visits, node.value, node.draw) = self.recomputed(node);
    }

    fn recomputed(&self, node: &RefNode) -> (u32, f32, f32) {
        let (mut visits, mut value, mut draw) = (1, node.own, node.own_draw);
        for edge in node.edges.iter().filter(|edge| edge.visits > 0) {
            let child = &self.nodes[edge.child.as_ref().expect("visited")];
            visits += edge.visits;
            value += edge.visits as f32 * child.value;
            draw += edge.visits as f32 * child.draw;
        }
        let share = 1.0 / visits as f32;
        (visits, value * share, draw * share)
    }
}
