//! Every published file against the ledger.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use anyhow::{Context, bail, ensure};
use dz_store::{Audit, Entry, Ledger, ObjectRef, Record, Run, StoreError, layout};

use super::findings::{Findings, cut_from};
use super::inside::{self, BoardIds};

/// Objects that a run is to go on without.
pub(super) struct Out {
    /// Their files are damaged.
    pub(super) damaged: Vec<ObjectRef>,
    /// Shards that have no file and have not been entered as lost.
    pub(super) lost: Vec<ObjectRef>,
}

/// Checks all objects that the ledger names; answers those that are damaged or lost.
pub(super) fn check(run: &Run, audit: &Audit, findings: &mut Findings) -> Out {
    let mut checker = Checker {
        run,
        audit,
        seen: BTreeMap::new(),
        numbers: BTreeMap::new(),
        boards: boards(audit),
        missing: Vec::new(),
        damaged: Vec::new(),
        findings,
    };
    for record in &audit.records {
        for object in record.entry.objects() {
            checker.object(record, object);
        }
    }
    let Checker { missing, damaged, .. } = checker;
    // Looked at again, because a running run removes files that it no longer needs.
    let ledger = Ledger::open(run).ok();
    let state = ledger.as_ref().map_or(&audit.state, Ledger::state);
    let expendable: BTreeSet<&str> = state.expendable();
    let mut lost = Vec::new();
    for (record, object, what) in missing {
        if expendable.contains(object.path.as_str()) {
            findings.expired += 1;
            continue;
        }
        findings.bad(&object.path, what, remedy(record, object));
        if matches!(record.entry, Entry::Shard { .. }) && !run.set_aside_path(object).exists() {
            lost.push(object.clone());
        }
    }
    Out { damaged, lost }
}

struct Checker<'a, 'f> {
    run: &'a Run,
    audit: &'a Audit,
    /// Objects that were checked, by path.
    seen: BTreeMap<&'a str, &'a ObjectRef>,
    /// Numbers of the games in shards: first number to number after the last, and the path.
    numbers: BTreeMap<u64, (u64, &'a str)>,
    /// The boards that shards are of.
    boards: Vec<BoardIds>,
    missing: Vec<(&'a Record, &'a ObjectRef, String)>,
    damaged: Vec<ObjectRef>,
    findings: &'f mut Findings,
}

impl<'a> Checker<'a, '_> {
    fn object(&mut self, record: &'a Record, object: &'a ObjectRef) {
        match self.seen.insert(&object.path, object) {
            Some(earlier) if earlier == object => return,
            Some(_) => {
                let what = format!("record {} names it with other content", record.number);
                let path = layout::log_path(record.number);
                return self.findings.bad(&object.path, what, cut_from(&path));
            }
            None => {}
        }
        let outside = match self.run.verify(object) {
            Ok(()) => None,
            Err(StoreError::NotFound { .. }) => {
                let run_is_lost = self.run.is_lost(object);
                let aside = matches!(record.entry, Entry::Shard { .. })
                    && self.run.set_aside_path(object).exists();
                let what = if run_is_lost {
                    "it is missing and was entered as lost; training goes on without its games"
                } else if aside {
                    "it was damaged and is set aside; training goes on without its games"
                } else {
                    "it is missing"
                };
                return self.missing.push((record, object, what.to_owned()));
            }
            Err(StoreError::Corrupt { what, .. }) => Some(what),
            Err(error) => {
                return self.findings.bad(&object.path, error.to_string(), remedy(record, object));
            }
        };
        self.findings.objects += 1;
        self.findings.bytes += object.bytes;
        let inside = self.inside(&record.entry, object).err().map(|error| inside::text(&error));
        if outside.is_none() && inside.is_none() {
            return;
        }
        let both: Vec<String> = outside.into_iter().chain(inside).collect();
        self.findings.bad(&object.path, both.join("; "), remedy(record, object));
        self.damaged.push(object.clone());
    }

