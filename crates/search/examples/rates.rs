//! Playouts a second and bytes a node, one thread, on the measuring game: best and median of runs.
//!
//! `cargo run --release -p dz-search --example rates -- [RUNS [SEARCHES A RUN]]`

use std::time::Instant;

use dz_search::{
    Backup, Budget, CatchUp, Gathered, LookedUp, NetworkAnswer, Placement, Search, SearchParams,
    Staleness,
};

const PLAYOUTS: u32 = 800;

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|word| word.parse().ok());
    let runs: usize = arguments.next().unwrap_or(25);
    let searches: u32 = arguments.next().unwrap_or(50) as u32;
    let graph = SearchParams::default();
    let settings = [
        ("graph, idempotent", graph),
        ("graph, stop", SearchParams { catch_up: CatchUp::Stop, ..graph }),
        ("graph, incremental", SearchParams { backup: Backup::Incremental, ..graph }),
        (
            "graph, delta",
            SearchParams { backup: Backup::Delta { tolerance: 0.01, clamp: true }, ..graph },
        ),
        ("graph, all ancestors", SearchParams { staleness: Staleness::Ancestors, ..graph }),
        ("tree, incremental", SearchParams { graph: false, backup: Backup::Incremental, ..graph }),
    ];
    println!(
        "{:22} {:>5} {:>10} {:>10} {:>7}",
        "settings", "moves", "best/s", "median/s", "B/node"
    );
    for (name, params) in settings {
        for (points, layers) in [(7, 6), (82, 1), (361, 1)] {
            measure(name, params, points, layers, runs, searches);
        }
    }
}

fn measure(name: &str, params: SearchParams, points: u16, layers: u8, runs: usize, searches: u32) {
    let game = Placement::new(points, layers);
    let tables = LookedUp::new(points);
    let mut search: Search<Placement> = Search::new(game.clone(), params, game.start(), ());
    let mut priors = Vec::new();
    let mut rates: Vec<f64> = (0..runs)
        .map(|_| {
            let started = Instant::now();
            for seed in 0..searches {
                search.reset(game.start(), ());
                search.start(Budget::Playouts(PLAYOUTS), u64::from(seed), None);
                while let Gathered::Need(leaf) = search.gather() {
                    let Some(key) = search.leaf_eval_key(leaf) else { break };
                    let Some(open) = search.leaf(leaf) else { break };
                    let estimate = tables.evaluate(key, open.legal, &mut priors);
                    let (heuristics, cached) = (&[][..], false);
                    let answer = NetworkAnswer { estimate, priors: &priors, heuristics, cached };
                    search.apply_network(leaf, &answer);
                }
            }
            f64::from(PLAYOUTS) * f64::from(searches) / started.elapsed().as_secs_f64()
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    println!(
        "{name:22} {points:5} {:10.0} {:10.0} {:7.0}",
        rates[runs - 1],
        rates[runs / 2],
        search.bytes() as f64 / (search.node_count() + 1) as f64,
    );
}
