//! The search once more, literally: plain recursion over a map from keys to nodes, every legal move
//! with an edge from the start, and a full scan at each selection. No arena, no table, no lazy
//! rows.
//!
//! The plain formulas are written here from their papers: edge visits and recursive Q (D. J. Wu,
//! "Monte-Carlo Graph Search from First Principles"), the running average (Coulom 2006), the delta
//! sample (Czech, Korus and Kersting 2021, section 4), bounds (Winands, Bjornsson and Saito 2008),
//! UCB1 (Auer et al. 2002), UCT (Kocsis and Szepesvari 2006), PUCT (Silver et al. 2017) and AMAF
//! updates (Gelly and Silver 2007). RAVE's mixes, Gumbel scores and the regularised policy come
//! from `dz_search::formula`, whose own tests have known answers. It rounds where the core rounds.

mod bias;
mod choose;
mod evaluate;
mod formulas;
mod node;
mod score;
mod values;
mod weight;

use std::collections::{BTreeMap, BTreeSet};

use dz_game::{Key, Move, Player, mix64};
use dz_search::{
    Backup, Budget, CatchUp, Domain, Expansion, Real, Revisit, RootSetup, SearchCounts,
    SearchParams, Status, Terminals,
};

pub use bias::{Bucket, BucketName};
pub use node::{Edge, Kind, Name, Node, Pair, Rounds};

use super::Judge;
use node::{blank, zero};

/// Random numbers of the root that are taken from the core.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    pub noisy_priors: Vec<f64>,
    pub gumbel: Vec<f64>,
}

/// What a rollout counts as, and its moves.
type Rolled<R> = (Pair<R>, Vec<(Player, Move)>);

pub struct Reference<'a, D: Domain, N: Rounds> {
    pub domain: &'a D,
    pub params: SearchParams,
    pub judge: &'a Judge<D>,
    pub nodes: BTreeMap<Name, Node<N::Real>>,
    /// Names in the order in which nodes were made.
    pub made: Vec<Name>,
    pub counts: SearchCounts,
    pub position: (D::State, D::History),
    root_priors: Vec<N::Real>,
    seed: u64,
    setup: RootSetup,
    playouts: u32,
    drawn: Drawn,
    /// Sequential halving: the visits that the move of each simulation has before it.
    considered: Vec<u32>,
    /// Visits of the root's edges when the search began.
    visits_before: Vec<u32>,
    walks: u64,
    /// A dynamic one never moves while one leaf waits at a time.
    threshold: u32,
    private_keys: u64,
    sweep: usize,
    pub buckets: BTreeMap<BucketName, Bucket>,
    /// x0 of score utility.
    center: f64,
    /// The move that led to the root, if it was made here.
    root_last: Option<Move>,
    seen: BTreeSet<Key>,
    /// The path of the playout at hand: nodes and the edges taken.
    line: Vec<(Name, usize)>,
    random: u64,
    /// What the playout found at its end.
    found: Pair<N::Real>,
    /// A node without children that got one more rollout: it may have parents off the path.
    rollout_leaf: Option<Name>,
    /// Each rollout of the playout at hand: what it counts as, and its moves.
    rollouts: Vec<Rolled<N::Real>>,
}

/// What an evaluation brings: the network's value and the rollout's as far as asked, edges and
/// priors.
struct Evaluated<R> {
    judged: Option<Pair<R>>,
    margin: Option<f64>,
    error: Option<f64>,
    played: Option<Pair<R>>,
    edges: Vec<Edge<R>>,
    priors: Vec<R>,
}

impl<'a, D: Domain, N: Rounds> Reference<'a, D, N> {
    pub fn new(
        domain: &'a D,
        params: SearchParams,
        judge: &'a Judge<D>,
        position: (D::State, D::History),
    ) -> Self {
        Self {
            domain,
            params,
            judge,
            nodes: BTreeMap::new(),
            made: Vec::new(),
            counts: SearchCounts::default(),
            position,
            root_priors: Vec::new(),
            seed: 0,
            setup: RootSetup::default(),
            playouts: 0,
            drawn: Drawn::default(),
            considered: Vec::new(),
            visits_before: Vec::new(),
            walks: 0,
            threshold: match params.expansion {
                Expansion::FirstVisit => 0,
                Expansion::Threshold(visits) => visits,
                Expansion::Dynamic { start, .. } => start.max(1),
            },
            private_keys: 0,
            sweep: 0,
            buckets: BTreeMap::new(),
            center: 0.0,
            root_last: None,
            seen: BTreeSet::new(),
            line: Vec::new(),
            random: 0,
            found: zero(),
            rollout_leaf: None,
            rollouts: Vec::new(),
        }
    }

