//! A whole search graph, pinned. `UPDATE_GOLDEN=1 cargo test -p dz-search` rewrites the files.

#![allow(clippy::format_push_string)] // Clearer than writing to a String, which cannot fail.

use crate::common::{hashed, noise, puct, puct_of, run_with, search_at};
use dz_game::{Game, games::Connect4};
use dz_search::{Budget, CatchUp, FirstPlay, Search, SearchParams, Selection};
use dz_testkit::golden;

#[test]
fn graph_with_noise_and_reuse() {
    let params = SearchParams {
        fpu: FirstPlay::Reduction(0.2),
        selection: puct_of(1.1),
        catch_up: CatchUp::Continue,
        ..puct()
    };
    check("graph", params);
}

#[test]
fn tree_by_uct() {
    check("tree", SearchParams { graph: false, selection: Selection::Uct { c: 1.4 }, ..puct() });
}

fn check(name: &str, params: SearchParams) {
    let game = Connect4::new(4, 4, 3).expect("a possible board");
    let mut search = search_at(&game, params, &[1]);
    let noise = noise(0.5, 0.25);
    run_with(&mut search, Budget::Playouts(60), 11, Some(noise), hashed);
    let mut text = listing(&search);
    let summary = search.summary();
    let best = summary.moves.iter().max_by_key(|m| m.visits).expect("moves").mv;
    search.advance(best, true);
    run_with(&mut search, Budget::Playouts(30), 12, Some(noise), hashed);
    text += &format!("\nafter move {}\n{}", game.format_move(best), listing(&search));
    let path = format!("{}/tests/goldens/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let golden = golden(path.as_ref(), &text);
    assert!(text == golden, "{path} differs; look at the difference, then UPDATE_GOLDEN=1");
}

fn listing(search: &Search<Connect4>) -> String {
    let summary = search.summary();
    let mut text = format!("root N {} {:?}\n{:?}\n", summary.visits, summary.wdl, summary.counts);
    for m in &summary.moves {
        let value = m.wdl.map_or("none".to_owned(), |wdl| format!("{:.6}", wdl.value()));
        let mv = search.domain().format_move(m.mv);
        let child = search.root_child(m.mv);
        text += &format!("  {mv} N {} P {:.6} Q {value} -> {child:?}\n", m.visits, m.prior);
    }
    for node in search.nodes() {
        let (q, u) = (node.average.value(), node.own.value());
        let (id, visits, mover) = (node.id, node.visits, node.mover.map_or("over", |p| p.name()));
        text += &format!("{id} {mover} N {visits} Q {q:.6} U {u:.6}:");
        for edge in &node.edges {
            let mv = search.domain().format_move(edge.mv);
            text += &format!(" {mv}x{}->{}", edge.visits, edge.child);
        }
        text.push('\n');
    }
    text
}
