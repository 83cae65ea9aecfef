//! `dagzero report`: writes the report of a run anew.

use std::{io::Write, path::PathBuf};

use dz_store::{Ledger, Run};

use crate::{Exit, drive};

/// Write the report of a run, from its ledger
///
/// The page is one file without scripts; it needs no network.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  dagzero report data/connect4-quick")]
pub(crate) struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Also print the cycles as a Markdown table
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let run = Run::open(&args.run)?;
    let report = drive::report(&run, &Ledger::open(&run)?)?;
    drive::write_report(&run, &report)?;
    if args.markdown {
        writeln!(out, "{}", report.to_markdown_table())?;
    }
    writeln!(out, "{}", run.root().join(dz_store::layout::REPORT).display())?;
    Ok(Exit::Done)
}
