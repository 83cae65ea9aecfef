//! The report of a run, from its directory.

use dz_report::Report;
use dz_store::{Run, layout};

use super::ours::{is_report, is_table, refuse_other};

/// What a run's ledger, shards, matches and metrics say, for people.
pub(crate) fn report(run: &Run) -> anyhow::Result<Report> {
    Ok(Report::read(run)?)
}

/// Writes the page of a run, unless somebody else's page has its name: `report.html`, or
/// `report-compare.html` if other runs are drawn in it. Returns that name.
pub(crate) fn write_report(run: &Run, report: &Report) -> anyhow::Result<&'static str> {
    let path = if report.compared.is_empty() { layout::REPORT } else { layout::COMPARISON };
    refuse_other(run, path, is_report)?;
    run.replace(path, report.to_html()?.as_bytes())?;
    Ok(path)
}

/// Writes a table of a report into the run and answers its path there.
pub(crate) fn write_csv(run: &Run, name: &str, text: &str) -> anyhow::Result<String> {
    let path = format!("report-{name}.csv");
    refuse_other(run, &path, |old| is_table(old, text))?;
    run.replace(&path, text.as_bytes())?;
    Ok(path)
}
