//! Subtree value bias correction: its gain where a network errs in a regular way, and invariants of
//! its buckets after any search. `agreement.rs` compares it with a literal search.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use std::collections::{BTreeMap, BTreeSet};

use dz_game::games::{Connect4, Go, Hex, TicTacToe};
use dz_game::{Game, Key, Move, Player, mix64};
use dz_search::{
    Backup, Budget, Compact, Domain, Exact, ExplicitGraph, LeafValue, NodeView, Numbers, Puct,
    RootSetup, Search, SearchParams, Selection, Staleness, Status, ValueBias,
};

use crate::proof::graphs::{random_graph, random_shape};
use crate::proof::settings::{random_params, random_setup};
use crate::proof::{
    Dice, Judge, Opinion, Round, assert_agrees, position, run, run_from, search_of,
};

fn views<D: Domain, N: Numbers>(search: &Search<D, N>) -> Vec<NodeView> {
    search.root_node().into_iter().chain(search.nodes()).collect()
}

/// Random settings to which a correction can be added.
fn correctable(dice: &mut Dice) -> SearchParams {
    loop {
        let drawn = SearchParams {
            backup: Backup::Idempotent,
            leaf_value: LeafValue::Network,
            // Errors would weigh by more than visits.
            uncertainty: None,
            ..random_params(dice)
        };
        if drawn.validate().is_ok() {
            return SearchParams { check_states: false, ..drawn };
        }
    }
}

/// What one seed's search finds: three moves with reuse, leaves in batches or alone.
fn searched<D: Domain, N: Numbers>(
    domain: &D,
    at: &(D::State, D::History),
    params: SearchParams,
    seed: u64,
    mut look: impl FnMut(&Search<D, N>),
) {
    let mut search: Search<D, N> = search_of(domain, params, at);
    let judge = Judge::hashed(seed);
    let mut dice = Dice::new(seed);
    for _ in 0..3 {
        let setup = random_setup(&mut dice);
        let budget = Budget::Playouts(150);
        run_from(&mut search, budget, dice.word(), setup, &judge, &mut BTreeSet::new());
        look(&search);
        let moves = search.summary().moves;
        let Some(best) = moves.iter().filter(|m| m.visits > 0).max_by_key(|m| m.visits) else {
            break;
        };
        search.advance(best.mv, true);
        look(&search);
        let (state, history) = search.position();
        if matches!(domain.status(state, history), Status::Over { .. }) {
            break;
        }
    }
}

/// A network that errs: every position is worth `TRUTH` to the first player, and the network says
/// so, give or take a little, but right after the first player's move `TACTIC` it says `ERROR`
/// more. Deeper search finds out each time. The move is a tactic in the first five plies only, so
/// that large searches come to all of its `PLACES`.
#[derive(Clone, Debug)]
struct Tactic {
    /// All moves have the same surroundings; else the tactic alone looks the same everywhere, and
    /// nothing else comes twice.
    alike: bool,
}

const TRUTH: f64 = 0.1;
const ERROR: f64 = 0.5;
const TACTIC: u16 = 2;
/// The last of 3 moves at the first player's positions 0, 2 and 4 plies after the root.
const PLACES: f64 = 1.0 + 9.0 + 81.0;

impl Tactic {
    fn judge() -> Judge<Self> {
        let opinion = |_: &Self,
                       &(word, depth, last): &(u64, u32, u16),
                       (): &(),
                       legal: &[Move]| {
            let share = (mix64(word) >> 11) as f64 / (1_u64 << 53) as f64;
            let is_tactic = [1, 3, 5].contains(&depth) && last == TACTIC;
            let tactic = if is_tactic { ERROR } else { 0.0 };
            let first = TRUTH + tactic + 0.02 * (share - 0.5);
            let value = if depth % 2 == 0 { first } else { -first };
            let priors = vec![1.0 / legal.len() as f64; legal.len()];
            Opinion { value, draw: 0.0, priors, heuristics: Vec::new(), margin: None, error: None }
        };
        Judge { opinion: Box::new(opinion), caches: false }
    }

