//! A stored cell: what one run of one variant came to.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::table::{Measure, Table, Variant};

/// One variant with one seed, finished and measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The variant's name.
    pub variant: String,
    /// The run's seed.
    pub seed: u64,
    /// What the variant changes.
    pub set: Vec<String>,
    /// Network evaluations that self-play was to take.
    pub budget: u64,
    /// Those that it took.
    pub evaluations: u64,
    /// What the champion was found to be.
    pub figures: Vec<Figure>,
    /// Time by stage, of the stages alone: neither starts of processes nor the measuring.
    pub seconds: Seconds,
    /// Rows trained on, repetitions counted.
    pub trained_rows: u64,
    /// Self-play by cycle; the games of a network's cycles were planned to meet the budget.
    pub cycles: Vec<Cycle>,
    /// Worker threads of each stage.
    pub threads: u32,
    /// The program, with the commit that it was built from.
    pub program: String,
    /// UTC, when it was stored.
    pub date: String,
    /// Where it ran, in words.
    pub machine: String,
    /// Command lines that made and measured the run; `RUN` is its folder, which is gone. Between
    /// them each stage took its turns, `dagzero STAGE --run RUN --once`, with `selfplay.games` of
    /// `cycles`.
    pub commands: Vec<String>,
    /// How it was measured.
    pub measure: Measure,
    /// The configuration, as far as the table states it.
    pub config: Value,
}

/// A share between 0 and 1 that measures how good the champion is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// What was measured, in the words of the table's column.
    pub name: String,
    /// Positions or games.
    pub count: u64,
    /// The share of them that went well.
    pub share: f64,
}

/// Seconds of wall time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seconds {
    /// Self-play.
    pub selfplay: f64,
    /// Shuffling.
    pub shuffle: f64,
    /// Training.
    pub training: f64,
}

impl Seconds {
    /// All of them.
    pub fn total(self) -> f64 {
        self.selfplay + self.shuffle + self.training
    }
}

/// The self-play of one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cycle {
    /// Games that were played.
    pub games: u64,
    /// Positions that they recorded.
    pub positions: u64,
    /// Evaluations by a network; 0 in a cycle without one.
    pub evaluations: u64,
}

impl Table {
    /// Where a cell is stored.
    pub fn cell_path(&self, variant: &str, seed: u64) -> PathBuf {
        self.folder.join(format!("{variant}-{seed}.json"))
    }

    /// A stored cell; none where there is no file yet.
    ///
    /// # Errors
    /// If it cannot be read, or was made under a different table.
    pub fn stored(&self, variant: &Variant, seed: u64) -> anyhow::Result<Option<Cell>> {
        let path = self.cell_path(&variant.name, seed);
        if !path.exists() {
            return Ok(None);
        }
        let cell = Cell::read(&path)?;
        let place = || path.display().to_string();
        let is_here = cell.variant == variant.name && cell.seed == seed;
        ensure!(is_here, "{} is the cell of {}, seed {}", place(), cell.variant, cell.seed);
        let same = cell.budget == self.evaluations
            && cell.measure == self.measure
            && cell.config == self.config_json(variant)?;
        ensure!(same, "{} was made under a different table; delete it", place());
        Ok(Some(cell))
    }

    /// All cells that are stored, in the order of the table.
    ///
    /// # Errors
    /// As [`Self::stored`].
    pub fn cells(&self) -> anyhow::Result<Vec<Cell>> {
        let mut cells = Vec::new();
        for variant in &self.variants {
            for seed in self.stored_seeds(&variant.name)? {
                cells.extend(self.stored(variant, seed)?);
            }
        }
        Ok(cells)
    }

    /// The configuration of a variant's cells as they keep it.
    ///
    /// # Errors
    /// As [`Self::config`].
    pub fn config_json(&self, variant: &Variant) -> anyhow::Result<Value> {
        Ok(serde_json::to_value(self.config(variant)?)?)
    }

    /// Seeds of a variant's cells, ascending: there may be more than the table asks for.
    fn stored_seeds(&self, variant: &str) -> anyhow::Result<Vec<u64>> {
        let mut seeds = Vec::new();
        for entry in fs::read_dir(&self.folder).with_context(|| self.name.clone())? {
            let name = entry?.file_name();
            let seed = name.to_str().and_then(|name| {
                let stem = name.strip_suffix(".json")?.strip_prefix(variant)?;
                stem.strip_prefix('-')?.parse::<u64>().ok()
            });
            seeds.extend(seed);
        }
        seeds.sort_unstable();
        Ok(seeds)
    }
}

impl Cell {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    /// Stores it, a field a line: written apart and then named, so that a cell is there whole or
    /// not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let apart = path.with_extension("json.new");
        let fields: BTreeMap<String, Value> = serde_json::from_value(serde_json::to_value(self)?)?;
        let lines: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}: {value}", json!(name))).collect();
        fs::write(&apart, format!("{{\n{}\n}}\n", lines.join(",\n")))?;
        fs::rename(&apart, path).with_context(|| path.display().to_string())
    }

    /// Games that a network played.
    pub fn games(&self) -> u64 {
        self.cycles.iter().filter(|cycle| cycle.evaluations > 0).map(|cycle| cycle.games).sum()
    }

    /// The share of a figure.
    pub fn share(&self, figure: &str) -> Option<f64> {
        self.figures.iter().find(|found| found.name == figure).map(|found| found.share)
    }
}
