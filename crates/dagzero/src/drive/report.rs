//! The report of a run, from its directory.

use dz_report::Report;
use dz_store::Run;

/// What a run's ledger, shards, matches and metrics say, for people.
pub(crate) fn report(run: &Run) -> anyhow::Result<Report> {
    Ok(Report::read(run)?)
}

/// Writes `report.html` of a run.
pub(crate) fn write_report(run: &Run, report: &Report) -> anyhow::Result<()> {
    Ok(run.replace(dz_store::layout::REPORT, report.to_html()?.as_bytes())?)
}