    pub fn run(&mut self, budget: Budget, seed: u64, setup: RootSetup, drawn: Drawn) {
        let Budget::Playouts(playouts) = budget else { panic!("the reference counts playouts") };
        (self.seed, self.setup, self.drawn, self.playouts) = (seed, setup, drawn, playouts);
        self.counts = SearchCounts::default();
        self.walks = 0;
        if self.nodes.contains_key(&None) {
            self.expect_again();
            self.set_up_root();
        }
        while !self.is_decided() {
            self.playout();
        }
    }

    fn is_decided(&self) -> bool {
        let Some(root) = self.nodes.get(&None) else {
            let (state, history) = &self.position;
            return matches!(self.domain.status(state, history), Status::Over { .. });
        };
        (self.params.prove && root.lower >= root.upper)
            || self.counts.playouts >= u64::from(self.playouts)
    }

    fn playout(&mut self) {
        self.random = mix64(self.seed ^ mix64(self.walks));
        self.walks += 1;
        self.line.clear();
        self.rollouts.clear();
        self.rollout_leaf = None;
        let (state, history) = self.position.clone();
        self.counts.playouts += 1;
        if self.nodes.contains_key(&None) {
            self.descend(None, state, history);
            self.recompute_stale();
        } else {
            self.evaluate_root(&state, &history);
        }
        self.update_amaf();
    }

    /// One step of a playout from node `name`; answers the sample that goes on up.
    fn descend(
        &mut self,
        name: Name,
        mut state: D::State,
        mut history: D::History,
    ) -> Pair<N::Real> {
        let i = self.choose(name);
        let bucket = self.bucket_after(name, i, &state);
        self.domain.advance(&mut state, &mut history, Move(self.nodes[&name].edges[i].mv));
        if self.nodes[&name].edges[i].visits == 0 {
            let node = self.node_mut(name);
            let at = node.row.iter().position(|&other| other == i).unwrap();
            node.row.swap(at, node.visited);
            node.visited += 1;
            node.head_ready = false;
        }
        self.line.push((name, i));
        let sample = self.visit_child(name, i, bucket, state, history);
        self.node_mut(name).edges[i].visits += self.params.leaf_rollouts;
        let sample = match self.params.backup {
            Backup::Idempotent => {
                self.recompute(name);
                sample
            }
            Backup::Incremental => {
                self.average_in(name, sample);
                sample
            }
            Backup::Delta { clamp, .. } => {
                let sample = self.corrected(name, i, sample, clamp);
                self.average_in(name, sample);
                self.node_mut(name).square = self.square(name);
                sample
            }
        };
        if self.params.prove && self.params.backup != Backup::Idempotent {
            self.prove(name);
        }
        sample
    }

    /// What a playout finds behind an edge.
    fn visit_child(
        &mut self,
        name: Name,
        i: usize,
        bucket: Option<BucketName>,
        state: D::State,
        history: D::History,
    ) -> Pair<N::Real> {
        let edge = &self.nodes[&name].edges[i];
        let (edge_visits, edge_average) = (edge.visits, edge.average);
        let mut is_made = false;
        let child = if let Some(child) = edge.child {
            child
        } else {
            let key = self.key_of(&state, &history);
            let child = Some(key);
            if self.nodes.contains_key(&child) {
                self.counts.transpositions += 1;
            } else if let Status::Over { value, draw } = self.domain.status(&state, &history) {
                let own = Pair { value: N::Real::from_f64(value), draw: N::Real::from_f64(draw) };
                self.add(child, blank(key, Kind::Terminal, N::Real::ONE, own));
                self.note_end(child, &state, &history);
                is_made = true;
            } else {
                let sample = self.evaluate_new(key, &state, &history);
                self.join(child, bucket);
                self.attach(name, i, child);
                return self.ends(sample);
            }
            self.attach(name, i, child);
            child
        };
        let node = &self.nodes[&child];
        let (average, visits, kind) = (node.average, node.visits, node.kind);
        let ahead = visits > edge_visits;
        let stops = match self.params.catch_up {
            CatchUp::Continue => false,
            CatchUp::Stop => ahead,
            CatchUp::Leak(leak) => ahead && self.share(0x1ea4) >= leak,
            CatchUp::Margin(by) => u64::from(visits) > u64::from(edge_visits) + u64::from(by),
        };
        let differs = match self.params.backup {
            Backup::Delta { tolerance, .. } => {
                let distance = (edge_average - average.value).abs();
                edge_visits > 0 && ahead && distance > N::Real::from_f64(tolerance)
            }
            _ => false,
        };
        if kind == Kind::Unexpanded && !stops && !differs {
            let sample = self.evaluate_again(child, &state, &history);
            self.rollout_leaf = Some(child);
            return self.ends(sample);
        }
        if kind == Kind::Terminal {
            self.counts.terminals += 1;
            if self.params.terminals == Terminals::Counted {
                // It was made with one visit, which is one of these.
                self.visit_terminal(child, self.params.leaf_rollouts - u32::from(is_made));
            }
            return self.ends(average);
        }
        if self.params.prove && node.lower >= node.upper {
            self.counts.terminals += 1;
            return self.ends(average);
        }
        if !self.domain.acyclic() && self.line.iter().any(|(on_path, _)| *on_path == child) {
            self.counts.cycle_ends += 1;
            if self.params.revisit == Revisit::Draw {
                let weight = self.params.leaf_rollouts;
                self.node_mut(name).edges[i].cycle_draws += weight;
                return self.ends(Pair { value: N::Real::ZERO, draw: N::Real::ONE });
            }
            return self.ends(average);
        }
        if stops || differs {
            self.counts.cut += 1;
            return self.ends(average);
        }
        self.descend(child, state, history)
    }

