//! UCT-RAVE of MoGo as its text prints it: whole episodes enter the table, moves come from the
//! policy of rollouts while some were never tried, and n, m and Q start at learned values.
//!
//! The reference is the text's algorithm over plain maps from state and action. It shares no code
//! with the crate but the domain. Both ask one policy in the same order, so all samples are the
//! same.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dz_game::{Move, Player, mix64};
use dz_search::{
    Backup, Budget, Domain, Exact, ExplicitGraph, Gathered, Grow, LeafValue, NetworkAnswer,
    OfflineKnowledge, Rave, RaveSchedule, RootSetup, Search, SearchParams, Selection, Status,
    Terminals, Untried, ValuePov,
};

use crate::proof::graphs::{graph, inner, terminal};
use crate::proof::{Dice, search_of};

/// Samples by the state and by how often it was asked.
#[derive(Debug, Default)]
struct Policy {
    asked: AtomicU64,
}

impl Policy {
    fn sample(&self, state: u32, legal: &[Move]) -> Move {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        legal[(mix64(u64::from(state) ^ mix64(asked)) % legal.len() as u64) as usize]
    }
}

/// What `Q_RLGO` says of a move, for its player.
fn heuristic(state: u32, mv: Move) -> f64 {
    (mix64(u64::from(state) << 16 | u64::from(mv.0)) % 1000) as f64 / 500.0 - 1.0
}

fn legal(graph: &ExplicitGraph, state: u32) -> Vec<Move> {
    let mut legal = Vec::new();
    graph.legal_moves(&state, &(), &mut legal);
    legal
}

impl OfflineKnowledge<ExplicitGraph> for Policy {
    fn rollout_move(
        &self,
        graph: &ExplicitGraph,
        state: &u32,
        (): &(),
        _: Option<Move>,
        _: u64,
    ) -> Option<Move> {
        Some(self.sample(*state, &legal(graph, *state)))
    }

    fn heuristics(
        &self,
        _: &ExplicitGraph,
        state: &u32,
        (): &(),
        legal: &[Move],
        values: &mut Vec<f64>,
    ) {
        values.clear();
        values.extend(legal.iter().map(|&mv| heuristic(*state, mv)));
    }
}

/// n, Q, m and `Q_RAVE` of a state and an action, for the player who acts.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    tried: bool,
    n: f64,
    q: f64,
    m: f64,
    q_rave: f64,
}

/// The text's Algorithm 2.
struct Table<'a> {
    graph: &'a ExplicitGraph,
    policy: &'a Policy,
    /// n(s,a) := m(s,a) := 50.
    start: u32,
    k: f64,
    c: f64,
    cells: BTreeMap<(u32, Move), Cell>,
}

impl Table<'_> {
    fn row(&mut self, state: u32) -> Vec<(Move, Cell)> {
        let n = f64::from(self.start);
        let legal = legal(self.graph, state);
        let cell = |mv: Move| {
            let q = heuristic(state, mv);
            Cell { tried: false, n, q, m: n, q_rave: q }
        };
        legal.iter().map(|&mv| (mv, *self.cells.entry((state, mv)).or_insert(cell(mv)))).collect()
    }

    /// Line 7.
    fn act(&mut self, state: u32) -> Move {
        let row = self.row(state);
        if row.iter().any(|(_, cell)| !cell.tried) {
            let moves: Vec<Move> = row.iter().map(|(mv, _)| *mv).collect();
            return self.policy.sample(state, &moves);
        }
        let n: f64 = row.iter().map(|(_, cell)| cell.n).sum();
        let m: f64 = row.iter().map(|(_, cell)| cell.m).sum();
        let beta = (self.k / (3.0 * n + self.k)).sqrt();
        let score = |cell: &Cell| {
            let uct = cell.q + self.c * (n.ln() / cell.n).sqrt();
            let rave = cell.q_rave + self.c * (m.ln() / cell.m).sqrt();
            (1.0 - beta) * uct + beta * rave
        };
        let mut best = row[0];
        for (mv, cell) in row {
            if score(&cell) > score(&best.1) {
                best = (mv, cell);
            }
        }
        best.0
    }

    /// One episode and its updates.
    fn simulate(&mut self) {
        let mut state = self.graph.root();
        let mut steps: Vec<(u32, Move, Player)> = Vec::new();
        let value = loop {
            match self.graph.status(&state, &()) {
                Status::Over { value, .. } => break value,
                Status::ToMove(player) => {
                    let mv = self.act(state);
                    steps.push((state, mv, player));
                    self.graph.advance(&mut state, &mut (), mv);
                }
            }
        };
        for (t, &(state, mv, player)) in steps.iter().enumerate() {
            let reward = if player == Player::First { value } else { -value };
            let cell = self.cells.get_mut(&(state, mv)).unwrap();
            cell.tried = true;
            cell.n += 1.0;
            cell.q += (reward - cell.q) / cell.n;
            let mut counted = Vec::new();
            for &(_, later, by) in &steps[t..] {
                if by == player && !counted.contains(&later) {
                    counted.push(later);
                    if let Some(cell) = self.cells.get_mut(&(state, later)) {
                        cell.m += 1.0;
                        cell.q_rave += (reward - cell.q_rave) / cell.m;
                    }
                }
            }
        }
    }
}

