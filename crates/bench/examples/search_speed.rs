//! What each algorithm of the search costs: playouts a second on the measuring game, one thread,
//! the best and the median of runs, and all bytes over nodes.
//!
//! `cargo run --release -p dz-bench --example search_speed -- [RUNS [SEARCHES A RUN]]`

use std::sync::Arc;

use dz_bench::{Effort, SearchRates, game_rates, placement_rates};
use dz_game::games::Connect4;
use dz_infer::{Hashed, Rollout, Uniform};
use dz_play::{PlayerKind, rollout_anchor};
use dz_search::{
    Backup, CatchUp, EpsilonSchedule, FirstPlay, Gumbel, Rave, RaveSchedule, Regularized,
    SearchParams, Selection, Staleness,
};

fn main() {
    let mut words = std::env::args().skip(1).filter_map(|word| word.parse().ok());
    let runs = words.next().unwrap_or(Effort::TABLE.runs as u32) as usize;
    let searches = words.next().unwrap_or(Effort::TABLE.searches);
    let effort = Effort { runs, searches, ..Effort::TABLE };
    println!("{:30} {:>10} {:>10} {:>7}", "settings, moves", "best/s", "median/s", "B/node");
    for (name, params) in settings() {
        for (points, layers) in [(7, 6), (82, 1), (361, 1)] {
            let rates = placement_rates(params, points, layers, effort);
            show(&format!("{name}, {points}"), &rates);
        }
    }
    let game = Connect4::new(7, 6, 4).expect("possible parameters");
    let plain = SearchParams::default();
    show("connect4, uniform", &game_rates(&game, plain, Arc::new(Uniform), effort));
    show("connect4, hashed", &game_rates(&game, plain, Arc::new(Hashed), effort));
    if let PlayerKind::Search(search) = rollout_anchor("anchor", 1).kind {
        let rollouts = Arc::new(Rollout::default());
        show("connect4, rollout anchor", &game_rates(&game, search.params, rollouts, effort));
    }
}

fn show(name: &str, rates: &SearchRates) {
    let (best, median, bytes) =
        (rates.playouts.best(), rates.playouts.median(), rates.bytes_a_node);
    println!("{name:30} {best:10.0} {median:10.0} {bytes:7.0}");
}

fn settings() -> Vec<(&'static str, SearchParams)> {
    let graph = SearchParams::default();
    let selected = |selection: Selection| SearchParams { selection, ..graph };
    let rave = Rave { c: 1.0, schedule: RaveSchedule::Equivalence { k: 1000.0 } };
    let delta = Backup::Delta { tolerance: 0.01, clamp: true };
    let epsilon = EpsilonSchedule::Linear { epsilon: 1.0 / 64.0 };
    vec![
        ("graph, idempotent", graph),
        ("tree, idempotent", SearchParams { graph: false, ..graph }),
        ("graph, stop", SearchParams { catch_up: CatchUp::Stop, ..graph }),
        ("graph, incremental", SearchParams { backup: Backup::Incremental, ..graph }),
        ("graph, delta", SearchParams { backup: delta, ..graph }),
        ("parents", SearchParams { staleness: Staleness::Parents, ..graph }),
        ("all ancestors", SearchParams { staleness: Staleness::Ancestors, ..graph }),
        ("proven values", SearchParams { prove: true, ..graph }),
        ("FPU reduction", SearchParams { fpu: FirstPlay::Reduction(0.2), ..graph }),
        ("epsilon trick", SearchParams { epsilon, ..graph }),
        ("UCT", selected(Selection::Uct { c: 1.4 })),
        ("RAVE", selected(Selection::Rave(rave))),
        ("Gumbel", selected(Selection::Gumbel(Gumbel::default()))),
        ("regularised", selected(Selection::Regularized(Regularized { c: 1.25, sample: true }))),
    ]
}
