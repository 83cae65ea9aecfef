//! Rates of repeated runs, and how many runs are made.

use crate::row::BenchRow;

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

    /// Returns the best and the median rate as rows of a table.
    pub fn rows(&self, name: &str, unit: &str) -> [BenchRow; 2] {
        let row = |which: &str, value: f64| {
            BenchRow::new(&format!("{name}, {which}"), value, unit, self.samples())
        };
        [row("best", self.best()), row("median", self.median())]
    }
}
