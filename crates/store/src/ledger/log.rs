//! Reading and appending the numbered log.

use std::process;

use super::entry::{Entry, Record, Stage};
use super::plausible::check_numbers;
use super::snapshot;
use super::state::RunState;
use crate::Run;
use crate::clock;
use crate::error::{Result, StoreError};
use crate::layout::{ASIDE, LOG, log_path, number_of};
use crate::seal::{SEAL_DIGITS, seal, unseal};

/// The ledger of a run: its records read so far, folded, and, after [`Ledger::claim`], the right
/// to append.
///
/// A record is created or it is not, and its number is taken once: to append number `n` a writer
/// must have read everything below `n`, so a late writer meets the claim that fenced it out.
///
/// ```
/// use dz_store::{Entry, Ledger, Run, Stage, StageTurn};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let folder = folder.path();
/// let run = Run::create(folder.join("run"), "format = 1\n")?;
/// let mut ledger = Ledger::open(&run)?;
/// ledger.claim(Stage::Selfplay)?;
/// // An object is durable before the entry that names it is written.
/// let object = run.put_create("shards/cycle-0001/00000000.dzs", b"games")?;
/// let shard = Entry::Shard {
///     cycle: 1,
///     generation: 0,
///     number: 0,
///     games: 10,
///     positions: 90,
///     object,
///     board: None,
/// };
/// ledger.append(shard)?;
/// assert_eq!(ledger.state().games(), 10);
///
/// // Every process that reads the log comes to the same state, and so knows whose turn it is.
/// let other = Ledger::open(&run)?;
/// assert_eq!(other.state(), ledger.state());
/// assert_eq!(other.state().turn(), StageTurn::Selfplay { cycle: 1 });
/// # Ok::<(), dz_store::StoreError>(())
/// ```
#[derive(Debug)]
pub struct Ledger {
    run: Run,
    state: RunState,
    writer: Option<Writer>,
}

#[derive(Clone, Copy, Debug)]
struct Writer {
    stage: Stage,
    epoch: u64,
}

impl Ledger {
    /// Opens the ledger and reads it to its end, from the newest good snapshot on.
    pub fn open(run: &Run) -> Result<Self> {
        let newest = run.list(LOG)?.iter().filter_map(|p| number_of(p)).max().unwrap_or(0);
        let state = snapshot::newest(run, newest)?;
        let mut ledger = Self { run: run.clone(), state, writer: None };
        ledger.poll()?;
        if ledger.state.number < newest {
            let missing = log_path(ledger.state.number + 1);
            return Err(StoreError::Corrupt {
                path: missing.clone(),
                what: format!("it is missing, but records up to {newest} exist"),
                advice: advice(ledger.state.number + 1),
            });
        }
        Ok(ledger)
    }

    /// Takes `stage` over: whoever held it before is fenced out from here on. The returned epoch is
    /// the claim's number.
    pub fn claim(&mut self, stage: Stage) -> Result<u64> {
        let claim = Entry::Claim { stage, nonce: clock::nonce(), process_id: process::id() };
        let mut record = record(stage, claim);
        loop {
            self.poll()?;
            record.number = self.state.number + 1;
            record.epoch = record.number;
            if self.write(&record)? {
                self.writer = Some(Writer { stage, epoch: record.epoch });
                return Ok(record.epoch);
            }
        }
    }

    /// Appends an entry, after reading everything that others appended first.
    /// [`StoreError::Fenced`] once another process has claimed this writer's stage.
    pub fn append(&mut self, entry: Entry) -> Result<Record> {
        let Some(Writer { stage, epoch }) = self.writer else {
            return Err(StoreError::Invalid { what: "an entry without a claim".to_owned() });
        };
        if matches!(entry, Entry::Claim { .. }) {
            return Err(StoreError::Invalid { what: "a claim appended as an entry".to_owned() });
        }
        let mut record = record(stage, entry);
        record.epoch = epoch;
        loop {
            self.poll()?;
            let newest = self.state.claims.get(&stage).copied().unwrap_or(0);
            if newest > epoch {
                return Err(StoreError::Fenced { stage, ours: epoch, newest });
            }
            record.number = self.state.number + 1;
            if let Some(what) = self.state.skips_cycles(&record) {
                return Err(StoreError::Invalid { what: format!("an entry: {what}") });
            }
            if self.write(&record)? {
                return Ok(record);
            }
        }
    }

