//! The search once more, literally: plain recursion over a map from keys to nodes, every legal move
//! with an edge from the start, and a full scan at each selection. No arena, no table, no lazy rows.
//!
//! The plain formulas are written here from their papers: edge visits and recursive Q (D. J. Wu,
//! "Monte-Carlo Graph Search from First Principles"), the running average (Coulom 2006), the delta
//! sample (Czech, Korus and Kersting 2021, section 4), bounds (Winands, Bjornsson and Saito 2008), UCB1
//! (Auer et al. 2002), UCT (Kocsis and Szepesvari 2006), PUCT (Silver et al. 2017) and AMAF updates
//! (Gelly and Silver 2007). RAVE's mixes, Gumbel scores and the regularised policy come from
//! `dz_search::formula`, whose own tests have known answers. It rounds where the core rounds.

use std::collections::{BTreeMap, BTreeSet};

use dz_game::{Key, Move, Player, mix64};
use dz_search::{
    Backup, Budget, CatchUp, Compact, Domain, EpsilonSchedule, Exact, Expansion, FirstPlay, Gumbel,
    GumbelInner, LeafValue, Numbers, Puct, Rave, RaveSchedule, Real, Revisit, RootSetup,
    SearchCounts, SearchParams, Selection, Staleness, Stand, Terminals, TieBreak,
    formula::{self, Amaf, Child, GumbelParams, MixedWeight, ParentValues, RaveSums},
};

use super::{Judge, rollout};

/// Numbers whose priors can be rounded as the core stores them.
pub trait Rounds: Numbers {
    fn stored(prior: Self::Real) -> Self::Real;
}

impl Rounds for Exact {
    fn stored(prior: f64) -> f64 {
        prior
    }
}

impl Rounds for Compact {
    fn stored(prior: f32) -> f32 {
        (prior.clamp(0.0, 1.0) * 65535.0).round_ties_even() * (1.0 / 65535.0)
    }
}

/// A node's name: its key, or none for the root, which is a private copy.
pub type Name = Option<Key>;

/// Value and draw share, the first player's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<R> {
    pub value: R,
    pub draw: R,
}

impl<R: Real> Pair<R> {
    fn plus(self, weight: R, other: Self) -> Self {
        Self { value: self.value + weight * other.value, draw: self.draw + weight * other.draw }
    }

    fn towards(self, sample: Self, count: R) -> Self {
        Self {
            value: self.value + (sample.value - self.value) / count,
            draw: self.draw + (sample.draw - self.draw) / count,
        }
    }
}

/// A legal move.
#[derive(Clone, Debug)]
pub struct Edge<R> {
    pub mv: u16,
    pub prior: R,
    pub visits: u32,
    pub child: Option<Name>,
    /// `Q_e` of delta backup.
    pub average: R,
    average_draw: R,
    cycle_draws: u32,
    amaf: R,
    amaf_visits: u32,
    heuristic: R,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Expanded,
    Unexpanded,
    Terminal,
}

#[derive(Clone, Debug)]
pub struct Node<R> {
    pub key: Key,
    pub kind: Kind,
    pub sign: R,
    pub own: Pair<R>,
    pub average: Pair<R>,
    pub visits: u32,
    pub own_visits: u32,
    pub square: R,
    pub lower: R,
    pub upper: R,
    /// By ascending move.
    pub edges: Vec<Edge<R>>,
    /// Places in `edges`: the visited ones in the order of their first visits, then the others. Sums of
    /// floats and draws among shares go in this order.
    pub row: Vec<usize>,
    pub visited: usize,
    head_ready: bool,
    /// The epsilon trick: visits for which the choice holds, and the choice.
    held: (u32, usize),
    parents: Vec<Name>,
}

/// Random numbers of the root that are taken from the core.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    pub noisy_priors: Vec<f64>,
    pub gumbel: Vec<f64>,
}

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
    walks: u64,
    threshold: u32,
    private_keys: u64,
    sweep: usize,
    seen: BTreeSet<Key>,
    /// The path of the playout at hand: nodes and the edges taken.
    line: Vec<(Name, usize)>,
    random: u64,
    /// What the playout found at its end.
    found: Pair<N::Real>,
    /// A node without children that got one more rollout: it may have parents off the path.
    rollout_leaf: Option<Name>,
    rollout_moves: Vec<(Player, Move)>,
}

