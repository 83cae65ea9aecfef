//! Time of a whole search, root set-up included: 800 playouts on the measuring game, where
//! positions transpose and priors are looked up. `cargo bench -p dz-bench`.

#![allow(missing_docs, reason = "criterion's macros make functions without")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dz_bench::{LookedUp, Placement};
use dz_search::{Backup, Budget, CatchUp, Gathered, NetworkAnswer, Search, SearchParams};

const PLAYOUTS: u32 = 800;

fn searches(criterion: &mut Criterion) {
    let graph = SearchParams::default();
    let settings = [
        ("idempotent", graph),
        ("stop", SearchParams { catch_up: CatchUp::Stop, ..graph }),
        ("incremental", SearchParams { backup: Backup::Incremental, ..graph }),
        ("delta", SearchParams { backup: Backup::Delta { tolerance: 0.01, clamp: true }, ..graph }),
        ("tree", SearchParams { graph: false, ..graph }),
    ];
    for (points, layers) in [(7, 6), (82, 1), (361, 1)] {
        let mut group = criterion.benchmark_group(format!("{points} moves"));
        group.throughput(Throughput::Elements(u64::from(PLAYOUTS))).sample_size(25);
        for (name, params) in settings {
            let game = Placement::new(points, layers);
            let tables = LookedUp::new(points);
            let mut search: Search<Placement> = Search::new(game.clone(), params, game.start(), ());
            let mut priors = Vec::new();
            group.bench_function(name, |bencher| {
                bencher.iter(|| run(&mut search, &game, &tables, &mut priors));
            });
        }
    }
}

fn run(
    search: &mut Search<Placement>,
    game: &Placement,
    tables: &LookedUp,
    priors: &mut Vec<f32>,
) -> u32 {
    search.reset(game.start(), ());
    search.start(Budget::Playouts(PLAYOUTS), 0, None);
    while let Gathered::Need(id) = search.gather() {
        let (Some(key), Some(leaf)) = (search.leaf_eval_key(id), search.leaf(id)) else { break };
        let estimate = tables.evaluate(key, leaf.legal, priors);
        let answer = NetworkAnswer::new(estimate, priors);
        search.apply_network(id, &answer);
    }
    search.counts().playouts as u32
}

criterion_group!(benches, searches);
criterion_main!(benches);
