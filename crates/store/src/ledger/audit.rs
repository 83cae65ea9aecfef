//! Checks the whole log: every record by itself, and its consequences.

use super::entry::{Entry, Record, Stage};
use super::log::read_sealed;
use super::schedule::StageTurn;
use super::snapshot;
use super::state::RunState;
use crate::belongs::check_object_path;
use crate::error::{Result, StoreError};
use crate::layout::{
    CHECKPOINTS, LOG, MATCHES, NETWORKS, ROWS, SHARDS, SNAPSHOTS, log_path, number_of,
    snapshot_path,
};
use crate::{ObjectRef, Run};

/// What [`Audit::of`] found.
#[derive(Clone, Debug, Default)]
pub struct Audit {
    /// The fold of all records before the first that is damaged or missing.
    pub state: RunState,
    /// Every record that can be read and counts, in order; where one is damaged, those after it
    /// too.
    pub records: Vec<Record>,
    /// Records without a hash, of earlier versions: a changed digit in them would not be seen.
    pub without_hash: u64,
    /// Records that a fenced process wrote: they count for nothing.
    pub fenced: u64,
    /// What is wrong, by file.
    pub faults: Vec<AuditFault>,
}

/// Something wrong with a file of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFault {
    /// The file, inside the run.
    pub path: String,
    /// What is wrong.
    pub what: String,
}

impl Audit {
    /// Reads all records and snapshots of a run.
    ///
    /// # Errors
    /// If the folders cannot be listed or a record cannot be read at all. Wrong content of files is
    /// no error but a fault.
    pub fn of(run: &Run) -> Result<Self> {
        let mut audit = Self::default();
        let mut whole = true;
        let mut next = 1;
        for number in numbers(run, LOG)? {
            if number > next {
                whole = false;
                audit.fault(log_path(next), "it is missing, but later records exist");
            }
            next = number.saturating_add(1);
            match read_sealed(run, number) {
                Ok(Some((record, sealed))) => {
                    audit.without_hash += u64::from(!sealed);
                    if !whole || audit.fold(run, &record) {
                        audit.records.push(record);
                    }
                }
                // It was there when the folder was listed.
                Ok(None) => {
                    whole = false;
                    audit.fault(log_path(number), "it has just been removed");
                }
                Err(
                    StoreError::Corrupt { path, what, .. } | StoreError::NotOurs { path, what },
                ) => {
                    whole = false;
                    audit.fault(path, what);
                }
                Err(error) => return Err(error),
            }
        }
        for path in run.list(SNAPSHOTS)? {
            // Of a run in use both a record and its snapshot may have come meanwhile.
            let is_beyond =
                |n: u64| n > audit.state.number && !run.root().join(log_path(n)).exists();
            let beyond = number_of(&path).is_some_and(is_beyond);
            if beyond && whole {
                audit.fault(path, "it is a snapshot of records that do not exist");
            }
        }
        Ok(audit)
    }

    /// Folds a record in; false if it does not count.
    fn fold(&mut self, run: &Run, record: &Record) -> bool {
        let newest_claim = self.state.claims.get(&record.stage).copied().unwrap_or(0);
        let counts = record.epoch >= newest_claim;
        if !counts {
            self.fenced += 1;
        } else if let Some(what) = contradiction(&self.state, record) {
            self.fault(log_path(record.number), what);
        }
        self.state.apply(record);
        let path = snapshot_path(record.number);
        if run.root().join(&path).exists()
            && snapshot::read(run, record.number).as_ref() != Some(&self.state)
            && !snapshot::has_other_format(run, record.number)
        {
            self.fault(path, "it is damaged or no fold of the records before it; it is not used");
        }
        counts
    }

    fn fault(&mut self, path: String, what: impl Into<String>) {
        self.faults.push(AuditFault { path, what: what.into() });
    }
}

impl Entry {
    /// The published files that the entry names.
    pub fn objects(&self) -> Vec<&ObjectRef> {
        match self {
            Self::Shard { object, .. } | Self::Checkpoint { object, .. } => vec![object],
            Self::Rows { train, validation, .. } => train.iter().chain(validation).collect(),
            Self::Candidate { network, .. } | Self::Champion { network, .. } => vec![network],
            Self::Match { games, .. } => vec![games],
            _ => Vec::new(),
        }
    }

    /// Whether every path in the entry is one of the run's own folders.
    ///
    /// # Errors
    /// In words, the first that is not.
    pub(super) fn check_paths(&self) -> std::result::Result<(), String> {
        let folders: &[&str] = match self {
            Self::Shard { .. } | Self::Expired { .. } => &[SHARDS],
            Self::Rows { .. } => &[ROWS],
            Self::Checkpoint { .. } => &[CHECKPOINTS],
            Self::Candidate { .. } | Self::Champion { .. } => &[NETWORKS],
            Self::Match { .. } => &[MATCHES],
            _ => return Ok(()),
        };
        let expired: &[String] = if let Self::Expired { paths, .. } = self { paths } else { &[] };
        let objects = self.objects().into_iter().map(|object| object.path.as_str());
        let mut paths = objects.chain(expired.iter().map(String::as_str));
        paths.try_for_each(|path| check_object_path(path, folders))
    }

