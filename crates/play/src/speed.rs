//! How fast searches and rollouts are on this machine, one thread.

use std::sync::Arc;
use std::time::Instant;

use dz_game::{Game, mix64};
use dz_infer::{InstantEvaluator, LeafView, Rollout, Sources, Uniform};
use dz_search::{Budget, Gathered, LookedUp, NetworkAnswer, Placement, Search, SearchParams};

use crate::{Thinker, Thought};

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// Runs that it was taken from.
    pub samples: u64,
}

/// Rates of repeated runs.
#[derive(Clone, Debug)]
pub struct Rates {
    /// Work a second of each run, rising.
    sorted: Vec<f64>,
    /// All bytes that the search holds at the end, over its nodes, the root one of them.
    pub bytes_a_node: f64,
}

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Runs, of which the best and the median count; at least 1.
    pub runs: usize,
    /// Searches (or thousands of rollouts) a run.
    pub searches: u32,
    /// Playouts a search.
    pub playouts: u32,
}

impl Effort {
    /// What the tables in benchmarks/ were measured with.
    pub const TABLE: Self = Self { runs: 25, searches: 50, playouts: 800 };
}

impl Rates {
    fn of(mut rates: Vec<f64>, bytes_a_node: f64) -> Self {
        rates.sort_by(f64::total_cmp);
        Self { sorted: rates, bytes_a_node }
    }

    /// Work a second in the best run: what the code can do where nothing disturbs it.
    pub fn best(&self) -> f64 {
        self.sorted.last().copied().unwrap_or(0.0)
    }

    /// Work a second in the middle run.
    pub fn median(&self) -> f64 {
        self.sorted.get(self.sorted.len() / 2).copied().unwrap_or(0.0)
    }

    /// Best and median as figures.
    pub fn figures(&self, name: &str, unit: &'static str) -> [Figure; 2] {
        let samples = self.sorted.len() as u64;
        let figure = |which: &str, value: f64| Figure {
            name: format!("{name}, {which}"),
            value,
            unit,
            samples,
        };
        [figure("best", self.best()), figure("median", self.median())]
    }
}

/// Playouts a second on the measuring game ([`Placement`]) with priors that are looked up, root set-up
/// included.
pub fn placement_rates(params: SearchParams, points: u16, layers: u8, effort: Effort) -> Rates {
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
                let (heuristics, cached) = (&[][..], false);
                let answer = NetworkAnswer { estimate, priors: &priors, heuristics, cached };
                search.apply_network(id, &answer);
            }
        }
        let playouts = f64::from(effort.searches) * f64::from(effort.playouts);
        playouts / started.elapsed().as_secs_f64()
    });
    let rates = rates.collect();
    Rates::of(rates, search.bytes() as f64 / (search.node_count() + 1) as f64)
}

/// Playouts a second in games of a real game, with reuse, from the start to at most 20 plies, over and
/// over.
pub fn game_rates<G: Game>(
    game: &G,
    params: SearchParams,
    evaluator: Arc<dyn InstantEvaluator<G>>,
    effort: Effort,
) -> Rates {
    /// Games are cut here, so that positions of all ages are searched.
    const PLIES: u32 = 20;
    let mut sources = Sources::default();
    sources.add_instant(evaluator);
    let begin = || {
        let search = Search::new(game.clone(), params, game.start(), G::History::default());
        Thinker::at(search, true, 0, (1, 1))
    };
    let mut thinker = begin();
    let rates = (0..effort.runs).map(|_| {
        let started = Instant::now();
        let mut playouts = 0;
        for _ in 0..effort.searches {
            thinker.begin(Budget::Playouts(effort.playouts), None);
            while let Thought::Need(_) = thinker.think(sources.readers()) {}
            let summary = thinker.summary();
            playouts += summary.counts.playouts;
            if let Some(best) = summary.moves.iter().max_by_key(|m| m.visits) {
                thinker.advance(best.mv);
            }
            let (state, history) = thinker.search().position();
            if thinker.ply() >= PLIES || game.to_move(state, history).is_none() {
                thinker = begin();
            }
        }
        playouts as f64 / started.elapsed().as_secs_f64()
    });
    let rates = rates.collect();
    let nodes = (thinker.search().node_count() + 1) as f64;
    Rates::of(rates, thinker.search().bytes() as f64 / nodes)
}

/// Random games a second from the start to the end, thousands of `effort.searches` a run.
pub fn rollout_rates<G: Game>(game: &G, effort: Effort) -> Rates {
    let (state, history) = (game.start(), G::History::default());
    let mut legal = Vec::new();
    game.legal_moves(&state, &history, &mut legal);
    let eval_key = game.eval_key(&state, &history);
    let rollout = Rollout::default();
    let (mut priors, mut number, mut balance) = (Vec::new(), 0, 0.0);
    let rates = (0..effort.runs).map(|_| {
        let started = Instant::now();
        let games = effort.searches * 1000;
        for _ in 0..games {
            number += 1;
            let leaf = LeafView {
                game,
                state: &state,
                history: &history,
                legal: &legal,
                eval_key,
                symmetry: dz_game::Symmetry(0),
                random: mix64(number),
            };
            balance += rollout.evaluate(&leaf, &mut priors).value();
        }
        f64::from(games) / started.elapsed().as_secs_f64()
    });
    let rates = rates.collect();
    // The outcomes are used, so no compiler may leave the games out.
    Rates::of(rates, if f32::is_finite(balance) { 0.0 } else { f64::NAN })
}

/// Every figure of a game: the bars of the measuring game, searches without evaluation cost, rollouts.
pub fn search_figures<G: Game>(game: &G, effort: Effort) -> Vec<Figure> {
    let params = SearchParams::default();
    let mut figures = Vec::new();
    for (points, layers) in [(7, 6), (82, 1), (361, 1)] {
        let rates = placement_rates(params, points, layers, effort);
        let name = format!("placement, {points} moves, {} playouts", effort.playouts);
        figures.extend(rates.figures(&name, "playouts/s"));
        figures.push(Figure {
            name: format!("{name}, memory"),
            value: rates.bytes_a_node,
            unit: "bytes/node",
            samples: 1,
        });
    }
    let spec = game.spec().to_string();
    let uniform = game_rates(game, params, Arc::new(Uniform), effort);
    figures.extend(uniform.figures(&format!("{spec}, uniform evaluator"), "playouts/s"));
    let rollouts = Effort { searches: 2, ..effort };
    figures
        .extend(rollout_rates(game, rollouts).figures(&format!("{spec}, rollouts"), "rollouts/s"));
    figures
}
