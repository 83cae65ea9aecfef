//! `dagzero verify`: whether a run's files are what they were.

mod findings;
mod inside;
mod objects;
mod quarantine;

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use dz_config::RunConfig;
use dz_shard::RowReader;
use dz_store::{Audit, Fate, Run, Stage, layout};

use super::write_line;
use crate::shown::Shown;
use crate::{Exit, drive};
use findings::{Findings, cut_from};

/// Check every file of a run, and say what can be done about bad ones
///
/// Reads everything: the hash of each published file, its content (shards are replayed by the
/// rules, matches recounted, checkpoints opened with their optimizer), each record of the ledger
/// and the state that follows from it. Nothing is changed unless --quarantine is given. Exits with
/// 1 if something is wrong.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  dagzero verify data/connect4-quick\n  \
    dagzero verify data/connect4-quick --json\n  \
    dagzero verify data/connect4-quick --quarantine    (no process may be using the run)")]
pub(crate) struct Args {
    /// The run's directory
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Move damaged files out of the run's way; nothing is deleted
    #[arg(long)]
    quarantine: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Exit> {
    let run = Run::open(&args.run)?;
    // Held to the end, so that nobody uses a file that is being moved.
    let _locks = if args.quarantine { quarantine::locks(&run)? } else { Vec::new() };
    let findings = Findings::of(&run, args.quarantine)?;
    if args.json {
        write_line(out, &findings)?;
    } else {
        findings.write_text(&mut Shown::new(out), &run, args.quarantine)?;
    }
    Ok(if findings.bad.is_empty() { Exit::Done } else { Exit::Wrong })
}

impl Findings {
    fn of(run: &Run, quarantine: bool) -> anyhow::Result<Self> {
        let audit = Audit::of(run)?;
        let mut findings = Self {
            run: run.root().to_owned(),
            records: audit.records.len() as u64 + audit.fenced,
            records_without_hash: audit.without_hash,
            objects: 0,
            bytes: 0,
            expired: 0,
            games: 0,
            unnamed: Vec::new(),
            foreign: Vec::new(),
            bad: Vec::new(),
            notes: Vec::new(),
            quarantined: Vec::new(),
            lost: Vec::new(),
        };
        findings.ledger(&audit);
        findings.config(run, &audit);
        findings.config_history(run)?;
        findings.metrics(run);
        findings.segments(run)?;
        let objects::Out { damaged, lost } = objects::check(run, &audit, &mut findings);
        let left = run.leftovers(&audit.state)?;
        // What was set aside and made again is named, by its other path.
        let unnamed = left.own.into_iter().filter(|file| file.fate != Fate::Copy);
        findings.unnamed = unnamed.map(|file| file.path).collect();
        findings.foreign = left.foreign;
        if quarantine {
            findings.quarantined = quarantine::move_away(run, &damaged)?;
            findings.lost = quarantine::enter_losses(run, &lost)?;
        }
        Ok(findings)
    }

    fn ledger(&mut self, audit: &Audit) {
        for fault in &audit.faults {
            let remedy = if fault.path.starts_with(layout::SNAPSHOTS) {
                "delete it: it is a cache of the ledger".to_owned()
            } else {
                format!("restore it from a copy of the run; or {}", cut_from(&fault.path))
            };
            self.bad(&fault.path, &fault.what, remedy);
        }
        if audit.state.started.is_none() {
            self.bad(layout::LOG, "no record of the run's start", "start it: dagzero run");
        }
    }

    /// The configuration is the one that the ledger names.
    fn config(&mut self, run: &Run, audit: &Audit) {
        let remedy = if audit.state.finished.is_some() {
            "restore it from a copy of the run or from config-history/, or take the edits back; the run is over, and \
             `dagzero resume` takes edits only where they ask for more cycles or time"
        } else {
            "restore it from a copy of the run or from config-history/; `dagzero resume` writes edits of keys that may \
             change into the ledger, and refuses others. No stage plays by it before"
        };
        let loaded = RunConfig::load(&run.root().join(layout::CONFIG), &[], &|_| Vec::new());
        let loaded = match loaded {
            Ok(loaded) => loaded,
            Err(error) => return self.bad(layout::CONFIG, error.to_string(), remedy),
        };
        for (path, what) in drive::policy_damage(run, &loaded.config) {
            self.bad(&path, what, "restore it from a copy of the run");
        }
        // Of an earlier version of the program, which had fewer keys.
        let is_older = !loaded.defaulted.is_empty();
        let found = loaded.stated_hash();
        let stated = &audit.state.config_hash;
        if audit.state.started.is_some() && found != *stated {
            let what = format!("it has the hash {found}, the ledger states {stated}");
            self.bad(layout::CONFIG, what, remedy);
        } else if !is_older && run.config_toml().is_ok_and(|text| text != loaded.config.to_toml()) {
            self.bad(layout::CONFIG, "its meaning is the same as before, but not its text", remedy);
        }
    }

    /// The copies of configurations are what their names say.
    fn config_history(&mut self, run: &Run) -> anyhow::Result<()> {
        for path in run.list(layout::CONFIG_HISTORY)? {
            let stem = Path::new(&path).file_stem().and_then(|stem| stem.to_str());
            let Some(hash) = stem.filter(|hash| layout::config_history_path(hash).is_some()) else {
                continue;
            };
            if dz_stage::kept_config(run, hash)?.is_none() {
                let remedy =
                    "delete it: the next start writes the copy of the configuration in force anew";
                self.bad(&path, "it is not the configuration of this hash", remedy);
            }
        }
        Ok(())
    }

    /// Measurements: damaged lines. The last one may be unfinished. It is cut off when its writer
    /// starts again.
    fn metrics(&mut self, run: &Run) {
        for stage in [Stage::Driver].into_iter().chain(Stage::WORKERS) {
            let path = layout::metrics_path(stage);
            match run.damaged_metrics(stage) {
                Ok(0) => {}
                Ok(bad) => {
                    let remedy = "nothing depends on it: reports leave such lines out";
                    self.note(&path, format!("{bad} of its lines are damaged"), remedy);
                }
                Err(error) => self.bad(&path, error.to_string(), "move it away: it is made again"),
            }
        }
    }

    /// The shuffler's own files, which carry hashes and can be made again.
    fn segments(&mut self, run: &Run) -> anyhow::Result<()> {
        for path in run.list(&layout::work_path(Stage::Shuffler))? {
            let is_row_file = Path::new(&path).extension().is_some_and(|kind| kind == "dzr");
            if !is_row_file {
                continue;
            }
            let file = run.root().join(&path);
            let checked = RowReader::open(&file).and_then(|mut reader| reader.verify());
            // The shuffler of a run in use may have given it up meanwhile.
            if let Err(error) = checked
                && file.exists()
            {
                let remedy = "nothing has to: the shuffler makes it again from its shard";
                self.note(&path, inside::text(&error.into()), remedy);
            }
        }
        Ok(())
    }
}