    /// Reads the records that others appended since, and folds them in. One failed read where
    /// there are none.
    pub fn poll(&mut self) -> Result<Vec<Record>> {
        let mut fresh = Vec::new();
        while let Some(record) = read_record(&self.run, self.state.number + 1)? {
            if let Some(what) = self.state.skips_cycles(&record) {
                let path = log_path(record.number);
                let advice = advice(record.number);
                return Err(StoreError::Corrupt { path, what, advice });
            }
            self.state.apply(&record);
            fresh.push(record);
        }
        Ok(fresh)
    }

    /// The fold of everything read so far.
    pub const fn state(&self) -> &RunState {
        &self.state
    }

    /// The run that this is the ledger of.
    pub const fn run(&self) -> &Run {
        &self.run
    }

    /// All records from the first to the newest read so far: history, for reports.
    pub fn records(&self) -> Result<Vec<Record>> {
        (1..=self.state.number)
            .map(|n| read_record(&self.run, n)?.ok_or_else(|| StoreError::missing(log_path(n))))
            .collect()
    }

    /// Tries to create the next record; false where another writer was faster.
    fn write(&mut self, record: &Record) -> Result<bool> {
        let class = format!("{LOG}.{}", record.entry.kind());
        let path = log_path(record.number);
        match self.run.put_create_as(&class, &path, &encode(record)?) {
            Ok(object) => {
                self.state.apply(record);
                snapshot::keep(&self.run, &self.state, &object);
                Ok(true)
            }
            // The nonce makes equal bytes mean "mine", so a conflict is somebody else's record.
            Err(StoreError::Conflict { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// A record without number and epoch yet.
fn record(stage: Stage, entry: Entry) -> Record {
    let time_unix_ms = clock::unix_ms();
    let nonce = clock::nonce();
    Record { number: 0, epoch: 0, stage, time_unix_ms, nonce, entry }
}

fn encode(record: &Record) -> Result<Vec<u8>> {
    let invalid = |what: String| StoreError::Invalid {
        what: format!("a {} entry cannot be stored: {what}", record.stage),
    };
    let bytes = serde_json::to_vec(record).map_err(|e| invalid(e.to_string()))?;
    // JSON has no infinities and no NaN; such a record could never be read again.
    let back: Record = serde_json::from_slice(&bytes).map_err(|e| invalid(e.to_string()))?;
    if back != *record {
        return Err(invalid("a number in it is not finite".to_owned()));
    }
    record.entry.check_paths().map_err(invalid)?;
    Ok(seal(&bytes, SEAL_DIGITS))
}

impl Record {
    /// A record from its file, and whether it carries a hash; the oldest carry none.
    ///
    /// # Errors
    /// A description, if the hash is wrong, the rest is no record of this version, or a number is
    /// out of the range that a run can reach.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<(Self, bool), String> {
        let (object, sealed) = unseal(bytes, SEAL_DIGITS)?;
        let record: Self = serde_json::from_slice(&object)
            .map_err(|e| format!("it is no record of this version ({e})"))?;
        record.entry.check_paths()?;
        check_numbers(&object, record.number)?;
        Ok((record, sealed))
    }
}

fn read_record(run: &Run, number: u64) -> Result<Option<Record>> {
    Ok(read_sealed(run, number)?.map(|(record, _)| record))
}

/// A record, and whether it carries a hash; `None` where there is none of this number.
pub(super) fn read_sealed(run: &Run, number: u64) -> Result<Option<(Record, bool)>> {
    let path = log_path(number);
    let bytes = match run.read(&path) {
        Ok(bytes) => bytes,
        Err(StoreError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let corrupt =
        |what: String| StoreError::Corrupt { path: path.clone(), what, advice: advice(number) };
    let (record, sealed) = Record::from_bytes(&bytes).map_err(corrupt)?;
    if record.number != number {
        return Err(corrupt(format!("it has the number of record {}", record.number)));
    }
    Ok(Some((record, sealed)))
}

pub(super) fn advice(number: u64) -> String {
    format!(
        "Restore the file from a copy of the run; or move it and every later record out of {LOG}/: the run goes on \
         after record {}, and the next start moves the files that those records named to {ASIDE}/",
        number - 1
    )
}