    /// How far the root's value is from the truth after so many playouts, over several games.
    fn root_error(&self, value_bias: Option<ValueBias>, playouts: u32) -> f64 {
        let selection = Selection::Puct(Puct::constant(3.0));
        let params = SearchParams { selection, value_bias, ..SearchParams::default() };
        let games = 20;
        let error = |game: u64| {
            let mut search: Search<_, Exact> = search_of(self, params, &((game, 0, 0), ()));
            run(&mut search, playouts, &Self::judge());
            (search.summary().value - TRUTH).abs()
        };
        (0..games).map(error).sum::<f64>() / games as f64
    }
}

impl Domain for Tactic {
    type State = (u64, u32, u16);
    type History = ();

    fn status(&self, state: &Self::State, (): &()) -> Status {
        Status::ToMove(if state.1.is_multiple_of(2) { Player::First } else { Player::Second })
    }
    fn legal_moves(&self, _: &Self::State, (): &(), out: &mut Vec<Move>) {
        out.clear();
        out.extend((0..3).map(Move));
    }
    fn advance(&self, state: &mut Self::State, (): &mut (), mv: Move) {
        *state = (mix64(state.0 ^ mix64(u64::from(mv.0))), state.1 + 1, mv.0);
    }
    fn surroundings(&self, state: &Self::State, mv: Move) -> Option<u64> {
        let is_tactic = [0, 2, 4].contains(&state.1) && mv == Move(TACTIC);
        Some(if is_tactic || self.alike { 0 } else { mix64(state.0) })
    }
    fn node_key(&self, state: &Self::State, (): &()) -> Key {
        Key::of_words(&[state.0, u64::from(state.1)])
    }
    fn eval_key(&self, state: &Self::State, (): &()) -> Key {
        self.node_key(state, &())
    }
    fn acyclic(&self) -> bool {
        true
    }
}

#[test]
fn a_regular_error_of_the_network_is_found_and_taken_off() {
    let with = |lambda| Some(ValueBias { lambda, ..ValueBias::default() });
    for playouts in [1000, 2000, 4000] {
        let game = Tactic { alike: false };
        let plain = game.root_error(None, playouts);
        let corrected = game.root_error(with(0.35), playouts);
        let strong = game.root_error(with(0.9), playouts);
        println!("{playouts} playouts: {plain:.5}, 0.35: {corrected:.5}, 0.9: {strong:.5}");
        // Each place was evaluated once.
        let expected = PLACES * ERROR / f64::from(playouts);
        assert!((plain / expected - 1.0).abs() < 0.1, "{playouts}: {plain} {expected}");
        assert!(corrected < 0.75 * plain, "{playouts}: {corrected} {plain}");
        assert!(strong < 0.5 * plain, "{playouts}: {strong} {corrected}");
    }
}

/// Errors are relative to the values below a node. If all moves look alike, unresolved tactics give
/// the nodes above them the opposite error, and so all leaves: the root gets worse.
#[test]
fn errors_spread_where_all_moves_look_alike() {
    let game = Tactic { alike: true };
    let [plain, corrected] =
        [None, Some(ValueBias::default())].map(|value_bias| game.root_error(value_bias, 1000));
    println!("all alike: {plain:.5}, 0.35: {corrected:.5}");
    assert!(corrected > plain, "{corrected} {plain}");
}

/// The error of the tactic's buckets comes near what the network adds there. Other errors are
/// small: they are what unresolved tactics add to the values below a node.
#[test]
fn buckets_know_the_error() {
    let value_bias = Some(ValueBias::default());
    let params = SearchParams { value_bias, ..SearchParams::default() };
    let mut search: Search<_, Exact> =
        search_of(&Tactic { alike: false }, params, &((1, 0, 0), ()));
    run(&mut search, 3000, &Tactic::judge());
    let all = views(&search);
    let mut errors = [Vec::new(), Vec::new()];
    for parent in &all {
        for edge in &parent.edges {
            let bias = all[edge.child as usize].bias.unwrap();
            let bucket = search.buckets().find(|bucket| bucket.key == bias.bucket).unwrap();
            let is_tactic = parent.mover == Some(Player::First) && edge.mv == Move(TACTIC);
            if bucket.weight > 20.0 {
                errors[usize::from(is_tactic)].push(bucket.error / bucket.weight);
            }
        }
    }
    let mean = |errors: &[f64]| errors.iter().sum::<f64>() / errors.len() as f64;
    let [others, tactic] = errors.map(|errors| mean(&errors));
    assert!((tactic - ERROR).abs() < 0.1, "{tactic}");
    assert!(others.abs() < 0.1, "{others}");
}