/// What an evaluation brings: the network's value and the rollout's as far as asked, edges and priors.
struct Evaluated<R> {
    judged: Option<Pair<R>>,
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
            walks: 0,
            threshold: match params.expansion {
                Expansion::FirstVisit => 0,
                Expansion::Threshold(visits) => visits,
                Expansion::Dynamic { start, .. } => start.max(1),
            },
            private_keys: 0,
            sweep: 0,
            seen: BTreeSet::new(),
            line: Vec::new(),
            random: 0,
            found: zero(),
            rollout_leaf: None,
            rollout_moves: Vec::new(),
        }
    }

    pub fn run(&mut self, budget: Budget, seed: u64, setup: RootSetup, drawn: Drawn) {
        let Budget::Playouts(playouts) = budget else { panic!("the reference counts playouts") };
        (self.seed, self.setup, self.drawn, self.playouts) = (seed, setup, drawn, playouts);
        self.counts = SearchCounts::default();
        self.walks = 0;
        if self.nodes.contains_key(&None) {
            self.set_up_root();
        }
        while !self.is_decided() {
            self.playout();
        }
    }

    fn is_decided(&self) -> bool {
        let Some(root) = self.nodes.get(&None) else {
            let (state, history) = &self.position;
            return matches!(self.domain.stand(state, history), Stand::Over { .. });
        };
        (self.params.prove && root.lower >= root.upper)
            || self.counts.playouts >= u64::from(self.playouts)
    }

    fn playout(&mut self) {
        self.random = mix64(self.seed ^ mix64(self.walks));
        self.walks += 1;
        self.line.clear();
        self.rollout_moves.clear();
        self.rollout_leaf = None;
        let (state, history) = self.position.clone();
        self.counts.playouts += 1;
        if self.nodes.contains_key(&None) {
            self.descend(None, state, history);
            self.freshen();
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
        self.domain.advance(&mut state, &mut history, Move(self.nodes[&name].edges[i].mv));
        if self.nodes[&name].edges[i].visits == 0 {
            let node = self.node_mut(name);
            let at = node.row.iter().position(|&other| other == i).unwrap();
            node.row.swap(at, node.visited);
            node.visited += 1;
            node.head_ready = false;
        }
        self.line.push((name, i));
        let sample = self.visit_child(name, i, state, history);
        self.node_mut(name).edges[i].visits += 1;
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
            } else if let Stand::Over { value, draw } = self.domain.stand(&state, &history) {
                let own = Pair { value: N::Real::of(value), draw: N::Real::of(draw) };
                self.add(child, blank(key, Kind::Terminal, N::Real::ONE, own));
                is_made = true;
            } else {
                let sample = self.evaluate_new(key, &state, &history);
                self.attach(name, i, child);
                return self.ends(sample);
            }
            self.attach(name, i, child);
            child
        };
        let node = &self.nodes[&child];
        let (average, visits, kind) = (node.average, node.visits, node.kind);
        if kind == Kind::Unexpanded {
            let sample = self.evaluate_again(child, &state, &history);
            self.rollout_leaf = Some(child);
            return self.ends(sample);
        }
        if kind == Kind::Terminal {
            self.counts.terminals += 1;
            if self.params.terminals == Terminals::Counted && !is_made {
                let node = self.node_mut(child);
                node.visits += 1;
                node.own_visits += 1;
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
                self.node_mut(name).edges[i].cycle_draws += 1;
                return self.ends(Pair { value: N::Real::ZERO, draw: N::Real::ONE });
            }
            return self.ends(average);
        }
        let ahead = visits > edge_visits;
        let stops = match self.params.catch_up {
            CatchUp::Continue => false,
            CatchUp::Stop => ahead,
            CatchUp::Leak(leak) => ahead && self.share(0x1ea4) >= leak,
            CatchUp::Margin(by) => u64::from(visits) > u64::from(edge_visits) + u64::from(by),
        };
        let out_of_step = match self.params.backup {
            Backup::Delta { tolerance, .. } => {
                let distance = (edge_average - average.value).size();
                edge_visits > 0 && ahead && distance > N::Real::of(tolerance)
            }
            _ => false,
        };
        if stops || out_of_step {
            self.counts.cut += 1;
            return self.ends(average);
        }
        self.descend(child, state, history)
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

