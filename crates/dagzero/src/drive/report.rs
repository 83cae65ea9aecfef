//! The report of a run, from its ledger.

use dz_report::{Report, RunContext};
use dz_store::{Ledger, Run};

/// What the ledger says, folded for people.
pub(crate) fn report(run: &Run, ledger: &Ledger) -> anyhow::Result<Report> {
    let config = run.config_toml()?;
    let context = RunContext { name: &run.name(), config_toml: Some(&config) };
    Ok(Report::from_ledger(&ledger.records()?, context))
}

/// Writes `report.html` of a run.
pub(crate) fn write_report(run: &Run, report: &Report) -> anyhow::Result<()> {
    Ok(run.replace(dz_store::layout::REPORT, report.to_html()?.as_bytes())?)
}
