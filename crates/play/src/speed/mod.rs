//! How fast rules and searches are on this machine, one thread.

mod engine;
mod rules;
mod search;

pub use engine::{EngineEffort, lockstep_rate, single_rate};
pub use rules::{RolloutGames, Timer, perft_depth, perft_leaves};
pub use search::{SearchRates, game_rates, placement_rates, search_figures};

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
}

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Runs, of which the best and the median count; at least 1.
    pub runs: usize,
    /// Searches a run.
    pub searches: u32,
    /// Playouts a search.
    pub playouts: u32,
}

impl Effort {
    /// What the tables in benchmarks/ were measured with.
    pub const TABLE: Self = Self { runs: 25, searches: 50, playouts: 800 };
}

impl Rates {
    /// Of work a second in each run, in any order.
    pub fn new(mut rates: Vec<f64>) -> Self {
        rates.sort_by(f64::total_cmp);
        Self { sorted: rates }
    }

    /// Runs that were measured.
    pub fn samples(&self) -> u64 {
        self.sorted.len() as u64
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
        let samples = self.samples();
        let figure = |which: &str, value: f64| Figure {
            name: format!("{name}, {which}"),
            value,
            unit,
            samples,
        };
        [figure("best", self.best()), figure("median", self.median())]
    }
}