    /// What the file holds, against what its entry says.
    fn inside(&mut self, entry: &'a Entry, object: &'a ObjectRef) -> anyhow::Result<()> {
        let info = self.audit.state.started.as_ref().context("the run never began")?;
        match entry {
            Entry::Shard { generation, games, positions, board, .. } => {
                let path = self.run.local_path(object);
                let champion = self.champion(*generation);
                let board = BoardIds::of(info, board.as_deref())?;
                let numbers =
                    inside::shard(&path, info, &board, *generation, champion, *games, *positions)?;

                self.findings.games += numbers.end - numbers.start;
                self.number_once(numbers, &object.path)
            }
            Entry::Rows { cycle, train, validation, summary } => {
                let of_set = if train.contains(object) { train } else { validation };
                let rows = inside::rows(&self.run.local_path(object), info, &self.boards, *cycle)?;
                let wanted = if train.contains(object) {
                    summary.train_rows
                } else {
                    summary.validation_rows
                };
                // Reported once, at the last file of the set, unless retention has begun to remove
                // it.
                let is_last = of_set.last() == Some(object);
                let paths = || of_set.iter().map(|other| self.run.local_path(other));
                let others = || paths().rev().skip(1).map(|path| inside::row_count(&path));
                if is_last && paths().all(|path| path.exists()) {
                    let sum = rows + others().sum::<u64>();
                    ensure!(sum == wanted, "its set has {sum} rows, the ledger states {wanted}");
                }
                Ok(())
            }
            Entry::Checkpoint { step, .. } => {
                inside::checkpoint(&self.content(object)?, info, *step)
            }
            Entry::Candidate { cycle, step, .. } => {
                inside::network(&self.content(object)?, info, *cycle, *step)
            }
            Entry::Champion { .. } => bail!("no candidate of this network came before it"),
            Entry::Match { a, b, result, .. } => {
                let played = inside::match_file(&self.content(object)?, info, [a, b], result)?;
                self.findings.games += played;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Hash of the network that was champion of a generation.
    fn champion(&self, generation: u32) -> Option<&'a str> {
        self.audit.records.iter().find_map(|record| match &record.entry {
            Entry::Champion { generation: number, network, .. } if *number == generation => {
                Some(network.blake3.as_str())
            }
            _ => None,
        })
    }

    fn number_once(&mut self, numbers: Range<u64>, path: &'a str) -> anyhow::Result<()> {
        let before = self.numbers.range(..numbers.end).next_back();
        if let Some((_, (end, other))) = before
            && *end > numbers.start
        {
            bail!("games {} to {} are in {other} too", numbers.start, (*end).min(numbers.end) - 1);
        }
        self.numbers.insert(numbers.start, (numbers.end, path));
        Ok(())
    }

    fn content(&self, object: &ObjectRef) -> anyhow::Result<Vec<u8>> {
        Ok(self.run.read(&object.path)?.to_vec())
    }
}

/// The boards that shards are of. Those that are none are findings of their shards.
fn boards(audit: &Audit) -> Vec<BoardIds> {
    let Some(info) = &audit.state.started else { return Vec::new() };
    let boards = audit.records.iter().filter_map(|record| match &record.entry {
        Entry::Shard { board, .. } => Some(board.as_deref()),
        _ => None,
    });
    let boards: BTreeSet<Option<&str>> = boards.collect();
    boards.into_iter().filter_map(|board| BoardIds::of(info, board).ok()).collect()
}

/// What can be done about a bad object.
fn remedy(record: &Record, object: &ObjectRef) -> String {
    let cut = cut_from(&layout::log_path(record.number));
    let quarantine = match record.entry {
        Entry::Shard { .. } => {
            "; or use --quarantine, which enters the loss: training then goes on without its games"
        }
        Entry::Checkpoint { .. } => {
            "; or use --quarantine: training then goes on from the checkpoint before it"
        }
        Entry::Candidate { .. } => {
            "; unless its network is champion, the run goes on without its rating games"
        }
        Entry::Match { .. } => "; the run itself goes on without it",
        _ => "",
    };
    format!("put a good copy back at {}{quarantine}; or {cut}", object.path)
}