/// Without a share to take off, everything is as without a correction, bit for bit.
#[test]
fn a_share_of_nothing_changes_nothing() {
    for seed in 0..150 {
        let mut dice = Dice::new(seed);
        let shape = random_shape(&mut dice, if seed % 2 == 0 { 0.0 } else { 0.25 });
        let graph = ExplicitGraph::new(&random_graph(&mut dice, shape)).unwrap();
        let drawn = SearchParams { leaves_max: dice.pick(&[1, 4]), ..correctable(&mut dice) };
        let found = [None, Some(ValueBias { lambda: 0.0, ..ValueBias::default() })].map(|bias| {
            let params = SearchParams { value_bias: bias, ..drawn };
            let mut found = Vec::new();
            searched::<_, Compact>(&graph, &(graph.root(), ()), params, seed, |search| {
                let bits = |mut view: NodeView| {
                    assert_eq!(view.bias.take().map_or(0.0, |bias| bias.correction), 0.0);
                    view
                };
                let views: Vec<NodeView> = views(search).into_iter().map(bits).collect();
                found.push((views, search.summary()));
            });
            found
        });
        assert_eq!(found[0], found[1], "seed {seed} {drawn:?}");
    }
}

/// Bucket by bucket: sums of w and of w e.
type Sums = BTreeMap<Key, (f64, f64)>;

/// Sums over the nodes of each bucket by a function of the node.
fn sums_of(views: &[NodeView], part: impl Fn(&NodeView) -> (f64, f64)) -> Sums {
    let mut sums = Sums::new();
    for view in views {
        if let Some(bias) = view.bias {
            let (weight, error) = part(view);
            let sum = sums.entry(bias.bucket).or_default();
            *sum = (sum.0 + weight, sum.1 + error);
        }
    }
    sums
}

/// A node's weight and weighted error, from its children as they stand.
fn observed(view: &NodeView, views: &[NodeView], alpha: f64) -> (f64, f64) {
    let visits: u32 = view.edges.iter().map(|edge| edge.visits).sum();
    if visits == 0 {
        return (0.0, 0.0);
    }
    let value =
        |edge: &dz_search::EdgeView| f64::from(edge.visits) * views[edge.child as usize].value;
    let below = view.edges.iter().map(value).sum::<f64>() / f64::from(visits);
    let weight = f64::from(visits).powf(alpha);
    (weight, weight * (view.own_value - below))
}

fn assert_buckets<D: Domain>(search: &Search<D, Exact>, is_fresh: bool) {
    let params = search.params();
    let alpha = params.value_bias.unwrap().alpha;
    let all = views(search);
    let held = sums_of(&all, |view| view.bias.map_or((0.0, 0.0), |bias| (bias.weight, bias.error)));
    let anew = sums_of(&all, |view| observed(view, &all, alpha));
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()));
    let mut count = 0;
    for bucket in search.buckets() {
        count += 1;
        // No bucket is kept that no node is in, unless its nodes have been proven since.
        let held = held.get(&bucket.key).copied().unwrap_or_default();
        assert!(params.prove || anew.contains_key(&bucket.key), "{bucket:?}");
        assert!(near(bucket.weight, held.0 + bucket.freed_weight), "{bucket:?} {held:?}");
        assert!(near(bucket.error, held.1 + bucket.freed_error), "{bucket:?} {held:?}");
        if is_fresh {
            let anew = anew.get(&bucket.key).copied().unwrap_or_default();
            assert!(near(held.0, anew.0) && near(held.1, anew.1), "{bucket:?} {held:?} {anew:?}");
        }
    }
    assert!(count <= all.len());
    assert!(all.first().is_none_or(|root| root.bias.is_none()), "the root has no bucket");
    for view in &all {
        let is_proven = view.bounds.is_some_and(|(lower, upper)| lower >= upper);
        assert!(view.bias.is_none() || !(is_proven || view.mover.is_none()), "{view:?}");
        assert!(view.value.abs() <= 1.0 - view.draw + 1e-9, "chances: {view:?}");
    }
}