    /// Whose entry it is, and the cycle where it belongs to one.
    pub(super) fn owner(&self) -> Option<(Stage, Option<u32>)> {
        Some(match self {
            Self::RunStarted { .. } | Self::ConfigChanged { .. } | Self::Finished { .. } => {
                (Stage::Driver, None)
            }
            Self::Claim { .. } => return None,
            Self::Shard { cycle, .. } | Self::GamesDone { cycle, .. } => {
                (Stage::Selfplay, Some(*cycle))
            }
            Self::Rows { cycle, .. } | Self::Expired { cycle, .. } => {
                (Stage::Shuffler, Some(*cycle))
            }
            Self::Checkpoint { cycle, .. } | Self::Candidate { cycle, .. } => {
                (Stage::Trainer, Some(*cycle))
            }
            Self::Match { cycle, .. }
            | Self::Verdict { cycle, .. }
            | Self::Champion { cycle, .. }
            | Self::Ratings { cycle, .. }
            | Self::CycleDone { cycle, .. } => (Stage::Gatekeeper, Some(*cycle)),
        })
    }
}

/// Numbers of the files in a folder of numbered ones, from 1, ascending.
fn numbers(run: &Run, folder: &str) -> Result<Vec<u64>> {
    let paths = run.list(folder)?;
    let mut numbers: Vec<u64> = paths.iter().filter_map(|path| number_of(path)).collect();
    numbers.retain(|&number| number > 0);
    numbers.sort_unstable();
    Ok(numbers)
}

/// What in `record` does not follow from the state before it.
fn contradiction(state: &RunState, record: &Record) -> Option<String> {
    if let Entry::Claim { stage, .. } = &record.entry {
        let sound = record.epoch == record.number && *stage == record.stage;
        return (!sound).then(|| "a claim of another epoch or stage".to_owned());
    }
    let claim = state.claims.get(&record.stage).copied();
    if claim != Some(record.epoch) {
        return Some(format!("the {} wrote it under a claim that is not there", record.stage));
    }
    let (owner, cycle) = record.entry.owner()?;
    if owner != record.stage {
        return Some(format!("the {} wrote an entry of the {owner}", record.stage));
    }
    // The ledger does not say how far ahead self-play may be, so only the stages' order counts.
    let turn = state.turn_of(owner, u32::MAX);
    if cycle.is_some() && turn.and_then(StageTurn::cycle) != cycle {
        return Some(format!("an entry out of turn: it was the turn of {}", state.turn()));
    }
    inconsistency(state, &record.entry, cycle.unwrap_or_default())
}

/// What an entry claims that the entries before it do not bear out.
fn inconsistency(state: &RunState, entry: &Entry, cycle: u32) -> Option<String> {
    let now = state.cycles.get(&cycle);
    let what = match entry {
        Entry::RunStarted { .. } if state.started.is_some() => "the run begins a second time",
        Entry::Shard { number, .. } if now.is_some_and(|n| n.shards.contains_key(number)) => {
            "a second shard of this number in its cycle"
        }
        // Games that were under way when another champion came are of the one before.
        Entry::Shard { generation, .. } | Entry::GamesDone { generation, .. }
            if *generation > state.generation() =>
        {
            "games of a generation that was not there yet"
        }
        Entry::GamesDone { summary, .. }
            if now.map_or((0, 0), |n| (n.games(), n.positions()))
                != (summary.games, summary.positions) =>
        {
            "its games and positions are not those of the cycle's shards"
        }
        Entry::Candidate { step, .. } if state.checkpoint().is_none_or(|k| k.step != *step) => {
            "no checkpoint of the candidate's step came before it"
        }
        Entry::Match { result, .. }
            if result.games != result.wins + result.draws + result.losses =>
        {
            "wins, draws and losses are not as many as games"
        }
        Entry::Champion { generation, .. } if *generation != state.generation() + 1 => {
            "the champions' numbers do not follow each other"
        }
        Entry::Champion { network, .. } => {
            let accepted = now.and_then(|n| n.verdict.as_ref()).is_some_and(|v| v.accepted);
            let candidate = now.and_then(|n| n.candidate.as_ref());
            if accepted && candidate.is_some_and(|c| c.network == *network) {
                return None;
            }
            "the champion is no candidate that a verdict accepted"
        }
        Entry::CycleDone { .. } => {
            let verdict = now.and_then(|n| n.verdict.as_ref());
            let crowned = now.is_some_and(|n| n.champion.is_some());
            if verdict.is_some_and(|v| v.accepted == crowned) {
                return None;
            }
            "the cycle ended without its verdict, or without the champion that the verdict made"
        }
        _ => return None,
    };
    Some(what.to_owned())
}
