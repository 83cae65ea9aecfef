//! Games that are solved: proven values are true, proofs are found within the size of the game, and
//! without proofs the move found is right.
//!
//! Sources: Winands, Bjornsson and Saito 2008, "Monte-Carlo tree search solver", here with lower
//! and upper bounds for draws (Cazenave and Saffidine 2010, "Score bounded Monte-Carlo tree
//! search"). Counts of states and winners come from an independent exhaustive Python program.

#![allow(clippy::unwrap_used)] // These are tests, helpers too.

use std::collections::{BTreeMap, BTreeSet};

use dz_game::games::{Connect4, Hex, TicTacToe};
use dz_game::{Game, Key, Move, Player};
use dz_search::{
    CatchUp, Compact, Domain, Exact, ExplicitGraph, NodeView, Search, SearchParams, Status,
};

use crate::proof::graphs::{certain_and_hoped, random_graph, random_shape};
use crate::proof::{Dice, Judge, position, run, search_graph, search_of};

/// Every position's value to the first player with best play.
struct Solution<'a, G: Game> {
    game: &'a G,
    values: BTreeMap<Key, f64>,
    /// Positions in which the game goes on.
    open: usize,
}

impl<'a, G: Game> Solution<'a, G> {
    fn of(game: &'a G) -> Self {
        let mut this = Self { game, values: BTreeMap::new(), open: 0 };
        let (state, history) = position(game, &[]);
        this.solve(&state, &history);
        this
    }

    fn solve(&mut self, state: &G::State, history: &G::History) -> f64 {
        let key = self.game.node_key(state, history);
        if let Some(&value) = self.values.get(&key) {
            return value;
        }
        let value = match Domain::status(self.game, state, history) {
            Status::Over { value, .. } => value,
            Status::ToMove(player) => {
                self.open += 1;
                let sign = if player == Player::First { 1.0 } else { -1.0 };
                let mut legal = Vec::new();
                Game::legal_moves(self.game, state, history, &mut legal);
                let mut best = -1.0_f64;
                for mv in legal {
                    let (mut state, mut history) = (state.clone(), history.clone());
                    Game::advance(self.game, &mut state, &mut history, mv);
                    best = best.max(sign * self.solve(&state, &history));
                }
                sign * best
            }
        };
        self.values.insert(key, value);
        value
    }

    /// The value after these moves.
    fn after(&self, moves: &[u16]) -> f64 {
        let (state, history) = position(self.game, moves);
        self.values[&self.game.node_key(&state, &history)]
    }
}

fn searched<G: Game>(game: &G, params: SearchParams, playouts: u32) -> Search<G, Exact> {
    let mut search = search_of(game, params, &position(game, &[]));
    run(&mut search, playouts, &Judge::uniform());
    search
}

fn best_move<D: Domain>(search: &Search<D, Exact>) -> Move {
    search.summary().moves.iter().max_by_key(|m| m.visits).unwrap().mv
}

/// With proofs the root is proven within the states that there are; without, the move is right
/// after twenty times as many playouts.
fn check<G: Game>(game: &G, open: usize, value: f64) {
    let solution = Solution::of(game);
    assert_eq!((solution.open, solution.after(&[])), (open, value), "{}", game.spec());
    for (graph, catch_up) in
        [(true, CatchUp::Continue), (true, CatchUp::Stop), (false, CatchUp::Continue)]
    {
        let params = SearchParams { prove: true, graph, catch_up, ..SearchParams::default() };
        let search = searched(game, params, 20 * solution.values.len() as u32);
        let summary = search.summary();
        println!(
            "{} graph {graph} {catch_up:?}: proven {} with {:?}, {} nodes of {}",
            game.spec(),
            summary.proven,
            summary.counts,
            search.node_count(),
            solution.values.len()
        );
        if !graph {
            continue;
        }
        // Stopping at edges that lag behind, it may run out of playouts before the last proof.
        assert!(summary.proven || catch_up == CatchUp::Stop);
        assert!(!summary.proven || summary.value == value);
        assert!(search.node_count() < solution.values.len());
        for node in search.nodes() {
            let (lower, upper) = node.bounds.unwrap();
            let truth = solution.values[&node.key];
            assert!(lower <= truth && truth <= upper, "{truth} {node:?}");
        }
    }
    let search = searched(game, SearchParams::default(), 20 * solution.values.len() as u32);
    assert!(search.node_count() < solution.values.len());
    assert_eq!(solution.after(&[best_move(&search).0]), value, "{}", game.spec());
}

#[test]
fn small_connect4_boards() {
    check(&Connect4::new(3, 3, 3).unwrap(), 505, 0.0);
    check(&Connect4::new(4, 3, 3).unwrap(), 4631, 1.0);
    check(&Connect4::new(4, 4, 3).unwrap(), 23_930, 1.0);
}

#[test]
fn small_hex_boards() {
    for (size, open, winning) in [(2_u8, 23, vec![1, 2]), (3, 4520, vec![2, 3, 4, 5, 6])] {
        let game = Hex::new(size, false).unwrap();
        let solution = Solution::of(&game);
        let found: Vec<u16> =
            (0..u16::from(size * size)).filter(|&mv| solution.after(&[mv]) == 1.0).collect();
        assert_eq!(found, winning);
        check(&game, open, 1.0);
    }
}

