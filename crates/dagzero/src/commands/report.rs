//! `dagzero report`: writes the report of a run anew.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::Context;
use dz_report::Report;
use dz_store::{Run, StoreError};

use crate::{Exit, drive, exit::UsageError, shown::Shown};

/// Write the report of a run: one HTML page, and its numbers as JSON and CSV
///
/// The page is one file without scripts; it needs no network. A running or damaged run has a report
/// too, which names what is missing. It is written into the run's directory, or to the file that
/// --out names, for example if the run is read-only. --json and --markdown print even if the page
/// cannot be written.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    dagzero report data/connect4-quick\n  \
    dagzero report data/connect4-quick --json | jq .curve\n  \
    dagzero report /archive/run-7 --out run-7.html\n  \
    dagzero report data/seed-2 --compare data/seed-1 data/seed-3")]
pub(crate) struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Draw the curves of other runs of the same game over it; the page is report-compare.html then
    #[arg(long, value_name = "RUN", num_args = 1..)]
    compare: Vec<PathBuf>,
    /// Print everything that the page shows as one JSON object, and nothing else
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Write the page to this file instead of the run's directory; what is there is replaced
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
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
    let others: Vec<Run> = args.compare.iter().map(Run::open).collect::<Result<_, _>>()?;
    let roots: Vec<PathBuf> =
        [&run].into_iter().chain(&others).map(|run| run.root().to_owned()).collect();
    let mut names = dz_report::short_names(&roots).into_iter();
    report.run.name = names.next().unwrap_or_default();
    for (other, name) in others.iter().zip(names) {
        let mut compared = Report::read_ledger(other)?;
        if report.plays_another_game(&compared) {
            return Err(UsageError(format!(
                "{} plays {}, not {}: --compare takes runs of the same game",
                other.root().display(),
                compared.run.game,
                report.run.game
            ))
            .into());
        }
        compared.run.name = name;
        report.compare(&compared);
    }
    for other in &report.compared {
        if let Some(why) = &other.refused {
            dz_stage::stderr_line(&format!("{} is not drawn: {why}", other.name));
        }
    }
    let written = match write_files(args, &run, &report) {
        Ok(written) => written,
        // What is printed needs no file, unless one is asked for.
        Err(error) if (args.json || args.markdown) && !args.csv && args.out.is_none() => {
            dz_stage::stderr_line(&format!(
                "the page is not written: {}",
                dz_stage::error_text(&error)
            ));
            Vec::new()
        }
        Err(error) => return Err(error),
    };
    if args.json {
        writeln!(out, "{}", report.to_json()?)?;
        return Ok(Exit::Done);
    }
    if args.markdown {
        writeln!(Shown::new(out), "{}", report.to_markdown_table())?;
    }
    for path in written {
        writeln!(out, "{}", path.display())?;
    }
    Ok(Exit::Done)
}

/// Writes the page, and the tables that are asked for; answers where they are.
fn write_files(args: &Args, run: &Run, report: &Report) -> anyhow::Result<Vec<PathBuf>> {
    let tables = if args.csv { report.to_csv() } else { Vec::new() };
    let Some(page) = &args.out else {
        let path = drive::write_report(run, report).map_err(|error| elsewhere(run, error))?;
        let mut written = vec![run.root().join(path)];
        for table in tables {
            let path = drive::write_csv(run, table.name, &table.text)
                .map_err(|error| elsewhere(run, error))?;
            written.push(run.root().join(path));
        }
        return Ok(written);
    };
    let mut written = vec![page.clone()];
    write(page, report.to_html()?.as_bytes())?;
    for table in tables {
        let path = page.with_file_name(format!("report-{}.csv", table.name));
        write(&path, table.text.as_bytes())?;
        written.push(path);
    }
    Ok(written)
}

/// What to do where the run's directory takes no files.
fn elsewhere(run: &Run, error: anyhow::Error) -> anyhow::Error {
    let dir = run.root().display();
    match error.chain().find_map(StoreError::of_cause) {
        Some(StoreError::ReadOnly { source, .. }) => anyhow::anyhow!(
            "cannot write the report into {dir} ({source}); --out FILE names another place"
        ),
        _ => error.context(format!("cannot write the report into {dir}")),
    }
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
