//! What `dagzero verify` found, and how it is printed.

use std::io::Write;
use std::path::PathBuf;

use dz_store::{Run, RunLock, Stage, layout};
use serde::Serialize;

use super::quarantine::Moved;

/// What was looked at and found.
#[derive(Debug, Serialize)]
pub(super) struct Findings {
    pub(super) run: PathBuf,
    /// Records of the ledger.
    pub(super) records: u64,
    /// Records of earlier versions, which carry no hash.
    pub(super) records_without_hash: u64,
    /// Published files that were read.
    pub(super) objects: u64,
    /// Their bytes.
    pub(super) bytes: u64,
    /// Published files that are gone because retention removes them.
    pub(super) expired: u64,
    /// Games that were replayed.
    pub(super) games: u64,
    /// Files that no record names: work in progress, or left by killed processes and tidied up at
    /// the next start.
    pub(super) unnamed: Vec<String>,
    /// Files and folders beside them that the run has not made: they are left alone.
    pub(super) foreign: Vec<String>,
    pub(super) bad: Vec<Bad>,
    /// Files that are damaged and no fault of the run: it makes them again, or goes on without.
    pub(super) notes: Vec<Bad>,
    /// Where damaged files were moved.
    pub(super) quarantined: Vec<Moved>,
    /// Shards without a file that were entered as lost.
    pub(super) lost: Vec<String>,
}

/// A file that is not what it should be.
#[derive(Debug, Serialize)]
pub(super) struct Bad {
    /// Inside the run.
    pub(super) path: String,
    pub(super) what: String,
    /// What can be done about it.
    pub(super) remedy: String,
}

impl Findings {
    pub(super) fn bad(&mut self, path: &str, what: impl Into<String>, remedy: impl Into<String>) {
        let what = what.into();
        let remedy = remedy.into();
        self.bad.push(Bad { path: path.to_owned(), what, remedy });
    }

    pub(super) fn note(&mut self, path: &str, what: impl Into<String>, remedy: impl Into<String>) {
        let what = what.into();
        let remedy = remedy.into();
        self.notes.push(Bad { path: path.to_owned(), what, remedy });
    }

    /// Under `quarantine` this process holds the run's locks itself.
    pub(super) fn write_text(
        &self,
        out: &mut dyn Write,
        run: &Run,
        quarantine: bool,
    ) -> anyhow::Result<()> {
        writeln!(out, "run       {}", self.run.display())?;
        if !quarantine && RunLock::holder(run, Stage::Driver).is_some() {
            writeln!(
                out,
                "          in use at this moment: what it writes meanwhile is not looked at"
            )?;
        }
        writeln!(out, "records   {}", self.records)?;
        if self.records_without_hash > 0 {
            writeln!(
                out,
                "          {} of an earlier version carry no hash: a changed digit would not be seen",
                self.records_without_hash
            )?;
        }
        let Self { objects, bytes, expired, games, .. } = self;
        writeln!(out, "objects   {objects} read ({bytes} bytes); {expired} removed by retention")?;
        writeln!(out, "games     {games} replayed by the rules")?;
        if !self.unnamed.is_empty() {
            writeln!(
                out,
                "unnamed   {} files that no record names: the next start removes unfinished ones and moves the others to {}/",
                self.unnamed.len(),
                layout::ASIDE
            )?;
        }
        if let Some(first) = self.foreign.first() {
            let count = self.foreign.len();
            writeln!(
                out,
                "foreign   {count} files or folders that the run has not made, such as {first}; they are left alone"
            )?;
        }
        for moved in &self.quarantined {
            writeln!(out, "moved     {} to {}", moved.path, moved.to.display())?;
        }
        for path in &self.lost {
            writeln!(out, "lost      {path}: entered, training goes on without its games")?;
        }
        for Bad { path, what, remedy } in &self.notes {
            writeln!(out, "note      {path}: {what}; {remedy}")?;
        }
        if self.bad.is_empty() {
            return Ok(writeln!(
                out,
                "bad       none: every file is what it was when it was published"
            )?);
        }
        writeln!(out, "bad       {}", self.bad.len())?;
        for Bad { path, what, remedy } in &self.bad {
            writeln!(out, "\n{path}\n  {what}\n  what can be done: {remedy}")?;
        }
        Ok(())
    }
}

/// How a run goes on from before a record.
pub(super) fn cut_from(record_path: &str) -> String {
    format!(
        "move {record_path} and every later record out of {}/: the next start moves the files that those records named \
         to {}/, and the run does the work of those records again, with the same bytes on the processor",
        layout::LOG,
        layout::ASIDE
    )
}
