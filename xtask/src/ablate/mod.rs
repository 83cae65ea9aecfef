//! An ablation table: variants of one configuration at one budget of network evaluations, cell by
//! cell.
//!
//! A cell is a variant with a seed: a run that ends when its self-play has spent the budget, and
//! the measured strength of its champion. Cells are stored as files and made once; an interrupted
//! run is resumed. The page is made from stored cells, so a table can grow cell by cell.

mod budget;
mod cell;
mod drive;
pub mod keys;
mod measure;
mod page;
mod place;
mod program;
mod progress;
mod stats;
mod table;

use std::{fs, path::PathBuf, sync::Mutex, thread};

use anyhow::{Context, ensure};

pub use cell::{Cell, Cycle, Figure, Seconds};
pub use page::{section, with_section};
pub use table::{BASE, Match, Measure, Solved, Table, Variant};

use drive::Drive;

/// How a table is filled.
#[derive(Clone, Debug)]
pub struct Ablate {
    /// The program.
    pub program: PathBuf,
    /// The table's file.
    pub table: PathBuf,
    /// Variants to fill; empty for all.
    pub only: Vec<String>,
    /// Seeds instead of the table's.
    pub seeds: Option<Vec<u64>>,
    /// Cells at once.
    pub jobs: usize,
    /// Worker threads of each stage of a cell.
    pub threads: u32,
    /// Folder for runs.
    pub runs: PathBuf,
    /// Whether runs stay when their cells are stored.
    pub keep: bool,
    /// Network evaluations instead of the table's; cells are then tries, and lie with the runs.
    pub evaluations: Option<u64>,
    /// Whether it only prints what would be done.
    pub dry_run: bool,
}

/// A cell that is to be made.
type Open<'a> = (&'a Variant, u64);

impl Ablate {
    /// Makes the cells that lack, and answers how many were made; `say` hears how it goes.
    ///
    /// # Errors
    /// If the table or a stored cell is wrong, or a cell cannot be made. The other cells are made
    /// anyway.
    pub fn run(&self, say: impl Fn(&str) + Sync) -> anyhow::Result<usize> {
        let table = self.read_table()?;
        let open = self.open_cells(&table)?;
        say(&format!("{}: {} cells to make", table.title, open.len()));
        if self.dry_run {
            for (variant, seed) in &open {
                let drive = self.drive(&table, variant, *seed);
                say(&drive.command_line(&drive.init_words(None)));
            }
            return Ok(0);
        }
        fs::create_dir_all(&self.runs).with_context(|| self.runs.display().to_string())?;
        self.check_configurations(&table, &open)?;
        let left = Mutex::new(open.iter());
        let failed = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| {
                    // The lock is held for the moment of taking a cell alone.
                    let next = || left.lock().expect("nobody panics with it").next();
                    while let Some((variant, seed)) = next() {
                        if let Err(error) = self.make(&table, variant, *seed, &say) {
                            let text = format!("{}, seed {seed}: {error:#}", variant.name);
                            say(&format!("FAILED {text}"));
                            failed.lock().expect("nobody panics with it").push(text);
                        }
                    }
                });
            }
        });
        let failed = failed.into_inner().expect("no thread is left");
        ensure!(
            failed.is_empty(),
            "{} cells could not be made: {}",
            failed.len(),
            failed.join("; ")
        );
        Ok(open.len())
    }

    /// The table, with its cells elsewhere where its budget is not its own.
    ///
    /// # Errors
    /// As [`Table::read`].
    pub fn read_table(&self) -> anyhow::Result<Table> {
        let mut table = Table::read(&self.table)?;
        if let Some(evaluations) = self.evaluations {
            table.evaluations = evaluations;
            let cells = self.runs.join("cells");
            fs::create_dir_all(&cells)?;
            fs::copy(table.base_path(), cells.join("base.toml"))?;
            table.folder = cells;
        }
        Ok(table)
    }

    /// Cells that are asked for and not stored: seed by seed, so that whole rows of differences
    /// come early.
    fn open_cells<'a>(&self, table: &'a Table) -> anyhow::Result<Vec<Open<'a>>> {
        let asked = self.only.iter().map(|name| table.variant(name));
        let mut variants: Vec<&Variant> = asked.collect::<anyhow::Result<_>>()?;
        if variants.is_empty() {
            variants.extend(&table.variants);
        }
        let mut open = Vec::new();
        for &seed in self.seeds.as_ref().unwrap_or(&table.seeds) {
            for &variant in &variants {
                if table.stored(variant, seed)?.is_none() {
                    open.push((variant, seed));
                }
            }
        }
        Ok(open)
    }

    /// Has the program read every configuration before the first cell is made: an hour later is
    /// late to hear of a wrong key.
    fn check_configurations(&self, table: &Table, open: &[Open]) -> anyhow::Result<()> {
        let run = self.runs.join(format!("check-{}", std::process::id()));
        let mut checked: Vec<&str> = Vec::new();
        for (variant, seed) in open {
            if !checked.contains(&variant.name.as_str()) {
                checked.push(&variant.name);
                let drive = Drive { run: run.clone(), ..self.drive(table, variant, *seed) };
                drive.check().with_context(|| format!("variant {}", variant.name))?;
            }
        }
        Ok(())
    }

    fn drive<'a>(&'a self, table: &'a Table, variant: &'a Variant, seed: u64) -> Drive<'a> {
        let run = self.runs.join(format!("{}-{seed}", variant.name));
        Drive { program: &self.program, table, variant, seed, threads: self.threads, run }
    }

    /// Makes one cell and stores it.
    fn make(
        &self,
        table: &Table,
        variant: &Variant,
        seed: u64,
        say: &(impl Fn(&str) + ?Sized),
    ) -> anyhow::Result<()> {
        let drive = self.drive(table, variant, seed);
        let progress = drive.to_the_end(say)?;
        let mut commands = vec![drive.command_line(&drive.init_words(None))];
        let figures = drive.measure(&mut commands)?;
        let cell = Cell {
            variant: variant.name.clone(),
            seed,
            set: variant.set.clone(),
            budget: table.evaluations,
            evaluations: progress.cycles.iter().map(|cycle| cycle.evaluations).sum(),
            figures,
            seconds: progress.seconds,
            trained_rows: progress.trained_rows,
            cycles: progress.cycles,
            threads: self.threads,
            program: place::program(&self.program)?,
            date: place::date()?,
            machine: place::machine()?,
            commands,
            measure: table.measure.clone(),
            config: table.config_json(variant)?,
        };
        cell.write(&table.cell_path(&variant.name, seed))?;
        say(&page::line(&cell));
        if !self.keep {
            drive.remove()?;
        }
        Ok(())
    }
}
