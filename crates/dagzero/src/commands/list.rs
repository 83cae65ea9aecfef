//! `dagzero list`: the runs below a folder.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context;
use dz_stage::{Column, TextCell, TextTable};
use dz_store::{Ledger, Run, RunLock, Stage};
use dz_text::Colour;
use serde::Serialize;

use super::write_line;
use crate::{Exit, drive, shown::Shown};

/// List runs: game, cycles, champion, and whether each is running
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  dagzero list")]
pub(crate) struct Args {
    /// The folder that the runs lie in
    #[arg(value_name = "DIR", default_value = "data")]
    folder: PathBuf,
    /// Print JSON, a line a run
    #[arg(long)]
    json: bool,
}

/// A run in the list.
#[derive(Serialize)]
struct Row {
    run: PathBuf,
    game: String,
    cycles_done: u32,
    /// Cycles that the run has, as far as is known.
    cycles: u32,
    /// Number of the champion; 0 is none.
    generation: u32,
    state: State,
}

/// Whether a run goes on.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Running,
    Finished,
    Stopped,
}

impl State {
    fn cell(self) -> TextCell {
        match self {
            Self::Running => TextCell::painted("running", Colour::Green),
            Self::Finished => "finished".into(),
            Self::Stopped => TextCell::painted("stopped", Colour::Yellow),
        }
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let folder = args.folder.display();
    let entries = fs::read_dir(&args.folder).with_context(|| {
        format!(
            "there are no runs: cannot read the folder {folder}; `dagzero run connect4-quick` \
             starts the first run, and `dagzero list DIR` looks elsewhere"
        )
    })?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.with_context(|| format!("cannot read the folder {folder}"))?.path());
    }
    paths.retain(|path| Run::exists(path));
    paths.sort();
    let mut exit = Exit::Done;
    let mut rows = Vec::new();
    for path in paths {
        match row(&path) {
            Ok(row) => rows.push(row),
            Err(error) => {
                dz_stage::stderr_line(&format!(
                    "{}: {}",
                    path.display(),
                    dz_stage::error_text(&error)
                ));
                exit = Exit::Wrong;
            }
        }
    }
    if args.json {
        for row in &rows {
            write_line(out, row)?;
        }
    } else {
        write_table(&rows, &args.folder, out)?;
    }
    Ok(exit)
}

fn row(path: &Path) -> anyhow::Result<Row> {
    let run = Run::open(path)?;
    let ledger = Ledger::open(&run)?;
    let state = ledger.state();
    let config = drive::config_of(&run, state)?;
    let is_running = RunLock::holder(&run, Stage::Driver).is_some();
    Ok(Row {
        run: path.to_owned(),
        game: config.run.game.clone(),
        cycles_done: state.cycles_done,
        cycles: config.cycles_planned(state.walls_ms()),
        generation: state.generation(),
        state: match (is_running, &state.finished) {
            (true, _) => State::Running,
            (false, Some(_)) => State::Finished,
            (false, None) => State::Stopped,
        },
    })
}

fn write_table(rows: &[Row], folder: &Path, out: &mut dyn Write) -> anyhow::Result<()> {
    if rows.is_empty() {
        let folder = folder.display();
        return Ok(writeln!(
            Shown::new(out),
            "no runs in {folder}; dagzero run connect4-quick makes one"
        )?);
    }
    let mut table = TextTable::new(&[
        Column::Words("run"),
        Column::Words("game"),
        Column::Numbers("cycles"),
        Column::Numbers("champion"),
        Column::Words("state"),
    ]);
    for row in rows {
        let champion = match row.generation {
            0 => "-".to_owned(),
            generation => generation.to_string(),
        };
        table.row([
            row.run.display().to_string().into(),
            row.game.as_str().into(),
            format!("{}/{}", row.cycles_done, row.cycles).into(),
            champion.into(),
            row.state.cell(),
        ]);
    }
    Ok(table.write(out)?)
}