    fn visit_terminal(&mut self, name: Name, visits: u32) {
        let node = self.node_mut(name);
        node.visits += visits;
        node.own_visits += visits;
    }

    fn ends(&mut self, sample: Pair<N::Real>) -> Pair<N::Real> {
        self.found = sample;
        sample
    }

    fn node_mut(&mut self, name: Name) -> &mut Node<N::Real> {
        self.nodes.get_mut(&name).unwrap()
    }

    /// The node that an edge leads to.
    fn child(&self, edge: &Edge<N::Real>) -> &Node<N::Real> {
        &self.nodes[&edge.child.unwrap()]
    }

    fn key_of(&mut self, state: &D::State, history: &D::History) -> Key {
        if self.params.graph {
            return self.domain.node_key(state, history);
        }
        self.private_keys += 1;
        Key { high: 0, low: self.private_keys }
    }

    fn add(&mut self, name: Name, node: Node<N::Real>) {
        assert!(self.nodes.insert(name, node).is_none(), "a node is made once");
        self.made.push(name);
    }

    fn attach(&mut self, name: Name, i: usize, child: Name) {
        let average = self.nodes[&child].average;
        self.node_mut(child).parents.push(name);
        let edge = &mut self.node_mut(name).edges[i];
        edge.child = Some(child);
        (edge.average, edge.average_draw) = (average.value, average.draw);
    }

    /// A number in [0, 1) of this playout, its depth and `salt`.
    fn share(&self, salt: u64) -> f64 {
        let word = mix64(self.random ^ mix64(salt ^ ((self.line.len() as u64) << 20)));
        (word >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Reuse between moves.
impl<D: Domain, N: Rounds> Reference<'_, D, N> {
    pub fn advance(&mut self, mv: Move, keep: bool) {
        let (state, history) = &mut self.position;
        self.domain.advance(state, history, mv);
        self.sweep = 0;
        self.root_last = Some(mv);
        let edge = self.nodes[&None].edges.iter().find(|edge| edge.mv == mv.0).unwrap();
        let child = edge.child.filter(|child| keep && self.nodes[child].kind == Kind::Expanded);
        let Some(child) = child else {
            self.nodes.clear();
            self.made.clear();
            self.buckets.clear();
            return;
        };
        let mut root = self.nodes[&child].clone();
        root.bucket = None;
        (root.weight, root.error, root.correction) = Default::default();
        let least = N::Real::from_f64(N::PRIOR_MIN);
        self.root_priors = root.edges.iter().map(|edge| edge.prior.max(least)).collect();
        self.nodes.insert(None, root);
        let mut kept = BTreeSet::new();
        self.reach(None, &mut kept);
        self.leave_behind(&kept);
        self.nodes.retain(|name, _| kept.contains(name));
        self.made.retain(|name| name.is_some() && kept.contains(name));
        self.made.insert(0, None);
        self.sum_up();
        for node in self.nodes.values_mut() {
            node.parents.clear();
        }
        for name in self.made.clone() {
            let node = &self.nodes[&name];
            let row = node.row[..node.visited].iter();
            let children: Vec<Name> = row.map(|&i| node.edges[i].child.unwrap()).collect();
            for child in children {
                self.node_mut(child).parents.push(name);
            }
        }
    }

    fn reach(&self, name: Name, kept: &mut BTreeSet<Name>) {
        if kept.insert(name) {
            for child in self.nodes[&name].edges.iter().filter_map(|edge| edge.child) {
                self.reach(child, kept);
            }
        }
    }
}
