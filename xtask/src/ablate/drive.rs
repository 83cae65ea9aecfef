//! A cell's run, driven turn by turn from its beginning, or from where a kill left it, to its last
//! cycle.
//!
//! `dagzero run` would play the same number of games in every cycle. So the stages are started by
//! hand, one turn each, and before each self-play the run is given the games that meet the budget.
//! A cycle's games are one shard (`selfplay.games_per_shard` of the base): a killed cycle is played
//! again as a whole, and its evaluations are counted as a whole.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail, ensure};
use serde_json::json;

use super::{
    budget::{SearchCost, games},
    cell::Cycle,
    progress::Progress,
    table::{Table, Variant},
};

/// The message about a run that a kill has made useless.
const LOST: &str = "begins anew, since it was killed between a shard and the end of its cycle, and nobody knows \
                    how many evaluations that took";

/// One cell's run.
#[derive(Debug)]
pub(super) struct Drive<'a> {
    /// The program.
    pub(super) program: &'a Path,
    /// What the cell belongs to.
    pub(super) table: &'a Table,
    /// What it changes.
    pub(super) variant: &'a Variant,
    /// The run's seed.
    pub(super) seed: u64,
    /// Worker threads of each stage.
    pub(super) threads: u32,
    /// The run's folder; what its processes say goes to a file of this name with `.log`.
    pub(super) run: PathBuf,
}

impl Drive<'_> {
    /// Words behind `dagzero` that make the run, or give it another number of games.
    pub(super) fn init_words(&self, games: Option<u64>) -> Vec<String> {
        let path = |path: &Path| path.display().to_string();
        let mut words = ["init", &path(&self.table.base_path()), "--dir", &path(&self.run)]
            .map(str::to_owned)
            .to_vec();
        // The cell's own measurements take the place of the match that ends a run.
        let place = [
            format!("run.seed={}", self.seed),
            format!("run.threads={}", self.threads),
            "final.games=0".to_owned(),
        ];
        let games = games.map(|games| format!("selfplay.games={games}"));
        for change in self.variant.set.iter().cloned().chain(place).chain(games) {
            words.extend(["--set".to_owned(), change]);
        }
        words
    }

    /// Drives the run to its end; `say` hears of each cycle.
    ///
    /// # Errors
    /// If the program refuses the configuration or a stage fails.
    pub(super) fn to_the_end(&self, say: &(impl Fn(&str) + ?Sized)) -> anyhow::Result<Progress> {
        self.begin()?;
        loop {
            let status = self.ask(&["status", &self.run.display().to_string(), "--json"])?;
            let number =
                |key: &str| status[key].as_u64().with_context(|| format!("{key} of status"));
            let done = number("cycles_done")?;
            let cycles = number("cycles")? as u32;
            let is_over = done >= u64::from(cycles);
            match status["turn"]["turn"].as_str().context("the turn of status")? {
                turn if is_over || turn == "selfplay" => {
                    let progress = self.progress()?;
                    if progress.is_lost {
                        say(&format!("{}, seed {}: {LOST}", self.variant.name, self.seed));
                        self.remove()?;
                        self.begin()?;
                    } else if is_over {
                        return Ok(progress);
                    } else {
                        self.plan_games(cycles, &progress.cycles, say)?;
                        self.take_turn("selfplay")?;
                    }
                }
                "shuffle" => self.take_turn("shuffler")?,
                "train" => self.take_turn("trainer")?,
                "gate" => self.take_turn("gatekeeper")?,
                turn => bail!("{} waits for {turn}", self.run.display()),
            }
        }
    }

    fn take_turn(&self, stage: &str) -> anyhow::Result<()> {
        let run = self.run.display().to_string();
        self.execute(&[stage, "--run", &run, "--once"].map(str::to_owned))
    }

    /// Makes the run, unless an earlier start has.
    fn begin(&self) -> anyhow::Result<()> {
        let config = self.table.config_json(self.variant)?;
        let what = json!({"evaluations": self.table.evaluations, "config": config}).to_string();
        let path = self.run.with_extension("cell");
        if self.run.exists() {
            let begun = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let run = self.run.display();
            ensure!(begun == what, "{run} was begun under a different table; delete it");
            return Ok(());
        }
        fs::write(&path, what)?;
        self.execute(&self.init_words(None))
    }

    /// Whether the program takes the configuration.
    ///
    /// # Errors
    /// With the program's message, if it does not.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let output = self.command(&self.init_words(None)).output();
        let output = output.with_context(|| format!("cannot start {}", self.program.display()))?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim());
        self.remove()
    }

    /// Removes the run, and what lies beside it.
    pub(super) fn remove(&self) -> anyhow::Result<()> {
        fs::remove_dir_all(&self.run).with_context(|| self.run.display().to_string())?;
        for beside in ["cell", "log"].map(|extension| self.run.with_extension(extension)) {
            if beside.exists() {
                fs::remove_file(beside)?;
            }
        }
        Ok(())
    }

    /// Gives the run the games of its next cycle. The first one has no network, and its games are
    /// the configuration's.
    fn plan_games(
        &self,
        cycles: u32,
        done: &[Cycle],
        say: &(impl Fn(&str) + ?Sized),
    ) -> anyhow::Result<()> {
        if done.is_empty() {
            return Ok(());
        }
        let games = games(self.table.evaluations, cycles, done, self.cost()?);
        self.execute(&self.init_words(Some(games)))?;
        let spent: u64 = done.iter().map(|cycle| cycle.evaluations).sum();
        say(&format!(
            "{}, seed {}: {} of {cycles} cycles, {spent} evaluations; the next has {games} games",
            self.variant.name,
            self.seed,
            done.len()
        ));
        Ok(())
    }

    fn cost(&self) -> anyhow::Result<SearchCost> {
        let config = self.table.config_json(self.variant)?;
        let number = |key: &str| {
            let found = config["selfplay"][key].as_f64();
            found.with_context(|| format!("base.toml must state selfplay.{key}"))
        };
        Ok(SearchCost {
            playouts: number("playouts")?,
            playouts_fast: number("playouts_fast")?,
            full_share: number("full_share")?,
        })
    }

    /// Returns the outcome that the run's report holds.
    fn progress(&self) -> anyhow::Result<Progress> {
        Progress::of(&self.ask(&["report", &self.run.display().to_string(), "--json"])?)
    }
}
