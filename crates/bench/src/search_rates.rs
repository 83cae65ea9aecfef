//! How fast searches are.

use std::sync::Arc;
use std::time::Instant;

use dz_game::Game;
use dz_infer::{InstantEvaluator, Request, Sources, Uniform};
use dz_play::{GameSeed, MoveSearch, SearchStep};
use dz_search::{Budget, Gathered, NetworkAnswer, Search, SearchParams};

use crate::placement::{LookedUp, Placement};
use crate::rates::{Effort, Rates};
use crate::row::BenchRow;

/// Speed and size of a search.
#[derive(Clone, Debug)]
pub struct SearchRates {
    /// Playouts a second.
    pub playouts: Rates,
    /// All bytes that the search holds at the end, over its nodes, the root one of them.
    pub bytes_a_node: f64,
}

/// Playouts a second on the measuring game ([`Placement`]) with priors that are looked up, root
/// set-up included.
pub fn placement_rates(
    params: SearchParams,
    points: u16,
    layers: u8,
    effort: Effort,
) -> SearchRates {
    let game = Placement::new(points, layers);
    let tables = LookedUp::new(points);
    let mut search: Search<Placement> = Search::new(game.clone(), params, game.start(), ());
    let mut priors = Vec::new();
    let rates = (0..effort.runs).map(|_| {
        let started = Instant::now();
        for seed in 0..effort.searches {
            search.reset(game.start(), ());
            search.start(Budget::Playouts(effort.playouts), u64::from(seed), None);
            while let Gathered::Need(id) = search.gather() {
                let (Some(key), Some(leaf)) = (search.leaf_eval_key(id), search.leaf(id)) else {
                    break;
                };
                let estimate = tables.evaluate(key, leaf.legal, &mut priors);
                let heuristics = &[][..];
                let cached = false;
                let answer =
                    NetworkAnswer { heuristics, cached, ..NetworkAnswer::new(estimate, &priors) };
                search.apply_network(id, &answer);
            }
        }
        let playouts = f64::from(effort.searches) * f64::from(effort.playouts);
        playouts / started.elapsed().as_secs_f64()
    });
    SearchRates {
        playouts: Rates::new(rates.collect()),
        bytes_a_node: search.bytes() as f64 / (search.node_count() + 1) as f64,
    }
}

/// Playouts a second in games of a real game, with reuse, from the start to at most 20 plies, over
/// and over.
pub fn game_rates<G: Game>(
    game: &G,
    params: SearchParams,
    evaluator: Arc<dyn InstantEvaluator<G>>,
    effort: Effort,
) -> SearchRates {
    /// Games are cut here, so that positions of all ages are searched.
    const PLIES: u32 = 20;
    let mut sources = Sources::default();
    sources.add_instant(evaluator);
    let begin = || {
        let search = Search::new(game.clone(), params, game.start(), G::History::default());
        MoveSearch::at(search, true, 0, GameSeed { run_seed: 1, game_number: 1 })
    };
    let mut search = begin();
    let mut request = Request::default();
    let rates = (0..effort.runs).map(|_| {
        let started = Instant::now();
        let mut playouts = 0;
        for _ in 0..effort.searches {
            search.begin(Budget::Playouts(effort.playouts), None);
            while search.step(sources.readers(), &mut request) == SearchStep::Asks {}
            let summary = search.summary();
            playouts += summary.counts.playouts;
            if let Some(best) = summary.moves.iter().max_by_key(|m| m.visits) {
                search.advance(best.mv);
            }
            let (state, history) = search.search().position();
            if search.ply() >= PLIES || game.to_move(state, history).is_none() {
                search = begin();
            }
        }
        playouts as f64 / started.elapsed().as_secs_f64()
    });
    let playouts = Rates::new(rates.collect());
    let nodes = (search.search().node_count() + 1) as f64;
    SearchRates { playouts, bytes_a_node: search.search().bytes() as f64 / nodes }
}

/// Returns every row of a game: the measuring game at three sizes, then searches that cost no
/// evaluation.
pub(crate) fn search_rows<G: Game>(game: &G, effort: Effort) -> Vec<BenchRow> {
    let params = SearchParams::default();
    let mut rows = Vec::new();
    for (points, layers) in [(7, 6), (82, 1), (361, 1)] {
        let rates = placement_rates(params, points, layers, effort);
        let name = format!("placement, {points} moves, {} playouts", effort.playouts);
        rows.extend(rates.playouts.rows(&name, "playouts/s"));
        rows.push(BenchRow::new(&format!("{name}, memory"), rates.bytes_a_node, "bytes/node", 1));
    }
    let name = format!("{}, uniform evaluator", game.spec());
    let uniform = game_rates(game, params, Arc::new(Uniform), effort);
    rows.extend(uniform.playouts.rows(&name, "playouts/s"));
    rows
}