/// At rest every bucket holds what its nodes say, and what freed nodes left. In a tree, and where
/// all ancestors are kept up to date, that is what the graph says.
#[test]
fn buckets_hold_what_their_nodes_say() {
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let shape = random_shape(&mut dice, 0.0);
        let graph = ExplicitGraph::new(&random_graph(&mut dice, shape)).unwrap();
        let drawn = correctable(&mut dice);
        let params = SearchParams {
            value_bias: Some(ValueBias { lambda: 0.7, alpha: dice.share(), freed: dice.share() }),
            leaves_max: dice.pick(&[1, 3, 8]),
            collisions_max: dice.pick(&[0, 4]),
            staleness: if drawn.graph { Staleness::Ancestors } else { Staleness::Path },
            terminals: dz_search::Terminals::Fixed,
            ..drawn
        };
        searched::<_, Exact>(&graph, &(graph.root(), ()), params, seed, |search| {
            assert_buckets(search, true);
        });
    }
    let hex = Hex::new(4, false).unwrap();
    for seed in 0..10 {
        let value_bias = Some(ValueBias::default());
        let params = SearchParams { value_bias, graph: false, ..SearchParams::default() };
        for params in [params, SearchParams { graph: true, leaves_max: 8, ..params }] {
            searched::<_, Exact>(&hex, &position(&hex, &[]), params, seed, |search| {
                assert_buckets(search, !params.graph);
            });
        }
    }
}

fn check_game<G: Game>(game: &G, playouts: u32) {
    for seed in 0..4 {
        for is_graph in [false, true] {
            let mut dice = Dice::new(seed);
            let value_bias = Some(ValueBias { lambda: 0.5, ..ValueBias::default() });
            let params = SearchParams { value_bias, graph: is_graph, ..SearchParams::default() };
            let round = |dice: &mut Dice| Round {
                playouts,
                seed: dice.word(),
                setup: RootSetup::default(),
                keep: Some(true),
            };
            let rounds: Vec<Round> = (0..3).map(|_| round(&mut dice)).collect();
            let judge = Judge::hashed(seed);
            let at = position(game, &[]);
            assert_agrees::<_, Exact>(game, params, &at, &judge, &rounds);
            assert_agrees::<_, Compact>(game, params, &at, &judge, &rounds);
        }
    }
}

/// Games with local patterns, for hundreds of playouts and three moves.
#[test]
fn a_literal_search_of_games_agrees() {
    check_game(&TicTacToe, 300);
    check_game(&Connect4::new(7, 6, 4).unwrap(), 600);
    check_game(&Hex::new(5, true).unwrap(), 400);
    check_game(&Go::from_spec(&"go:size=4".parse().unwrap()).unwrap(), 400);
}

/// A correction uses memory that is counted.
#[test]
fn buckets_count_as_memory() {
    let game = Connect4::new(7, 6, 4).unwrap();
    let bytes = [None, Some(ValueBias::default())].map(|value_bias| {
        let params = SearchParams { value_bias, ..SearchParams::default() };
        let mut search: Search<_, Compact> = search_of(&game, params, &position(&game, &[]));
        run(&mut search, 2000, &Judge::hashed(1));
        (search.bytes(), search.node_count(), search.buckets().count())
    });
    let [(off, ..), (on, nodes, buckets)] = bytes;
    assert!(bytes[0].2 == 0 && buckets > 0 && buckets <= nodes);
    println!("{off} {on} bytes, {nodes} nodes, {buckets} buckets");
    assert!(on > off + 16 * nodes + 48 * buckets, "{bytes:?}");
    assert!(on < off + 128 * nodes, "{bytes:?}");
}
