//! What the proofs share: dice, graphs, settings, evaluators, the drive of a search, and the
//! comparison of a search with the literal reference.

#![allow(dead_code)] // Each test binary uses a part.

pub mod counting;
pub mod domains;
pub mod graphs;
pub mod reference;
pub mod settings;
pub mod unsound;

use std::collections::BTreeSet;

use dz_game::{Game, Key, Move, Player, mix64};
use dz_search::{
    Backup, Budget, Domain, ExplicitGraph, Gathered, LeafId, NetworkAnswer, NodeView, Numbers,
    Real, RootSetup, Search, SearchCounts, SearchParams, Status, ValuePov,
};

use reference::{Drawn, Kind, Name, Reference, Rounds};

/// Random words in a row, by `SplitMix64`.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(mix64(seed ^ 0xd1ce))
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix64(self.0)
    }

    /// Below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.word() % end as u64) as usize
    }

    /// In [0, 1).
    pub fn share(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn chance(&mut self, probability: f64) -> bool {
        self.share() < probability
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

/// What an evaluator says: the mover's view.
#[derive(Clone, Debug)]
pub struct Opinion {
    pub value: f64,
    pub draw: f64,
    pub priors: Vec<f64>,
    /// For equivalent visits; may be empty.
    pub heuristics: Vec<f64>,
    /// Points without komi.
    pub margin: Option<f64>,
    /// How far the value may be off.
    pub error: Option<f64>,
}

type Judgement<D> = dyn Fn(&D, &<D as Domain>::State, &<D as Domain>::History, &[Move]) -> Opinion;

/// An evaluator of the tests, a function of the position.
pub struct Judge<D: Domain> {
    pub opinion: Box<Judgement<D>>,
    /// It says of positions that it saw before that the answer came from a cache.
    pub caches: bool,
}

impl<D: Domain> Judge<D> {
    /// Value 0 and equal priors.
    pub fn uniform() -> Self {
        let opinion = |_: &D, _: &D::State, _: &D::History, legal: &[Move]| Opinion {
            value: 0.0,
            draw: 0.0,
            priors: vec![1.0 / legal.len() as f64; legal.len()],
            heuristics: Vec::new(),
            margin: None,
            error: None,
        };
        Self { opinion: Box::new(opinion), caches: false }
    }

    /// Pseudo-random values, priors and heuristics by what the evaluator sees.
    pub fn hashed(seed: u64) -> Self {
        let opinion = move |domain: &D, state: &D::State, history: &D::History, legal: &[Move]| {
            let key = domain.eval_key(state, history);
            let share = |salt: u64| {
                ((mix64(key.high ^ key.low ^ mix64(seed ^ salt)) >> 56) + 1) as f64 / 256.0
            };
            let raw: Vec<f64> = legal.iter().map(|mv| share(u64::from(mv.0) + 3)).collect();
            let sum: f64 = raw.iter().sum();
            let (win, draw, loss) = (share(0), share(1), share(2));
            let all = win + draw + loss;
            let heuristics =
                legal.iter().map(|mv| 2.0 * share(u64::from(mv.0) + 70_000) - 1.0).collect();
            Opinion {
                value: (win - loss) / all,
                draw: draw / all,
                priors: raw.iter().map(|p| p / sum).collect(),
                heuristics,
                margin: Some(40.0 * share(80_000) - 20.0),
                error: Some(share(90_000)),
            }
        };
        Self { opinion: Box::new(opinion), caches: false }
    }
}

impl Judge<ExplicitGraph> {
    /// What the graph itself says.
    pub fn of_graph() -> Self {
        let opinion = |graph: &ExplicitGraph, state: &u32, (): &(), _: &[Move]| {
            let mut priors = Vec::new();
            let estimate = graph.evaluate(*state, &mut priors);
            Opinion {
                value: estimate.value,
                draw: estimate.draw,
                priors,
                heuristics: Vec::new(),
                margin: None,
                error: None,
            }
        };
        Self { opinion: Box::new(opinion), caches: false }
    }
}

/// Random play from a position: its outcome for the player to move there, and the moves. After 64
/// moves it is a draw.
pub fn rollout<D: Domain>(
    domain: &D,
    state: &D::State,
    history: &D::History,
    random: u64,
) -> (f64, f64, Vec<(Player, Move)>) {
    let Status::ToMove(mover) = domain.status(state, history) else {
        panic!("a leaf is not over");
    };
    let (mut state, mut history) = (state.clone(), history.clone());
    let (mut moves, mut legal) = (Vec::new(), Vec::new());
    for ply in 0..64 {
        match domain.status(&state, &history) {
            Status::Over { value, draw } => {
                return (if mover == Player::First { value } else { -value }, draw, moves);
            }
            Status::ToMove(player) => {
                domain.legal_moves(&state, &history, &mut legal);
                let mv = legal[(mix64(random ^ mix64(ply)) % legal.len() as u64) as usize];
                moves.push((player, mv));
                domain.advance(&mut state, &mut history, mv);
            }
        }
    }
    (0.0, 1.0, moves)
}

/// A search that stands at a domain's position.
pub fn search_of<D: Domain, N: Numbers>(
    domain: &D,
    params: SearchParams,
    position: &(D::State, D::History),
) -> Search<D, N> {
    let (state, history) = position.clone();
    Search::checked(domain.clone(), params, state, history).unwrap()
}

/// A search of an explicit graph from its root.
pub fn search_graph<N: Numbers>(
    graph: &ExplicitGraph,
    params: SearchParams,
) -> Search<ExplicitGraph, N> {
    search_of(graph, params, &(graph.root(), ()))
}

/// A game's position after these moves.
pub fn position<G: Game>(game: &G, moves: &[u16]) -> (G::State, G::History) {
    let (mut state, mut history) = (game.start(), G::History::default());
    for &mv in moves {
        game.advance(&mut state, &mut history, Move(mv));
    }
    (state, history)
}

/// Runs a search of so many playouts more, without anything special at the root.
pub fn run<D: Domain, N: Numbers>(search: &mut Search<D, N>, playouts: u32, judge: &Judge<D>) {
    let mut seen = BTreeSet::new();
    run_from(search, Budget::Playouts(playouts), 0, RootSetup::default(), judge, &mut seen);
}

/// As `run`, with everything said; `seen` is what a cache has seen so far.
pub fn run_from<D: Domain, N: Numbers>(
    search: &mut Search<D, N>,
    budget: Budget,
    seed: u64,
    setup: RootSetup,
    judge: &Judge<D>,
    seen: &mut BTreeSet<Key>,
) {
    search.start(budget, seed, setup);
    let mut waiting = Vec::new();
    loop {
        match search.gather() {
            Gathered::Decided => break,
            Gathered::Need(leaf) if search.params().leaves_max == 1 => {
                answer(search, leaf, judge, seen);
            }
            Gathered::Need(leaf) => waiting.push(leaf),
            Gathered::Wait => {
                assert!(!waiting.is_empty(), "somebody must wait");
                for leaf in std::mem::take(&mut waiting) {
                    answer(search, leaf, judge, seen);
                }
            }
        }
    }
    let counts = search.counts();
    assert_eq!(counts.playouts, counts.ends(), "every playout ends once: {counts:?}");
}

/// Gives a leaf what it wants.
pub fn answer<D: Domain, N: Numbers>(
    search: &mut Search<D, N>,
    id: LeafId,
    judge: &Judge<D>,
    seen: &mut BTreeSet<Key>,
) {
    let domain = search.domain().clone();
    let leaf = search.leaf(id).unwrap();
    let (wants, random) = (leaf.wants, leaf.random);
    let (state, history) = (leaf.state.clone(), leaf.history.clone());
    if wants.network {
        let opinion = (judge.opinion)(&domain, &state, &history, leaf.legal);
        let cached = judge.caches && !seen.insert(domain.eval_key(&state, &history));
        let real = |row: &[f64]| row.iter().map(|&p| N::Real::from_f64(p)).collect::<Vec<_>>();
        let (priors, heuristics) = (real(&opinion.priors), real(&opinion.heuristics));
        let estimate = ValuePov {
            value: N::Real::from_f64(opinion.value),
            draw: N::Real::from_f64(opinion.draw),
        };
        let answer = NetworkAnswer {
            estimate,
            margin: opinion.margin.map(N::Real::from_f64),
            error: opinion.error.map(N::Real::from_f64),
            priors: &priors,
            heuristics: &heuristics,
            cached,
        };
        search.apply_network(id, &answer);
    }
    let mut random = random;
    for _ in 0..wants.rollouts {
        let (value, draw, moves) = rollout(&domain, &state, &history, random);
        random = mix64(random);
        let outcome = ValuePov { value: N::Real::from_f64(value), draw: N::Real::from_f64(draw) };
        search.apply_rollout(id, outcome, &moves);
    }
}

/// One move's search in both.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    pub playouts: u32,
    pub seed: u64,
    pub setup: RootSetup,
    /// Afterwards the most visited move is played; with `true` what is reachable is kept.
    pub keep: Option<bool>,
}

/// Searches with the core and with the reference, and compares every node after every round.
pub fn assert_agrees<D: Domain, N: Rounds>(
    domain: &D,
    params: SearchParams,
    position: &(D::State, D::History),
    judge: &Judge<D>,
    rounds: &[Round],
) {
    let mut core: Search<D, N> = search_of(domain, params, position);
    let mut literal: Reference<'_, D, N> = Reference::new(domain, params, judge, position.clone());
    let mut seen = BTreeSet::new();
    for round in rounds {
        let budget = Budget::Playouts(round.playouts);
        run_from(&mut core, budget, round.seed, round.setup, judge, &mut seen);
        let moves = core.summary().moves;
        let drawn = Drawn {
            noisy_priors: moves.iter().map(|m| m.noisy_prior).collect(),
            gumbel: moves.iter().map(|m| m.gumbel).collect(),
        };
        literal.run(budget, round.seed, round.setup, drawn);
        compare(&core, &literal);
        let Some(keep) = round.keep else { continue };
        let Some(best) = moves.iter().filter(|m| m.visits > 0).max_by_key(|m| m.visits) else {
            break;
        };
        core.advance(best.mv, keep);
        literal.advance(best.mv, keep);
        compare(&core, &literal);
        let (state, history) = core.position();
        if matches!(domain.status(state, history), Status::Over { .. }) {
            break;
        }
    }
}

/// Every number of every node. Floats are equal in all bits but the sign of 0.
fn compare<D: Domain, N: Rounds>(core: &Search<D, N>, literal: &Reference<'_, D, N>) {
    let counts = SearchCounts { refreshes: 0, ..core.counts() };
    assert_eq!(counts, literal.counts, "{:?}", core.params());
    let views: Vec<NodeView> = core.root_node().into_iter().chain(core.nodes()).collect();
    assert_eq!(views.len(), literal.nodes.len(), "nodes");
    assert_eq!(core.buckets().count(), literal.buckets.len(), "buckets");
    for view in &views {
        let name: Name = (view.id > 0).then_some(view.key);
        let node = literal.nodes.get(&name).unwrap_or_else(|| panic!("no node {name:?}"));
        let place = || format!("node {} {name:?} of {:?}", view.id, core.params());
        assert_eq!(literal.made[view.id as usize], name, "{}: order", place());
        assert_eq!(view.visits, node.visits, "{}: N", place());
        let (value, draw) = (node.average.value.to_f64(), node.average.draw.to_f64());
        assert_eq!(view.value, value, "{}: Q", place());
        assert_eq!(view.draw, draw, "{}: draw", place());
        assert_eq!(view.own_value, node.own.value.to_f64(), "{}: U", place());
        assert_eq!(view.mover.is_none(), node.kind == Kind::Terminal, "{}: mover", place());
        if let Some(bounds) = view.bounds {
            assert_eq!(bounds, (node.lower.to_f64(), node.upper.to_f64()), "{}: bounds", place());
        }
        if let Some(square) = view.square {
            assert_eq!(square, node.square.to_f64(), "{}: square", place());
        }
        let lead =
            view.lead.map(|lead| (lead.own_points, lead.own_utility, lead.points, lead.utility));
        assert_eq!(lead, literal.lead_of(name), "{}: lead", place());
        let weight = view.weight.map(|weight| (weight.own, weight.mean));
        assert_eq!(weight, literal.weight_of_node(name), "{}: weight", place());
        assert_eq!(view.bias.is_some(), node.bucket.is_some(), "{}: bucket", place());
        if let Some(bias) = view.bias {
            let numbers = (bias.weight, bias.error, bias.correction);
            let expected = (node.weight.to_f64(), node.error.to_f64(), node.correction.to_f64());
            assert_eq!(numbers, expected, "{}: weight, error, correction", place());
            let bucket = core.buckets().find(|bucket| bucket.key == bias.bucket).unwrap();
            let other = &literal.buckets[&node.bucket.unwrap()];
            let sums = (bucket.error, bucket.weight);
            assert_eq!(sums, (other.errors, other.weights), "{}: sums", place());
        }
        assert_eq!(view.edges.len(), node.visited, "{}: edges", place());
        for (edge, &i) in view.edges.iter().zip(&node.row) {
            let other = &node.edges[i];
            assert_eq!((edge.mv.0, edge.visits), (other.mv, other.visits), "{}: edge", place());
            assert_eq!(edge.prior, other.prior.to_f64(), "{}: prior", place());
            assert_eq!(edge.in_flight, 0, "{}: nothing is in flight", place());
            let child: Name = (edge.child > 0).then(|| views[edge.child as usize].key);
            assert_eq!(Some(child), other.child, "{}: child", place());
            if let (Backup::Delta { .. }, Some(average)) = (core.params().backup, edge.average) {
                assert_eq!(average, other.average.to_f64(), "{}: Q_e", place());
            }
        }
    }
}
