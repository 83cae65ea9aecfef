//! One search alone with its evaluator, beside many searches that share it, as self-play's do.

use std::time::{Duration, Instant};

use dz_game::Game;
use dz_infer::{
    Evaluation, EvaluatorError, GameTask, Lockstep, LockstepCounts, Readers, Request, Roster,
    Sources,
};
use dz_play::{GameSeed, MoveSearch, Opening, Pipeline, SearchStep, distinct_openings};
use dz_search::{Budget, RootSetup, Search, SearchParams};

/// Random plies before a search begins, so that no two are the same.
const OPENING_PLIES: u32 = 4;

/// What is measured, for how long.
#[derive(Clone, Copy, Debug)]
pub struct EngineEffort {
    /// Playouts of a search.
    pub playouts: u32,
    /// Searches at once where many share the evaluator.
    pub parallel: usize,
    /// Length of a measurement.
    pub time: Duration,
}

impl EngineEffort {
    /// What the table in benchmarks/engine.md was measured with: self-play's usual numbers.
    pub const TABLE: Self = Self { playouts: 400, parallel: 256, time: Duration::from_millis(600) };
}

/// Evaluations a second of many searches in lockstep, in two groups; source `source` evaluates. The
/// first batches fill the device and are not counted, nor is the end, where batches run empty.
///
/// # Errors
/// What the evaluator reports.
pub fn lockstep_rate<G: Game>(
    game: &G,
    params: SearchParams,
    sources: &mut Sources<G>,
    source: usize,
    effort: EngineEffort,
) -> Result<f64, EvaluatorError> {
    let mut crowd = Crowd {
        game,
        params,
        source,
        effort,
        openings: distinct_openings(game, OPENING_PLIES, effort.parallel, 7),
        begun: 0,
        warm: None,
        rate: None,
    };
    let lockstep = Lockstep { parallel_games: effort.parallel, groups: 2 };
    lockstep.run(sources, &mut crowd)?;
    Ok(crowd.rate.unwrap_or(0.0))
}

/// Evaluations a second of one search after another, each alone with source `source`, with
/// `params.leaves_max` leaves in flight.
///
/// # Errors
/// What the evaluator reports.
pub fn single_rate<G: Game>(
    game: &G,
    params: SearchParams,
    sources: &mut Sources<G>,
    source: usize,
    effort: EngineEffort,
) -> Result<f64, EvaluatorError> {
    // Others than those in lockstep, whose evaluations are in the cache.
    let openings = distinct_openings(game, OPENING_PLIES, effort.parallel, 8);
    let begun = Instant::now();
    let mut evaluations = 0_u64;
    let mut pipeline = Pipeline::default();
    for (number, opening) in openings.iter().cycle().enumerate() {
        let mut search = search_after(game, params, source, opening, number as u64);
        search.begin(Budget::Playouts(effort.playouts), RootSetup::default());
        while search.step_pipelined(sources, &mut pipeline)? {}
        evaluations += search.search().counts().evaluations;
        if begun.elapsed() >= effort.time {
            break;
        }
    }
    Ok(evaluations as f64 / begun.elapsed().as_secs_f64())
}

fn search_after<G: Game>(
    game: &G,
    params: SearchParams,
    source: usize,
    opening: &Opening,
    number: u64,
) -> MoveSearch<G> {
    let mut state = game.start();
    let mut history = G::History::default();
    for &mv in &opening.moves {
        game.advance(&mut state, &mut history, mv);
    }
    let search = Search::new(game.clone(), params, state, history);
    MoveSearch::at(search, false, source, GameSeed { run_seed: 1, game_number: number })
}

/// Searches without end, until the time is over.
struct Crowd<'a, G: Game> {
    game: &'a G,
    params: SearchParams,
    source: usize,
    effort: EngineEffort,
    openings: Vec<Opening>,
    begun: u64,
    /// When counting began, and what had been done by then.
    warm: Option<(Instant, u64)>,
    rate: Option<f64>,
}

struct Lone<G: Game>(MoveSearch<G>);

impl<G: Game> GameTask<G> for Lone<G> {
    fn resume(&mut self, readers: &Readers<G>, request: &mut Request) -> bool {
        self.0.step(readers, request) == SearchStep::Asks
    }

    fn apply(&mut self, evaluation: &Evaluation) {
        self.0.apply(evaluation);
    }
}

impl<G: Game> Roster<Lone<G>> for Crowd<'_, G> {
    type Error = EvaluatorError;

    fn next(&mut self) -> Option<Lone<G>> {
        if self.rate.is_some() || self.openings.is_empty() {
            return None;
        }
        let opening = &self.openings[self.begun as usize % self.openings.len()];
        let mut search = search_after(self.game, self.params, self.source, opening, self.begun);
        self.begun += 1;
        // Searches begin at different lengths, so that they do not end together.
        let short = if self.begun <= self.effort.parallel as u64 {
            1 + self.begun as u32 * self.effort.playouts / self.effort.parallel as u32
        } else {
            self.effort.playouts
        };
        search.begin(Budget::Playouts(short), RootSetup::default());
        Some(Lone(search))
    }

    fn finished(&mut self, _: Lone<G>, _: &LockstepCounts) -> Result<(), EvaluatorError> {
        Ok(())
    }

    fn step(&mut self, counts: &LockstepCounts) {
        match self.warm {
            None if counts.batches >= 8 => self.warm = Some((Instant::now(), counts.evaluations)),
            Some((begun, before)) if begun.elapsed() >= self.effort.time => {
                let done = counts.evaluations - before;
                self.rate.get_or_insert(done as f64 / begun.elapsed().as_secs_f64());
            }
            _ => {}
        }
    }
}