/// Evaluations: U, expansion, the root's priors.
impl<D: Domain, N: Rounds> Reference<'_, D, N> {
    /// Asks for a leaf's value, and for its moves if `network` is to be asked.
    fn evaluate(
        &mut self,
        state: &D::State,
        history: &D::History,
        network: bool,
    ) -> Evaluated<N::Real> {
        let sign = self.sign(state, history);
        let mut answer =
            Evaluated { judged: None, played: None, edges: Vec::new(), priors: Vec::new() };
        let mut cached = false;
        if network {
            let mut legal = Vec::new();
            self.domain.legal_moves(state, history, &mut legal);
            let opinion = (self.judge.opinion)(self.domain, state, history, &legal);
            cached = self.judge.caches && !self.seen.insert(self.domain.eval_key(state, history));
            let value = sign * N::Real::of(opinion.value);
            answer.judged = Some(Pair { value, draw: N::Real::of(opinion.draw) });
            answer.priors = opinion.priors.iter().map(|&prior| N::Real::of(prior)).collect();
            if self.params.prior_exponent != 1.0 {
                let mut wide: Vec<f64> = answer.priors.iter().map(|prior| prior.wide()).collect();
                formula::raise_priors(&mut wide, self.params.prior_exponent);
                answer.priors = wide.into_iter().map(N::Real::of).collect();
            }
            for (i, (mv, &prior)) in legal.iter().zip(&answer.priors).enumerate() {
                let known = opinion.heuristics.get(i).copied().unwrap_or(f64::NAN);
                answer.edges.push(edge(mv.0, N::stored(prior), N::Real::of(known)));
            }
        }
        if cached {
            self.counts.cache_hits += 1;
        } else {
            self.counts.evaluations += 1;
        }
        if self.params.leaf_value != LeafValue::Network {
            self.counts.rollouts += 1;
            let (value, draw, moves) = rollout(self.domain, state, history, self.random);
            let value = sign * N::Real::of(value);
            answer.played = Some(Pair { value, draw: N::Real::of(draw) });
            self.rollout_moves = moves;
        }
        answer
    }

    /// (1 - share) v + share z, or the one of the two that there is.
    fn leaf_value(&self, answer: &Evaluated<N::Real>) -> Pair<N::Real> {
        match (self.params.leaf_value, answer.judged, answer.played) {
            (LeafValue::Mix { rollout_share }, Some(v), Some(z)) => mix(v, z, rollout_share),
            (LeafValue::Network, Some(v), _) => v,
            (_, _, Some(z)) => z,
            (_, v, None) => v.unwrap(),
        }
    }

    fn evaluate_new(&mut self, key: Key, state: &D::State, history: &D::History) -> Pair<N::Real> {
        let network = self.params.expansion == Expansion::FirstVisit || self.threshold == 0;
        let answer = self.evaluate(state, history, network);
        let own = self.leaf_value(&answer);
        let mut node = blank(key, Kind::Unexpanded, self.sign(state, history), own);
        if network {
            expand(&mut node, answer.edges);
            self.adapt_threshold();
        }
        self.add(Some(key), node);
        own
    }

    fn evaluate_again(
        &mut self,
        name: Name,
        state: &D::State,
        history: &D::History,
    ) -> Pair<N::Real> {
        let network = self.nodes[&name].own_visits >= self.threshold;
        let answer = self.evaluate(state, history, network);
        let sample = self.leaf_value(&answer);
        let leaf_value = self.params.leaf_value;
        let node = self.node_mut(name);
        node.visits += 1;
        node.own_visits += 1;
        node.own = node.own.towards(answer.played.unwrap(), N::Real::count(node.own_visits));
        if let (LeafValue::Mix { rollout_share }, Some(v)) = (leaf_value, answer.judged) {
            node.own = mix(v, node.own, rollout_share);
        }
        node.average = node.own;
        node.square = node.own.value * node.own.value;
        if network {
            expand(node, answer.edges);
            self.adapt_threshold();
        }
        sample
    }

    /// Sequential search has no other leaf that waits when one is expanded.
    fn adapt_threshold(&mut self) {
        if let Expansion::Dynamic { waiting_max, .. } = self.params.expansion {
            self.threshold =
                if waiting_max == 0 { self.threshold + 1 } else { (self.threshold - 1).max(1) };
        }
    }

    fn evaluate_root(&mut self, state: &D::State, history: &D::History) {
        let answer = self.evaluate(state, history, true);
        let own = self.leaf_value(&answer);
        let mut node = blank(Key::default(), Kind::Unexpanded, self.sign(state, history), own);
        expand(&mut node, answer.edges);
        self.add(None, node);
        self.root_priors = answer.priors;
        self.set_up_root();
    }

    fn set_up_root(&mut self) {
        let mut priors: Vec<f64> = self.root_priors.iter().map(|prior| prior.wide()).collect();
        if self.setup.prior_temperature != 1.0 {
            formula::soften_priors(&mut priors, self.setup.prior_temperature);
        }
        if self.params.tie_break == TieBreak::Random {
            for (i, prior) in (0_u64..).zip(&mut priors) {
                let word = mix64(self.seed ^ mix64(!i));
                *prior += 1e-6 * ((word >> 40) as f64 / (1_u64 << 24) as f64);
            }
        }
        if self.setup.noise.is_some() {
            priors.clone_from(&self.drawn.noisy_priors);
        }
        let left = self.playouts - self.counts.playouts as u32;
        let root = self.node_mut(None);
        for (edge, prior) in root.edges.iter_mut().zip(priors) {
            edge.prior = N::stored(N::Real::of(prior));
        }
        root.head_ready = false;
        let simulations = root.visits - root.own_visits + left;
        let moves = root.edges.len() as u32;
        if let Selection::Gumbel(gumbel) = self.params.selection {
            let considered = gumbel.considered.min(moves).min(simulations.max(1));
            formula::considered_visits(considered, simulations, &mut self.considered);
        }
    }

    fn sign(&self, state: &D::State, history: &D::History) -> N::Real {
        match self.domain.stand(state, history) {
            Stand::ToMove(Player::Second) => -N::Real::ONE,
            _ => N::Real::ONE,
        }
    }
}

