//! The core against the literal reference: equal visits and equal bits of Q, move by move.

mod common;

use std::collections::BTreeMap;

use common::{Judge, PUCT, forgetful::Forgetful, hashed, position, reference::Reference, uniform};
use dz_game::{Game, games::Connect4, games::Shuttle, games::TicTacToe, mix64};
use dz_search::{Budget, CatchUp, Fpu, Gathered, Search, SearchParams, Selection};

fn settings() -> Vec<SearchParams> {
    let mut all = Vec::new();
    for graph in [true, false] {
        for catch_up in [CatchUp::Continue, CatchUp::Stop] {
            for fpu in [Fpu::Absolute(0.0), Fpu::Absolute(-0.3), Fpu::Reduction(0.2)] {
                for c_puct in [0.8, 1.5] {
                    let selection = Selection::Puct { c_puct };
                    all.push(SearchParams { graph, selection, fpu, catch_up, ..PUCT });
                }
            }
            let selection = Selection::Uct { c: std::f32::consts::SQRT_2 };
            all.push(SearchParams { graph, selection, catch_up, ..PUCT });
        }
    }
    all
}

/// Runs both to `playouts` and compares them at every power of two and at the end.
fn compare<G: Game>(game: &G, params: SearchParams, moves: &[u16], playouts: u32, judge: Judge) {
    let (state, history) = position(game, moves);
    let mut reference = Reference {
        game,
        params,
        judge,
        nodes: BTreeMap::new(),
        root: None,
        cycle_ends: 0,
        cut: 0,
    };
    let mut search = Search::new(game.clone(), params, state.clone(), history.clone());
    search.start(Budget::Playouts(playouts), 0, None);
    let mut done = 0;
    loop {
        let gathered = search.gather();
        while done < search.counts().playouts {
            reference.playout(&state, &history);
            done += 1;
        }
        let at_rest = gathered == Gathered::Decided || (done.is_power_of_two() && at_rest(&search));
        if at_rest {
            let context = format!("{} after {moves:?}, {done} playouts, {params:?}", game.spec());
            assert_equal(&search, &reference, &context);
        }
        if gathered == Gathered::Decided {
            break;
        }
        common::feed(&mut search, judge);
    }
    assert_eq!(done, u64::from(playouts));
}

/// False while the playout of an open leaf has made nodes or edges that are not counted yet.
fn at_rest<G: Game>(search: &Search<G>) -> bool {
    search.nodes().all(|node| node.edges.iter().all(|edge| edge.visits > 0))
}

fn assert_equal<G: Game>(search: &Search<G>, reference: &Reference<'_, G>, context: &str) {
    let summary = search.summary();
    let root = reference.root.as_ref().expect("evaluated");
    assert_eq!(summary.visits, root.visits, "{context}");
    assert_eq!(summary.wdl.draw.to_bits(), root.draw.to_bits(), "{context}");
    assert_eq!(
        (root.sign * summary.wdl.value()).to_bits(),
        as_seen(root.value, root.draw),
        "{context}"
    );
    let visits: Vec<(u16, u32)> = summary.moves.iter().map(|m| (m.mv.0, m.visits)).collect();
    let expected: Vec<(u16, u32)> = root.edges.iter().map(|e| (e.mv, e.visits)).collect();
    assert_eq!(visits, expected, "{context}");
    assert_eq!(search.node_count(), reference.nodes.len(), "{context}");
    assert_eq!(search.counts().cycle_ends, reference.cycle_ends, "{context}");
    assert_eq!(search.counts().cut, reference.cut, "{context}");
    let mut nodes: Vec<(u32, u32, u32)> = search
        .nodes()
        .map(|n| (n.visits, n.average.value().to_bits(), n.average.draw.to_bits()))
        .collect();
    let mut expected: Vec<(u32, u32, u32)> = reference
        .nodes
        .values()
        .map(|n| (n.visits, as_seen(n.value, n.draw), n.draw.to_bits()))
        .collect();
    nodes.sort_unstable();
    expected.sort_unstable();
    assert_eq!(nodes, expected, "{context}");
}

/// The bits of a value that went through the chances of the first player, as views do.
fn as_seen(value: f32, draw: f32) -> u32 {
    let decided = 1.0 - draw;
    let (win, loss) = ((0.5 * (decided + value)).max(0.0), (0.5 * (decided - value)).max(0.0));
    (win - loss).to_bits()
}

/// A few legal moves from the start, by seed.
fn random_moves<G: Game>(game: &G, seed: u64) -> Vec<u16> {
    let (mut state, mut history) = (game.start(), G::History::default());
    let (mut moves, mut legal) = (Vec::new(), Vec::new());
    for ply in 0..seed % 5 {
        game.legal_moves(&state, &history, &mut legal);
        let mv = legal[(mix64(seed ^ mix64(ply)) % legal.len() as u64) as usize];
        game.advance(&mut state, &mut history, mv);
        if game.to_move(&state, &history).is_none() {
            break;
        }
        moves.push(mv.0);
    }
    moves
}

fn compare_all<G: Game>(game: &G, playouts: u32, seeds: u64) {
    for params in settings() {
        for seed in 0..seeds {
            let moves = random_moves(game, seed);
            compare(game, params, &moves, playouts, hashed);
        }
        compare(game, params, &[], playouts, uniform);
    }
}

#[test]
fn tictactoe() {
    compare_all(&TicTacToe, 400, 8);
}

#[test]
fn small_connect_four() {
    compare_all(&Connect4::new(4, 4, 3).unwrap(), 300, 8);
    compare_all(&Connect4::new(5, 4, 4).unwrap(), 200, 4);
}

#[test]
fn connect_four() {
    compare_all(&Connect4::new(7, 6, 4).unwrap(), 150, 4);
}

#[test]
fn shuttle_with_its_past() {
    let game = Shuttle::from_spec(&"shuttle:length=7".parse().unwrap()).unwrap();
    compare_all(&game, 300, 4);
}

#[test]
fn cycles() {
    compare_all(&Forgetful { length: 7 }, 300, 4);
    compare_all(&Forgetful { length: 15 }, 300, 2);
}