#[test]
fn tic_tac_toe() {
    let solution = Solution::of(&TicTacToe);
    assert_eq!((solution.values.len(), solution.after(&[])), (5478, 0.0));
    check(&TicTacToe, solution.open, 0.0);
    let tree = SearchParams { graph: false, ..SearchParams::default() };
    let stop = SearchParams { catch_up: CatchUp::Stop, ..SearchParams::default() };
    // The same numbers as the Python program's.
    for (params, expected) in [(tree, 8865), (SearchParams::default(), 3663), (stop, 2601)] {
        let search = searched(&TicTacToe, params, 20_000);
        let (summary, nodes) = (search.summary(), search.node_count() + 1);
        println!(
            "{} {:?}: {nodes} nodes, Q {}, cut {}",
            params.graph, params.catch_up, summary.value, summary.counts.cut
        );
        assert!(summary.value.abs() < 0.08, "{}", summary.value);
        assert_eq!(nodes, expected);
    }
    for playouts in [10, 100, 1000, 10_000, 50_000] {
        let search = searched(&TicTacToe, SearchParams::default(), playouts);
        assert!(search.node_count() < 5478);
    }
}

#[test]
fn a_win_in_one_is_taken() {
    // X on 0 and 1, O on 3 and 4.
    let at = position(&TicTacToe, &[0, 3, 1, 4]);
    let mut search: Search<_, Exact> = search_of(&TicTacToe, SearchParams::default(), &at);
    run(&mut search, 500, &Judge::uniform());
    let summary = search.summary();
    let best = summary.moves.iter().max_by_key(|m| m.visits).unwrap();
    println!("Q {} share {}", summary.value, f64::from(best.visits) / 499.0);
    assert_eq!(best.mv, Move(2));
    assert!((summary.value - 0.95).abs() < 0.005, "{}", summary.value);
    assert!((f64::from(best.visits) / 499.0 - 0.964).abs() < 0.002, "{}", best.visits);
    let prove = SearchParams { prove: true, ..SearchParams::default() };
    let mut search: Search<_, Exact> = search_of(&TicTacToe, prove, &at);
    run(&mut search, 500, &Judge::uniform());
    let summary = search.summary();
    assert!(summary.proven && summary.value == 1.0);
    assert!(summary.counts.playouts < 10, "{:?}", summary.counts);
}

/// Every node's parts, by number.
fn views(search: &Search<ExplicitGraph, Exact>) -> Vec<NodeView> {
    search.root_node().into_iter().chain(search.nodes()).collect()
}

/// Playout by playout: a position is evaluated once, nothing below a proven node changes, and a
/// move that loses for certain is left alone while there is another.
#[test]
fn what_is_proven_is_not_searched_again() {
    for seed in 0..150 {
        let mut dice = Dice::new(seed);
        let shape = random_shape(&mut dice, 0.0);
        let file = random_graph(&mut dice, shape);
        let graph = ExplicitGraph::new(&file).unwrap();
        let params = SearchParams { prove: true, ..SearchParams::default() };
        let mut search = search_graph::<Exact>(&graph, params);
        let values = certain_and_hoped(&file);
        let mut evaluations = 0;
        let mut before: Vec<NodeView> = Vec::new();
        for _ in 0..200 {
            run(&mut search, 1, &Judge::of_graph());
            evaluations += search.counts().evaluations;
            let after = views(&search);
            for (old, new) in before.iter().zip(&after) {
                assert_quiet(old, new, &before);
            }
            before = after;
        }
        let keys: BTreeSet<Key> = before.iter().skip(1).map(|view| view.key).collect();
        assert_eq!(keys.len() + 1, before.len(), "one node a position");
        let open = before.iter().filter(|view| view.mover.is_some()).count();
        assert_eq!(evaluations, open as u64, "one evaluation a node");
        if search.summary().proven {
            let root = &before[0];
            let truth = values[&graph.id(graph.root())].0;
            assert_eq!(root.value, truth);
        }
    }
}

fn assert_quiet(old: &NodeView, new: &NodeView, before: &[NodeView]) {
    let (lower, upper) = old.bounds.unwrap();
    if lower >= upper && old.mover.is_some() {
        let edges = |view: &NodeView| view.edges.iter().map(|edge| edge.visits).sum::<u32>();
        assert_eq!((edges(old), old.value), (edges(new), new.value), "{old:?} {new:?}");
    }
    let Some(mover) = old.mover else { return };
    let sign = if mover == Player::First { 1.0 } else { -1.0 };
    let is_lost = |child: u32| {
        let (lower, upper) = before[child as usize].bounds.unwrap();
        if sign > 0.0 { upper <= -1.0 } else { -lower <= -1.0 }
    };
    // All moves may be lost before the node hears of it.
    if old.edges.iter().all(|edge| is_lost(edge.child)) {
        return;
    }
    for (edge, now) in old.edges.iter().zip(&new.edges) {
        assert!(!is_lost(edge.child) || edge.visits == now.visits, "{old:?} {new:?}");
    }
}

#[test]
fn compact_numbers_prove_the_same() {
    let game = Connect4::new(4, 3, 3).unwrap();
    let params = SearchParams { prove: true, ..SearchParams::default() };
    let mut search: Search<_, Compact> = search_of(&game, params, &position(&game, &[]));
    run(&mut search, 100_000, &Judge::uniform());
    let summary = search.summary();
    assert!(summary.proven && summary.value == 1.0);
}