/// Values: N, Q, bounds, and which nodes are brought up to date.
impl<D: Domain, N: Rounds> Reference<'_, D, N> {
    /// N = `N_own` + sum N(a), Q = (`N_own` U + sum N(a) Q(a)) / N, from the children alone.
    fn recompute(&mut self, name: Name) {
        let node = &self.nodes[&name];
        let own = N::Real::count(node.own_visits);
        let mut visits = node.own_visits;
        let mut sum = Pair { value: own * node.own.value, draw: own * node.own.draw };
        let mut averages = Vec::new();
        let row = &node.row[..node.visited];
        let edges: Vec<&Edge<N::Real>> = row.iter().map(|&i| &node.edges[i]).collect();
        for edge in &edges {
            let (child, count) = (self.child(edge), N::Real::count(edge.visits));
            visits += edge.visits;
            sum = sum.plus(count, child.average);
            averages.push(child.average);
        }
        for edge in &edges {
            // A visit that closed a cycle counts as a draw, not as what the child is worth.
            let closed = N::Real::count(edge.cycle_draws);
            sum = sum.plus(-closed, self.child(edge).average);
            sum.draw += closed;
        }
        let count = N::Real::count(visits);
        let square = self.square(name);
        let is_delta = matches!(self.params.backup, Backup::Delta { .. });
        let node = self.node_mut(name);
        node.visits = visits;
        node.average = Pair { value: sum.value / count, draw: sum.draw / count };
        node.square = square;
        if is_delta {
            for (at, average) in averages.into_iter().enumerate() {
                let edge = &mut node.edges[node.row[at]];
                (edge.average, edge.average_draw) = (average.value, average.draw);
            }
        }
        if self.params.prove {
            self.prove(name);
        }
    }

    /// E(n) = (`N_own` U^2 + sum N(a) E(a)) / N, the average of squared values.
    fn square(&self, name: Name) -> N::Real {
        let node = &self.nodes[&name];
        let mut sum = node.own.value * node.own.value * N::Real::count(node.own_visits);
        let mut visits = node.own_visits;
        for &i in &node.row[..node.visited] {
            let edge = &node.edges[i];
            visits += edge.visits;
            sum += N::Real::count(edge.visits) * self.child(edge).square;
        }
        sum / N::Real::count(visits)
    }

    fn average_in(&mut self, name: Name, sample: Pair<N::Real>) {
        let node = self.node_mut(name);
        node.visits += 1;
        let count = N::Real::count(node.visits);
        node.average = node.average.towards(sample, count);
        node.square += (sample.value * sample.value - node.square) / count;
    }

    /// Delta backup: the sample that brings a shared edge to its child's value, averaged into the edge,
    /// whose visit is counted already.
    fn corrected(
        &mut self,
        name: Name,
        i: usize,
        sample: Pair<N::Real>,
        clamp: bool,
    ) -> Pair<N::Real> {
        let (zero, one) = (N::Real::ZERO, N::Real::ONE);
        let edge = &self.nodes[&name].edges[i];
        let child = self.child(edge);
        let (target, before) = (child.average, N::Real::count(edge.visits - 1));
        let is_shared = child.visits != edge.visits;
        let mut sample = sample;
        if is_shared {
            sample.value = before * (target.value - edge.average) + target.value;
            sample.draw = before * (target.draw - edge.average_draw) + target.draw;
            if clamp {
                sample.value = sample.value.at_least(-one).at_most(one);
                sample.draw = sample.draw.at_least(zero).at_most(one);
            }
        }
        let edge = &mut self.node_mut(name).edges[i];
        let known = Pair { value: edge.average, draw: edge.average_draw };
        let count = N::Real::count(edge.visits);
        let known = if edge.visits == 1 { sample } else { known.towards(sample, count) };
        (edge.average, edge.average_draw) = (known.value, known.draw);
        sample
    }

    /// The mover has for certain what the best child has; may hope for what any child may, or for a
    /// win while a move was never tried.
    fn prove(&mut self, name: Name) {
        let node = &self.nodes[&name];
        if node.edges.is_empty() {
            return;
        }
        let one = N::Real::ONE;
        let (mut certain, mut hope) = (-one, -one);
        let mut draw = None;
        for &i in &node.row[..node.visited] {
            let child = self.child(&node.edges[i]);
            let (low, high) = if node.sign > N::Real::ZERO {
                (child.lower, child.upper)
            } else {
                (-child.upper, -child.lower)
            };
            if draw.is_none() || low > certain {
                (certain, draw) = (low.at_least(certain), Some(child.average.draw));
            }
            hope = hope.at_least(high);
        }
        if node.visited < node.edges.len() {
            hope = one;
        }
        let node = self.node_mut(name);
        (node.lower, node.upper) =
            if node.sign > N::Real::ZERO { (certain, hope) } else { (-hope, -certain) };
        if certain >= hope {
            node.average = Pair { value: node.sign * certain, draw: draw.unwrap() };
        }
    }

    /// After a playout: who else is brought up to date.
    fn freshen(&mut self) {
        let line = self.line.clone();
        match self.params.staleness {
            Staleness::Path => {}
            Staleness::Parents => {
                let path = line.iter().rev().map(|step| step.0);
                for name in self.rollout_leaf.into_iter().chain(path) {
                    self.recompute_inner(name);
                    let parents: Vec<Name> =
                        self.nodes[&name].parents.iter().rev().copied().collect();
                    for parent in parents {
                        if !line.iter().any(|(on_path, _)| *on_path == parent) {
                            self.recompute_inner(parent);
                        }
                    }
                }
            }
            Staleness::Ancestors => {
                let (mut met, mut order) = (BTreeSet::new(), Vec::new());
                let last = self.rollout_leaf.unwrap_or(line[line.len() - 1].0);
                self.rise(last, &mut met, &mut order);
                for name in order.into_iter().rev() {
                    self.recompute_inner(name);
                }
            }
            Staleness::Refresher { nodes_per_playout } => {
                for _ in 0..nodes_per_playout {
                    if self.sweep == 0 {
                        self.sweep = self.made.len();
                    }
                    self.sweep -= 1;
                    self.recompute_inner(self.made[self.sweep]);
                }
                self.recompute_inner(None);
            }
        }
    }

    /// A node after all its ancestors: reversed, children come before parents.
    fn rise(&self, name: Name, met: &mut BTreeSet<Name>, order: &mut Vec<Name>) {
        if met.insert(name) {
            for &parent in &self.nodes[&name].parents {
                self.rise(parent, met, order);
            }
            order.push(name);
        }
    }

    fn recompute_inner(&mut self, name: Name) {
        if self.nodes[&name].kind == Kind::Expanded {
            self.recompute(name);
        }
    }

    /// m(s, a) and its average, for every legal move that the same player made at s or later.
    fn update_amaf(&mut self) {
        if !matches!(self.params.selection, Selection::Rave(_)) {
            return;
        }
        let line = self.line.clone();
        for (depth, (name, _)) in line.iter().enumerate() {
            let sign = self.nodes[name].sign;
            let player = if sign > N::Real::ZERO { Player::First } else { Player::Second };
            let mut made: BTreeSet<u16> = BTreeSet::new();
            for (later, i) in &line[depth..] {
                let later = &self.nodes[later];
                if later.sign == sign {
                    made.insert(later.edges[*i].mv);
                }
            }
            let rolled = self.rollout_moves.iter().filter(|(by, _)| *by == player);
            made.extend(rolled.map(|(_, mv)| mv.0));
            let value = self.found.value;
            for edge in &mut self.node_mut(*name).edges {
                if made.contains(&edge.mv) {
                    edge.amaf_visits += 1;
                    edge.amaf += (value - edge.amaf) / N::Real::count(edge.amaf_visits);
                }
            }
        }
    }
}

