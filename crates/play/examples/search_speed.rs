//! Speed of the search, one thread: playouts a second at Connect Four, with an evaluator that costs
//! nothing and with rollouts.
//!
//! `cargo run --release -p dz-play --example search_speed -- [PLAYOUTS OF A MEASUREMENT]`

use std::{sync::Arc, time::Instant};

use dz_game::{Game, games::Connect4};
use dz_infer::{Hashed, InstantEvaluator, Rollout, Sources, Uniform};
use dz_play::{PlayerKind, Thinker, Thought, rollout_anchor};
use dz_search::{Budget, FirstPlay, Puct, Search, SearchParams, Selection};

/// Playouts of one measurement, unless the command line says otherwise.
const PLAYOUTS: u32 = 800_000;

fn main() {
    let game = Connect4::new(7, 6, 4).expect("possible parameters");
    let graph = SearchParams {
        selection: Selection::Puct(Puct::constant(1.1)),
        fpu: FirstPlay::Reduction(0.2),
        ..SearchParams::default()
    };
    let tree = SearchParams { graph: false, ..graph };
    let PlayerKind::Search { params: uct, .. } = rollout_anchor("anchor", 1, 0).kind else {
        unreachable!("the anchor searches");
    };
    for playouts in [100, 800] {
        measure(&game, "uniform, graph", graph, playouts, Arc::new(Uniform));
        measure(&game, "uniform, tree", tree, playouts, Arc::new(Uniform));
        measure(&game, "hashed, graph", graph, playouts, Arc::new(Hashed));
    }
    measure(&game, "rollout anchor", uct, 1000, Arc::new(Rollout::default()));
}

fn measure(
    game: &Connect4,
    name: &str,
    params: SearchParams,
    playouts: u32,
    evaluator: Arc<dyn InstantEvaluator<Connect4>>,
) {
    let mut sources = Sources::default();
    sources.add_instant(evaluator);
    let search = Search::new(game.clone(), params, game.start(), ());
    let mut thinker = Thinker::at(search, false, 0, (1, 1));
    let (mut evaluations, mut nodes, mut bytes) = (0, 0, 0);
    let started = Instant::now();
    let total = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(PLAYOUTS);
    let searches = total / playouts;
    for number in 0..searches {
        thinker.begin(Budget::Playouts(playouts), None);
        let Thought::Decided = thinker.think(sources.readers()) else {
            unreachable!("instant evaluators answer at once");
        };
        let summary = thinker.summary();
        evaluations += summary.counts.evaluations;
        (nodes, bytes) = (thinker.search().node_count(), thinker.search().bytes());
        // Games of 20 plies, so that positions of all ages are searched.
        let best = summary.moves.iter().max_by_key(|m| m.visits).expect("the game goes on").mv;
        thinker.advance(best);
        let (state, history) = thinker.search().position();
        if number % 20 == 19 || game.to_move(state, history).is_none() {
            let search = Search::new(game.clone(), params, game.start(), ());
            thinker = Thinker::at(search, false, 0, (1, 1));
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let done = f64::from(searches) * f64::from(playouts);
    println!(
        "{name:16} {playouts:5} playouts: {:8.0} playouts/s, {:8.0} evaluations/s, {} bytes a node",
        done / seconds,
        evaluations as f64 / seconds,
        bytes / nodes.max(1),
    );
}
