//! `dagzero status`: where a run stands.

use std::{io::Write, path::PathBuf};

use anyhow::Context;
use dz_config::RunConfig;
use dz_store::{Ledger, RatingRow, Run, RunLock, RunState, Stage, Turn};
use serde::Serialize;

use super::write_line;
use crate::Exit;

/// Say where a run stands
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  dagzero status data/connect4-quick")]
pub(crate) struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Where a run stands.
#[derive(Debug, Serialize)]
struct Status {
    run: PathBuf,
    game: Option<String>,
    seed: Option<u64>,
    config_hash: String,
    /// Whose turn it is.
    turn: Turn,
    /// Process that drives the run at this moment.
    driven_by: Option<u32>,
    cycles_done: u32,
    cycles: u32,
    generation: u32,
    games: u64,
    positions: u64,
    steps: u64,
    ratings: Vec<RatingRow>,
    first_mover_elo: Option<f64>,
    finished: Option<String>,
    report: PathBuf,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let run = Run::open(&args.run)?;
    let ledger = Ledger::open(&run)?;
    let path = run.root().join(dz_store::layout::CONFIG);
    let config = RunConfig::load(&path, &[], &|_| Vec::new())
        .with_context(|| format!("the run's configuration {} does not load", path.display()))?;
    let status = Status::of(&run, ledger.state(), &config.config);
    if args.json {
        write_line(out, &status)?;
    } else {
        status.write_text(out)?;
    }
    Ok(Exit::Done)
}

impl Status {
    fn of(run: &Run, state: &RunState, config: &RunConfig) -> Self {
        Self {
            run: run.root().to_owned(),
            game: state.started.as_ref().map(|info| info.game.clone()),
            seed: state.started.as_ref().map(|info| info.seed),
            config_hash: state.config_hash.clone(),
            turn: state.turn(),
            driven_by: RunLock::holder(run, Stage::Driver).map(|holder| holder.process_id),
            cycles_done: state.cycles_done,
            cycles: config.run.cycles,
            generation: state.generation(),
            games: state.games(),
            positions: state.positions(),
            steps: state.checkpoint().map_or(0, |checkpoint| checkpoint.step),
            ratings: state.ratings.iter().flat_map(|r| r.players.iter().cloned()).collect(),
            first_mover_elo: state.ratings.as_ref().map(|ratings| ratings.first_mover_elo),
            finished: state.finished.clone(),
            report: run.root().join(dz_store::layout::REPORT),
        }
    }

    fn write_text(&self, out: &mut dyn Write) -> anyhow::Result<()> {
        writeln!(out, "run         {}", self.run.display())?;
        if let (Some(game), Some(seed)) = (&self.game, self.seed) {
            writeln!(out, "game        {game}, seed {seed}")?;
        }
        let driver = match (self.driven_by, &self.finished) {
            (Some(process), _) => format!("running (process {process})"),
            (None, Some(_)) => "finished".to_owned(),
            (None, None) => {
                format!("stopped; `dagzero resume {}` goes on", self.run.display())
            }
        };
        writeln!(out, "state       {driver}")?;
        writeln!(out, "turn        {}", self.turn)?;
        writeln!(out, "cycles      {} of {} done", self.cycles_done, self.cycles)?;
        writeln!(out, "generation  {}", self.generation)?;
        writeln!(out, "games       {} ({} positions)", self.games, self.positions)?;
        writeln!(out, "steps       {}", self.steps)?;
        for (i, row) in self.ratings.iter().enumerate() {
            let head = if i == 0 { "Elo" } else { "" };
            writeln!(
                out,
                "{head:<12}{:<20} {:>+7.0} +- {:.0} ({} games)",
                row.player.to_string(),
                row.elo,
                row.error95,
                row.games
            )?;
        }
        writeln!(out, "report      {}", self.report.display())?;
        if let Some(verdict) = &self.finished {
            writeln!(out, "\n{verdict}")?;
        }
        Ok(())
    }
}