/// Selection: every legal move is scored.
impl<D: Domain, N: Rounds> Reference<'_, D, N> {
    fn choose(&mut self, name: Name) -> usize {
        let Some(schedule) = self.params.epsilon else { return self.select(name) };
        if let (left @ 1.., i) = self.nodes[&name].held {
            self.node_mut(name).held.0 = left - 1;
            return i;
        }
        let i = self.select(name);
        let visits = f64::from(self.nodes[&name].visits);
        let holds = match schedule {
            EpsilonSchedule::Linear { epsilon } => (epsilon * visits).ceil(),
            EpsilonSchedule::Root { epsilon } => (epsilon * visits.sqrt()).ceil(),
        };
        self.node_mut(name).held = ((holds as u32).max(1) - 1, i);
        i
    }

    fn select(&mut self, name: Name) -> usize {
        let is_plain = self.params.equivalent_visits == 0
            && match self.params.selection {
                Selection::Puct(_) | Selection::Ucb1 | Selection::Uct { .. } => true,
                Selection::Rave(_) | Selection::Regularized(_) => false,
                Selection::Gumbel(gumbel) => {
                    name.is_some() && gumbel.inner != GumbelInner::Improved
                }
            };
        if is_plain {
            let head = self.head(name);
            return self.select_plain(name, head);
        }
        self.select_wide(name)
    }

    /// The unvisited move that comes first: the largest prior; of equal ones the lowest move, or a random
    /// one, which is drawn once until a move is added.
    fn head(&mut self, name: Name) -> Option<usize> {
        let (seed, ties) = (self.seed, self.params.tie_break);
        let node = self.node_mut(name);
        if node.visited == node.row.len() {
            return None;
        }
        if !node.head_ready {
            let rest = &node.row[node.visited..];
            let priors = rest.iter().map(|&i| node.edges[i].prior);
            let most = priors.fold(-N::Real::ONE, Real::at_least);
            let is_most = |i: &usize| node.edges[*i].prior == most;
            let equal: Vec<usize> = rest.iter().copied().filter(is_most).collect();
            let head = match ties {
                TieBreak::LowestMove => *equal.iter().min().unwrap(),
                TieBreak::Random => {
                    let word = mix64(seed ^ mix64(node.key.low ^ ((node.visited as u64) << 48)));
                    equal[(word % equal.len() as u64) as usize]
                }
            };
            let at = node.row.iter().position(|&i| i == head).unwrap();
            node.row.swap(at, node.visited);
            node.head_ready = true;
        }
        Some(node.row[node.visited])
    }

    /// PUCT, UCB1 or UCT over all moves. Of the unvisited moves the best score counts, of equal ones the
    /// head; between it and the visited ones ties go to the lowest move.
    fn select_plain(&self, name: Name, head: Option<usize>) -> usize {
        let node = &self.nodes[&name];
        let score = |i: usize| self.plain_score(name, &node.edges[i]);
        let mut fresh: Option<usize> = head;
        for &i in &node.row[node.visited..] {
            if fresh.is_some_and(|best| score(i) > score(best)) {
                fresh = Some(i);
            }
        }
        let mut best: Option<usize> = None;
        for i in node.row[..node.visited].iter().copied().chain(fresh) {
            let by_move = self.params.tie_break == TieBreak::LowestMove;
            let wins = best.is_none_or(|most| {
                score(i) > score(most) || (score(i) == score(most) && by_move && i < most)
            });
            if wins {
                best = Some(i);
            }
        }
        best.unwrap()
    }

    fn plain_score(&self, name: Name, edge: &Edge<N::Real>) -> N::Real {
        let node = &self.nodes[&name];
        let sum = node.edges.iter().map(|edge| edge.visits).sum::<u32>();
        let (sum, visits) = (N::Real::count(sum), N::Real::count(edge.visits));
        if self.is_lost(name, edge) {
            return -N::Real::INFINITY;
        }
        let forced = if name.is_none() { self.setup.forced_playouts } else { 0.0 };
        if edge.visits > 0 && visits < (N::Real::of(forced) * edge.prior * sum).root() {
            return N::Real::INFINITY;
        }
        let logarithm = sum.at_least(N::Real::ONE).logarithm();
        let bandit =
            |q: N::Real, c: N::Real, logarithm: N::Real| q + c * (logarithm / visits).root();
        match self.params.selection {
            Selection::Ucb1 | Selection::Uct { .. } if edge.visits == 0 => N::Real::INFINITY,
            Selection::Ucb1 => {
                bandit(self.q(node, edge), N::Real::ONE, N::Real::of(2.0) * logarithm)
            }
            Selection::Uct { c } => bandit(self.q(node, edge), N::Real::of(c), logarithm),
            Selection::Puct(puct)
            | Selection::Gumbel(Gumbel { inner: GumbelInner::Puct(puct), .. }) => {
                let c = N::Real::of(exploration(node, &puct, sum));
                let root = (sum + N::Real::of(0.01)).root();
                let is_known = edge.visits > 0;
                let value = if is_known { self.q(node, edge) } else { self.first_play(name) };
                value + c * edge.prior * root / (N::Real::ONE + visits)
            }
            _ => unreachable!("scored over all moves"),
        }
    }

    /// The mover's value of a visited move.
    fn q(&self, node: &Node<N::Real>, edge: &Edge<N::Real>) -> N::Real {
        if matches!(self.params.backup, Backup::Delta { .. }) {
            return node.sign * edge.average;
        }
        node.sign * self.child(edge).average.value
    }

    fn first_play(&self, name: Name) -> N::Real {
        let node = &self.nodes[&name];
        let rule = self.setup.fpu.filter(|_| name.is_none()).unwrap_or(self.params.fpu);
        let mut mass = N::Real::ZERO;
        for &i in &node.row[..node.visited] {
            mass += node.edges[i].prior;
        }
        let average = (node.sign * node.average.value).wide();
        let own = (node.sign * node.own.value).wide();
        N::Real::of(match rule {
            FirstPlay::Absolute(value) => value,
            FirstPlay::Parent => average,
            FirstPlay::Reduction(less) => average - less * mass.wide().sqrt(),
            FirstPlay::KataGo(_) => {
                rule.value(&ParentValues { average, own, visited_mass: mass.wide() })
            }
        })
    }

    /// A visited move that loses for certain, or is worse than what the mover has for certain.
    fn is_lost(&self, name: Name, edge: &Edge<N::Real>) -> bool {
        if !self.params.prove || edge.visits == 0 {
            return false;
        }
        let (node, child) = (&self.nodes[&name], self.child(edge));
        let (hope, certain) = if node.sign > N::Real::ZERO {
            (child.upper, node.lower)
        } else {
            (-child.lower, -node.upper)
        };
        hope <= -N::Real::ONE || hope < certain
    }

    /// The selections whose scores need all moves at once, in the order of the row.
    fn select_wide(&self, name: Name) -> usize {
        let node = &self.nodes[&name];
        let children = self.children(name);
        let scores = self.wide_scores(name, &children);
        let lost: Vec<bool> =
            node.row.iter().map(|&i| self.is_lost(name, &node.edges[i])).collect();
        if let Selection::Regularized(rule) = self.params.selection
            && rule.sample
        {
            let allowed = scores.iter().zip(&lost).map(|(&s, &lost)| if lost { 0.0 } else { s });
            return node.row[drawn_share(&allowed.collect::<Vec<_>>(), self.share(0x9e9))];
        }
        let mut best: Option<usize> = None;
        for at in (0..scores.len()).filter(|&at| !lost[at]) {
            let by_move = self.params.tie_break == TieBreak::LowestMove;
            let wins = best.is_none_or(|most| {
                let wins_tie = by_move && node.row[at] < node.row[most];
                scores[at] > scores[most] || (scores[at] == scores[most] && wins_tie)
            });
            if wins {
                best = Some(at);
            }
        }
        node.row[best.unwrap_or(0)]
    }

    fn children(&self, name: Name) -> Vec<Child> {
        let node = &self.nodes[&name];
        let extra = f64::from(self.params.equivalent_visits);
        let is_bandit = matches!(self.params.selection, Selection::Ucb1 | Selection::Uct { .. });
        let child = |&i: &usize| {
            let edge = &node.edges[i];
            let visits = f64::from(edge.visits);
            let q = (edge.visits > 0).then(|| self.q(node, edge).wide());
            let prior = edge.prior.wide();
            if extra == 0.0 {
                return Child { prior, visits, q };
            }
            let mut heuristic = edge.heuristic.wide();
            if heuristic.is_nan() {
                heuristic = if is_bandit { 0.0 } else { self.first_play(name).wide() };
            }
            let all = visits + extra;
            let sum = q.unwrap_or(0.0) * visits + heuristic * extra;
            Child { prior, visits: all, q: Some(sum / all) }
        };
        node.row.iter().map(child).collect()
    }

    fn wide_scores(&self, name: Name, children: &[Child]) -> Vec<f64> {
        let node = &self.nodes[&name];
        let own = (node.sign * node.own.value).wide();
        let sum: f64 = children.iter().map(|child| child.visits).sum();
        let mut scores = Vec::new();
        let behind = |scores: &mut Vec<f64>| {
            for (score, child) in scores.iter_mut().zip(children) {
                *score -= child.visits / (1.0 + sum);
            }
        };
        // Where these are plain formulas, every move has visits: equivalent ones.
        let logarithm = sum.max(1.0).ln();
        let bandit = |c: f64| {
            let score =
                move |child: &Child| child.q.unwrap() + c * (logarithm / child.visits).sqrt();
            children.iter().map(score)
        };
        match self.params.selection {
            Selection::Rave(rave) => rave_scores(node, &rave, children, sum, &mut scores),
            Selection::Gumbel(gumbel) if name.is_none() => {
                self.halving_scores(node, &gumbel, children, own, &mut scores);
            }
            Selection::Gumbel(Gumbel { sigma, inner: GumbelInner::Improved, .. }) => {
                let params = GumbelParams { sigma, mixed_weight: MixedWeight::Visits };
                formula::improved_policy(children, own, &params, &mut scores);
                behind(&mut scores);
            }
            Selection::Regularized(rule) => {
                let unvisited = self.first_play(name).wide();
                formula::regularized_policy(children, unvisited, rule.c, &mut scores);
                if !rule.sample {
                    behind(&mut scores);
                }
            }
            Selection::Ucb1 => scores.extend(bandit(std::f64::consts::SQRT_2)),
            Selection::Uct { c } => scores.extend(bandit(c)),
            Selection::Puct(puct)
            | Selection::Gumbel(Gumbel { inner: GumbelInner::Puct(puct), .. }) => {
                let visits = node.edges.iter().map(|edge| edge.visits).sum();
                let c = N::Real::of(exploration(node, &puct, N::Real::count(visits)));
                let scale = c.wide() * (sum + 0.01).sqrt();
                let score =
                    |child: &Child| child.q.unwrap() + scale * child.prior / (1.0 + child.visits);
                scores.extend(children.iter().map(score));
            }
        }
        scores
    }

    /// Sequential halving: only moves with as many visits as the plan says are in.
    fn halving_scores(
        &self,
        node: &Node<N::Real>,
        gumbel: &Gumbel,
        children: &[Child],
        own: f64,
        scores: &mut Vec<f64>,
    ) {
        let params = GumbelParams { sigma: gumbel.sigma, mixed_weight: MixedWeight::Visits };
        let noise: Vec<f64> = node.row.iter().map(|&i| self.drawn.gumbel[i]).collect();
        formula::root_scores(children, &noise, own, &params, scores);
        let sum: f64 = children.iter().map(|child| child.visits).sum();
        let least = children.iter().map(|child| child.visits).fold(f64::INFINITY, f64::min);
        let planned = self.considered.get(sum as usize).map_or(least, |&visits| f64::from(visits));
        let fits = children.iter().any(|child| child.visits == planned);
        let wanted = if fits { planned } else { least };
        for (score, child) in scores.iter_mut().zip(children) {
            if child.visits != wanted {
                *score = f64::NEG_INFINITY;
            }
        }
    }
}

