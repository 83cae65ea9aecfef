//! What a setting costs in a search of a game, with an evaluator that takes no time.
//!
//! ```sh
//! cargo run --release -p dz-search --example value_bias -- go:size=9
//! cargo run --release -p dz-search --example value_bias -- go:size=9 search.value_bias_lambda=0.35
//! ```
//!
//! It prints the best of nine rounds and a hash of what the searches found. With `ROUNDS=1` and
//! `valgrind --tool=callgrind` it counts instructions.

use std::time::Instant;

use dz_game::{Game, GameSpec, mix64, with_game};
use dz_search::{Budget, Gathered, NetworkAnswer, Search, SearchParams, ValuePov};
use dz_search_settings::{SearchSection, SearchSettings};

/// Playouts a search.
const PLAYOUTS: u32 = 800;

/// Searches a round.
const SEARCHES: u64 = 50;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let spec: GameSpec = arguments.next().unwrap_or_default().parse().expect("a game");
    let overrides: Vec<String> = arguments.collect();
    let (section, _) = SearchSection::plain().with_overrides(&overrides).expect("settings");
    let params = SearchSettings::of(&section).params;
    params.validate().expect("settings that fit each other");
    with_game!(&spec, |game| measure(&game, params)).expect("possible parameters");
}

fn measure<G: Game>(game: &G, params: SearchParams) {
    let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(9);
    let mut search: Search<G> =
        Search::new(game.clone(), params, game.start(), G::History::default());
    let mut found = 0;
    let best = (0..rounds).map(|_| {
        let begin = Instant::now();
        found = (0..SEARCHES).fold(0, |hash, seed| mix64(hash ^ search_once(&mut search, seed)));
        begin.elapsed().as_secs_f64()
    });
    let seconds = best.fold(f64::INFINITY, f64::min);
    let playouts = SEARCHES as f64 * f64::from(PLAYOUTS);
    let bytes = search.bytes() / search.node_count().max(1);
    println!(
        "{}: {:.3} M playouts/s, {bytes} bytes a node, {} nodes, found {found:016x}",
        game.spec(),
        playouts / seconds / 1e6,
        search.node_count(),
    );
}

/// Searches from the start and returns a hash of the root's visits.
fn search_once<G: Game>(search: &mut Search<G>, seed: u64) -> u64 {
    let start = search.domain().start();
    search.reset(start, G::History::default());
    search.start(Budget::Playouts(PLAYOUTS), seed, None);
    let mut priors = Vec::new();
    while let Gathered::Need(id) = search.gather() {
        let key = search.leaf_eval_key(id).map_or(0, |key| key.low ^ seed);
        let moves = search.leaf(id).map_or(0, |leaf| leaf.legal.len());
        let share = |salt: u64| ((mix64(key ^ salt) >> 40) + 1) as f32 / (1_u64 << 24) as f32;
        priors.clear();
        priors.extend((1..=moves as u64).map(|salt| share(salt).powi(4)));
        let sum: f32 = priors.iter().sum();
        for prior in &mut priors {
            *prior /= sum;
        }
        let estimate = ValuePov { value: 0.6 * (share(0) - 0.5), draw: 0.0 };
        let margin = Some(20.0 * (share(1000) - 0.5));
        let error = Some(share(1001));
        let answer = NetworkAnswer { margin, error, ..NetworkAnswer::new(estimate, &priors) };
        search.apply_network(id, &answer);
    }
    let visits = search.summary().moves.into_iter().map(|m| u64::from(m.visits));
    visits.fold(0, |hash, visits| mix64(hash ^ visits))
}
