//! `dagzero report`: writes the report of a run anew.

use std::{io::Write, path::PathBuf};

use dz_store::Run;

use crate::{Exit, drive};

/// Write the report of a run: one HTML page, and its numbers as JSON and CSV
///
/// The page is one file without scripts; it needs no network. A run that is under way or damaged has a
/// report too: what is missing is named in it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero report data/connect4-quick\n  \
    dagzero report data/connect4-quick --json | jq .curve\n  \
    dagzero report data/seed-2 --compare data/seed-1 data/seed-3")]
pub(crate) struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Draw the curves of other runs of the same game over it
    #[arg(long, value_name = "RUN", num_args = 1..)]
    compare: Vec<PathBuf>,
    /// Print everything that the page shows as one JSON object, and nothing else
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Also write report-cycles.csv, report-players.csv and report-pairings.csv beside the page
    #[arg(long)]
    csv: bool,
    /// Also print the cycles as a Markdown table
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let run = Run::open(&args.run)?;
    let mut report = drive::report(&run)?;
    for other in &args.compare {
        report.compare(&dz_report::Report::read_ledger(&Run::open(other)?)?);
    }
    drive::write_report(&run, &report)?;
    let mut written = vec![dz_store::layout::REPORT.to_owned()];
    if args.csv {
        for file in report.to_csv() {
            written.push(drive::write_csv(&run, file.name, &file.text)?);
        }
    }
    if args.json {
        writeln!(out, "{}", report.to_json()?)?;
        return Ok(Exit::Done);
    }
    if args.markdown {
        writeln!(out, "{}", report.to_markdown_table())?;
    }
    for name in written {
        writeln!(out, "{}", run.root().join(name).display())?;
    }
    Ok(Exit::Done)
}