/// Reuse between moves.
impl<D: Domain, N: Rounds> Reference<'_, D, N> {
    pub fn advance(&mut self, mv: Move, keep: bool) {
        let (state, history) = &mut self.position;
        self.domain.advance(state, history, mv);
        self.sweep = 0;
        let edge = self.nodes[&None].edges.iter().find(|edge| edge.mv == mv.0).unwrap();
        let child = edge.child.filter(|child| keep && self.nodes[child].kind == Kind::Expanded);
        let Some(child) = child else {
            self.nodes.clear();
            self.made.clear();
            return;
        };
        let root = self.nodes[&child].clone();
        self.root_priors = root.edges.iter().map(|edge| edge.prior).collect();
        self.nodes.insert(None, root);
        let mut kept = BTreeSet::new();
        self.reach(None, &mut kept);
        self.nodes.retain(|name, _| kept.contains(name));
        self.made.retain(|name| name.is_some() && kept.contains(name));
        self.made.insert(0, None);
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

/// c + `c_log` ln((s + `c_base`) / `c_base`), times the factor of dynamic variance.
fn exploration<R: Real>(node: &Node<R>, puct: &Puct, sum: R) -> f64 {
    let growth = puct.exploration;
    let mut c = growth.c;
    if growth.c_log != 0.0 {
        c = growth.c + growth.c_log * ((sum.wide() + growth.c_base) / growth.c_base).ln();
    }
    if let Some(rule) = puct.variance {
        let weight = f64::from(node.visits);
        let (mean, square) = (node.average.value.wide(), node.square.wide());
        let mut deviation = rule.prior;
        if weight > 1.0 {
            let mean_sq = square.max(mean * mean);
            let assumed = (mean * mean + rule.prior * rule.prior) * rule.prior_weight;
            let all = assumed + mean_sq * weight;
            let variance = all / (rule.prior_weight + weight - 1.0) - mean * mean;
            deviation = variance.max(0.0).sqrt();
        }
        c *= 1.0 + rule.scale * (deviation / rule.prior - 1.0);
    }
    c
}

fn rave_scores<R: Real>(
    node: &Node<R>,
    rave: &Rave,
    children: &[Child],
    visits: f64,
    scores: &mut Vec<f64>,
) {
    let amaf_visits = node.edges.iter().map(|edge| f64::from(edge.amaf_visits)).sum();
    let sums = RaveSums { visits, amaf_visits };
    for (child, &i) in children.iter().zip(&node.row) {
        let edge = &node.edges[i];
        let q = (edge.amaf_visits > 0).then(|| (node.sign * edge.amaf).wide());
        let amaf = Amaf { visits: f64::from(edge.amaf_visits), q };
        scores.push(match rave.schedule {
            RaveSchedule::Equivalence { k } => {
                let beta = (k / (3.0 * visits + k)).sqrt();
                formula::uct_rave(child, &amaf, &sums, beta, rave.c)
            }
            RaveSchedule::Logarithm => {
                let beta = (1.0 - visits.max(1.0).ln() / 20.0).clamp(0.0, 1.0);
                formula::boon_rave(child, &amaf, visits, beta, rave.c)
            }
        });
    }
}

/// The place that a number in [0, 1) falls on among shares.
fn drawn_share(shares: &[f64], random: f64) -> usize {
    let mut left = random * shares.iter().sum::<f64>();
    let mut last = 0;
    for (at, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        last = at;
        left -= share;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// (1 - share) v + share z.
fn mix<R: Real>(network: Pair<R>, rollout: Pair<R>, share: f64) -> Pair<R> {
    zero().plus(R::ONE - R::of(share), network).plus(R::of(share), rollout)
}

fn zero<R: Real>() -> Pair<R> {
    Pair { value: R::ZERO, draw: R::ZERO }
}

fn blank<R: Real>(key: Key, kind: Kind, sign: R, own: Pair<R>) -> Node<R> {
    let is_over = kind == Kind::Terminal;
    Node {
        key,
        kind,
        sign,
        own,
        average: own,
        visits: 1,
        own_visits: 1,
        square: own.value * own.value,
        lower: if is_over { own.value } else { -R::ONE },
        upper: if is_over { own.value } else { R::ONE },
        edges: Vec::new(),
        row: Vec::new(),
        visited: 0,
        head_ready: false,
        held: (0, 0),
        parents: Vec::new(),
    }
}

fn edge<R: Real>(mv: u16, prior: R, heuristic: R) -> Edge<R> {
    Edge {
        mv,
        prior,
        visits: 0,
        child: None,
        average: R::ZERO,
        average_draw: R::ZERO,
        cycle_draws: 0,
        amaf: R::ZERO,
        amaf_visits: 0,
        heuristic,
    }
}

fn expand<R: Real>(node: &mut Node<R>, edges: Vec<Edge<R>>) {
    node.kind = Kind::Expanded;
    node.row = (0..edges.len()).collect();
    node.edges = edges;
}
