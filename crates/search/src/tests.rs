//! What only the inside of a search can show: the update is idempotent, and the table finds nodes.

use dz_game::{Game, Key, Wdl, games::Connect4, games::TicTacToe, mix64};

use crate::{
    Budget, CatchUp, Fpu, Gathered, Search, SearchParams, Selection, TieBreak,
    arena::{Absolute, NodeId, Prior},
    backup,
    table::Table,
};

const PARAMS: SearchParams = SearchParams {
    graph: true,
    selection: Selection::Puct { c_puct: 1.5 },
    fpu: Fpu::Absolute(0.0),
    catch_up: CatchUp::Continue,
    tie_break: TieBreak::LowestMove,
    nodes_max: u32::MAX,
};

/// A search from the start with values that are a function of the position.
fn searched<G: Game>(game: &G, params: SearchParams, playouts: u32) -> Search<G> {
    let mut search = Search::new(game.clone(), params, game.start(), G::History::default());
    search.start(Budget::Playouts(playouts), 0, None);
    while search.gather() == Gathered::Need {
        let word = mix64(search.leaf_eval_key().expect("a leaf waits").low);
        let win = (word >> 56) as f32 / 256.0;
        let moves = search.leaf().expect("a leaf waits").legal.len();
        search.apply(Wdl { win, draw: 0.0, loss: 1.0 - win }, &vec![1.0 / moves as f32; moves]);
    }
    search
}

fn averages<G: Game>(search: &Search<G>) -> Vec<(u32, Absolute)> {
    search.arena.nodes.iter().map(|node| (node.visits, node.average)).collect()
}

fn refresh_all<G: Game>(search: &mut Search<G>) {
    // Most children are younger than their parents; rounds make up for the others.
    for id in (0..search.arena.nodes.len() as u32).rev() {
        backup::refresh(&mut search.arena, NodeId(id));
    }
}

#[test]
fn refreshing_a_tree_changes_nothing() {
    let mut search = searched(&TicTacToe, SearchParams { graph: false, ..PARAMS }, 3000);
    let before = averages(&search);
    refresh_all(&mut search);
    assert_eq!(averages(&search), before);
}

#[test]
fn refreshing_a_graph_comes_to_rest() {
    for catch_up in [CatchUp::Continue, CatchUp::Stop] {
        for game in [Connect4::new(4, 4, 3).unwrap(), Connect4::new(7, 6, 4).unwrap()] {
            let mut search = searched(&game, SearchParams { catch_up, ..PARAMS }, 3000);
            let mut rounds = 0;
            loop {
                let before = averages(&search);
                refresh_all(&mut search);
                if averages(&search) == before {
                    break;
                }
                rounds += 1;
                assert!(rounds <= 42, "no longer than the longest line");
            }
            assert!(rounds > 0, "paths alone are kept fresh, so something was stale");
        }
    }
}

/// Keys that agree in the bits that a slot compares or that choose the slot are still told apart.
#[test]
fn the_table_compares_whole_keys() {
    let mut table = Table::default();
    let mut keys: Vec<Key> = Vec::new();
    let clash = |i: u64| Key { high: 7 | (i % 3) << 32, low: 5 | i << 40 };
    for i in 0..1000 {
        let key = if i % 2 == 0 { clash(i) } else { Key { high: mix64(i), low: mix64(!i) } };
        assert_eq!(table.get(key, &keys), None);
        keys.push(key);
        table.insert(key, NodeId(i as u32), &keys);
    }
    for (i, &key) in keys.iter().enumerate() {
        assert_eq!(table.get(key, &keys), Some(NodeId(i as u32)));
    }
    table.clear();
    assert_eq!(table.get(keys[0], &keys), None);
}

#[test]
fn priors_keep_sixteen_bits() {
    for i in 0..=1000u16 {
        let p = f32::from(i) / 1000.0;
        assert!((Prior::new(0, p).probability() - p).abs() <= 0.5 / 65535.0 + 1e-7, "{p}");
    }
    assert_eq!(Prior::new(0, 1.5).probability(), 1.0);
    assert_eq!(Prior::new(0, -0.5).probability(), 0.0);
    assert_eq!(Prior::new(0, f32::NAN).probability(), 0.0);
}