fn params(start: u32, backup: Backup) -> SearchParams {
    SearchParams {
        // Each path has a state of its own: the text's table has no transpositions either, since
        // its Q(s, a) are means of the episodes through (s, a).
        graph: false,
        selection: Selection::Rave(Rave {
            c: 0.5,
            schedule: RaveSchedule::Equivalence { k: 30.0 },
        }),
        equivalent_visits: start,
        backup,
        leaf_value: LeafValue::Rollout,
        untried: Untried::Rollout,
        grow: Grow::Episode,
        terminals: Terminals::Fixed,
        ..SearchParams::default()
    }
}

fn search(
    graph: &ExplicitGraph,
    params: SearchParams,
    policy: &Arc<Policy>,
    playouts: u32,
) -> Search<ExplicitGraph, Exact> {
    let mut search: Search<_, Exact> = search_of(graph, params, &(graph.root(), ()));
    search.set_knowledge(policy.clone());
    search.start(Budget::Playouts(playouts), 1, RootSetup::default());
    while let Gathered::Need(id) = search.gather() {
        let leaf = search.leaf(id).unwrap();
        let mut state = *leaf.state;
        let legal_moves = leaf.legal.to_vec();
        let wants = leaf.wants;
        let mut moves = Vec::new();
        let mut mover = None;
        let value = loop {
            match graph.status(&state, &()) {
                Status::Over { value, .. } => break value,
                Status::ToMove(player) => {
                    mover.get_or_insert(player);
                    let mv = policy.sample(state, &legal(graph, state));
                    moves.push((player, mv));
                    graph.advance(&mut state, &mut (), mv);
                }
            }
        };
        let value = if mover == Some(Player::First) { value } else { -value };
        if wants.network {
            let heuristics: Vec<f64> = {
                let state = *search.leaf(id).unwrap().state;
                legal_moves.iter().map(|&mv| heuristic(state, mv)).collect()
            };
            let priors = vec![1.0 / legal_moves.len() as f64; legal_moves.len()];
            let estimate = ValuePov { value: 0.7, draw: 0.0 };
            let answer =
                NetworkAnswer { heuristics: &heuristics, ..NetworkAnswer::new(estimate, &priors) };
            search.apply_network(id, &answer);
        }
        search.apply_rollout(id, ValuePov { value, draw: 0.0 }, &moves);
    }
    search
}

/// A tree of positions, so that states and paths are the same.
fn tree(seed: u64) -> ExplicitGraph {
    let mut dice = Dice::new(seed);
    let mut nodes = Vec::new();
    let mut frontier = vec![(0, 0)];
    let mut next_id = 1;
    while let Some((id, depth)) = frontier.pop() {
        if depth == 6 || (depth > 2 && dice.chance(0.3)) {
            nodes.push(terminal(id, dice.pick(&[-1.0, 1.0, 0.0])));
            continue;
        }
        let children: Vec<i64> = (0..=dice.below(4) as i64).map(|i| next_id + i).collect();
        next_id += children.len() as i64;
        frontier.extend(children.iter().map(|&child| (child, depth + 1)));
        let to_move = if depth % 2 == 0 { 1 } else { -1 };
        nodes.push(inner(id, to_move, 0.0, &children));
    }
    graph(0, nodes)
}

#[test]
fn the_table_is_that_of_the_text() {
    for seed in 0..40 {
        for (start, backup) in
            [(50, Backup::Idempotent), (50, Backup::Incremental), (3, Backup::Idempotent)]
        {
            check(&tree(seed), start, backup, 200);
        }
    }
}

fn check(graph: &ExplicitGraph, start: u32, backup: Backup, playouts: u32) {
    let policy = Arc::new(Policy::default());
    let search = search(graph, params(start, backup), &policy, playouts);
    let policy = Policy::default();
    let (k, c) = (30.0, 0.5);
    let mut table = Table { graph, policy: &policy, start, k, c, cells: BTreeMap::new() };
    for _ in 0..playouts {
        table.simulate();
    }
    let summary = search.summary();
    assert_eq!(summary.visits, playouts);
    for (mv, cell) in table.row(graph.root()) {
        let found = summary.moves.iter().find(|m| m.mv == mv).unwrap();
        assert_eq!(f64::from(found.visits) + f64::from(start), cell.n, "n of {mv:?}");
        let own = (cell.q * cell.n - heuristic(graph.root(), mv) * f64::from(start))
            / f64::from(found.visits).max(1.0);
        assert!((found.q.unwrap_or(0.0) - own).abs() < 1e-9, "Q of {mv:?}");
        let as_first = (cell.q_rave * cell.m - heuristic(graph.root(), mv) * f64::from(start))
            / (cell.m - f64::from(start)).max(1.0);
        assert!((found.amaf.unwrap_or(0.0) - as_first).abs() < 1e-9, "Q_RAVE of {mv:?}");
    }
    let tried = table.cells.values().filter(|cell| cell.tried).count();
    assert_eq!(search.node_count(), tried, "each action that was tried leads to a node");
}
