//! `dagzero export tensorboard`: a run's numbers for TensorBoard.

use std::{fs, io::Write, path::PathBuf};

use anyhow::Context;
use dz_store::Run;

use crate::{Exit, drive};

/// Write a run's numbers as event files that TensorBoard reads
///
/// They go to a folder of the run's name below the one given, so that several runs stand beside each
/// other. What an earlier export of the run wrote is replaced.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    dagzero export tensorboard data/connect4-quick --out logs && tensorboard --logdir logs")]
pub(super) struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// The folder for the event files
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let run = Run::open(&args.run)?;
    let report = drive::report(&run)?;
    let folder = args.out.join(run.name());
    let context = || format!("cannot write to {}", folder.display());
    fs::create_dir_all(&folder).with_context(context)?;
    let begun = report.run.started_unix_ms / 1000;
    // One run has one file: TensorBoard adds up all that it finds.
    let path = folder.join(format!("events.out.tfevents.{begun}.dagzero"));
    fs::write(&path, report.to_tensorboard()).with_context(context)?;
    writeln!(out, "{}", path.display())?;
    Ok(Exit::Done)
}
