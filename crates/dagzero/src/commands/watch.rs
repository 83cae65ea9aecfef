//! `dagzero watch`: a run on the terminal.

use std::{io::Write, path::PathBuf};

use dz_store::Run;

use crate::Exit;
use crate::shown::Shown;

/// Watch a run on the terminal: the report's numbers as they come in
///
/// Works on runs under way and finished ones, from any terminal, over ssh too; it only reads. Where
/// standard output is no terminal, one picture is printed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero watch data/connect4-quick\n  \
    dagzero watch data/connect4-quick --once")]
pub(crate) struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Print one picture and leave
    #[arg(long)]
    once: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    if let Some(picture) = dz_report::watch(&Run::open(&args.run)?, args.once)? {
        write!(Shown::new(out), "{picture}")?;
    }
    Ok(Exit::Done)
}
