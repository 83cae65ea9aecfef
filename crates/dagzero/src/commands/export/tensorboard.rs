//! `dagzero export tensorboard`: a run's numbers for TensorBoard.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context;
use dz_store::Run;

use crate::{Exit, drive};

/// Write a run's numbers as event files that TensorBoard reads
///
/// They go to a folder of the run's name below the one given, so that several runs stand beside
/// each other. If another run of that name has its folder there, the name gets as many folders
/// above the run as make it unique. An earlier export of the run is replaced.
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
    let folder = folder_of(&run, report.run.started_unix_ms, &args.out);
    let context = || format!("cannot write to {}", folder.display());
    fs::create_dir_all(&folder).with_context(context)?;
    let begun = report.run.started_unix_ms / 1000;
    // One run has one file: TensorBoard adds up all that it finds.
    let path = folder.join(format!("events.out.tfevents.{begun}.dagzero"));
    fs::write(&path, report.to_tensorboard()).with_context(context)?;
    let owner = owner_line(&run, report.run.started_unix_ms);
    fs::write(folder.join(OWNER), owner).with_context(context)?;
    writeln!(out, "{}", path.display())?;
    Ok(Exit::Done)
}

/// The file in a run's folder that says which run it is of: when it started, and its directory.
/// TensorBoard does not read it.
const OWNER: &str = "dagzero-run.txt";

fn owner_line(run: &Run, started_unix_ms: u64) -> String {
    format!("{started_unix_ms} {}\n", run.root().display())
}

/// The folder of `run` below `out`: the shortest end of its path that no other run has taken.
fn folder_of(run: &Run, started_unix_ms: u64, out: &Path) -> PathBuf {
    let most = run.root().components().count().saturating_sub(1).max(1);
    let names = (1..=most).map(|count| out.join(dz_report::ending(run.root(), count)));
    let is_free = |folder: &PathBuf| !is_of_another(folder, run, started_unix_ms);
    names.into_iter().find(is_free).unwrap_or_else(|| out.join(run.name()))
}

/// Whether a folder has the export of another run.
fn is_of_another(folder: &Path, run: &Run, started_unix_ms: u64) -> bool {
    let Ok(line) = fs::read_to_string(folder.join(OWNER)) else {
        return has_other_events(folder, started_unix_ms / 1000);
    };
    let Some((started, dir)) = line.trim_end().split_once(' ') else { return false };
    let dir = Path::new(dir);
    // The run may have been moved here; a copy of it is another one.
    let is_moved = started == started_unix_ms.to_string() && !Run::exists(dir);
    dir != run.root() && !is_moved
}

/// Whether an export of an earlier version of the program, which named no run, is of one that
/// started at another time.
fn has_other_events(folder: &Path, begun: u64) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let own = format!("events.out.tfevents.{begun}.dagzero");
    entries.flatten().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with("events.out.tfevents.") && name != own
    })
}
