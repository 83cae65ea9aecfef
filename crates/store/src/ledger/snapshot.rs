//! Snapshots of the fold: a cache that may be deleted at any time.

use serde::{Deserialize, Serialize};

use super::plausible::check_numbers;
use super::state::RunState;
use crate::belongs::check_any_object_path;
use crate::error::Result;
use crate::layout::{SNAPSHOTS, log_path, number_of, snapshot_path};
use crate::seal::{SEAL_DIGITS, seal, unseal};
use crate::{ObjectRef, Run};

/// A snapshot follows each record whose number is a multiple of this.
pub const SNAPSHOT_EVERY: u64 = 256;

/// Version of the snapshot's format. A snapshot of another version is ignored: the log is folded
/// instead.
const SNAPSHOT_FORMAT: u32 = 3;

/// `S` is a state, or a borrowed one for writing.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Snapshot<S> {
    format: u32,
    /// The newest record folded in: a log that was cut and continued has another one.
    record: ObjectRef,
    state: S,
}

/// The newest snapshot that fits the log, whose newest record is `newest`; else the empty state.
pub(super) fn newest(run: &Run, newest: u64) -> Result<RunState> {
    let mut numbers: Vec<u64> = run.list(SNAPSHOTS)?.iter().filter_map(|p| number_of(p)).collect();
    numbers.retain(|&n| n > 0 && n <= newest);
    numbers.sort_unstable();
    Ok(numbers.into_iter().rev().find_map(|n| read(run, n)).unwrap_or_default())
}

/// Snapshots that stay: the newest, and one more in case it is damaged.
const SNAPSHOTS_KEPT: u64 = 2;

/// Keeps a snapshot after `record` when it is due, and removes the one that it makes needless. A
/// failure costs time at the next start, or a file too many, no more.
pub(super) fn keep(run: &Run, state: &RunState, record: &ObjectRef) {
    if !state.number.is_multiple_of(SNAPSHOT_EVERY) {
        return;
    }
    let snapshot = Snapshot { format: SNAPSHOT_FORMAT, record: record.clone(), state };
    if let Ok(bytes) = serde_json::to_vec(&snapshot) {
        // Replaced, not created: after the log was cut, an older snapshot may have the name.
        let _ = run.replace(&snapshot_path(state.number), &seal(&bytes, SEAL_DIGITS));
        if let Some(old @ 1..) = state.number.checked_sub(SNAPSHOTS_KEPT * SNAPSHOT_EVERY) {
            let _ = run.delete(&snapshot_path(old));
        }
    }
}

/// The state in snapshot `number`; `None` unless it is whole and follows the log's record.
pub(super) fn read(run: &Run, number: u64) -> Option<RunState> {
    let bytes = run.read(&snapshot_path(number)).ok()?;
    let (object, true) = unseal(&bytes, SEAL_DIGITS).ok()? else { return None };
    let snapshot: Snapshot<RunState> = serde_json::from_slice(&object).ok()?;
    check_numbers(&object, number).ok()?;
    let fits = snapshot.format == SNAPSHOT_FORMAT
        && snapshot.state.number == number
        && record_object(run, number).is_ok_and(|object| object == snapshot.record)
        && has_own_paths(&snapshot.state);
    fits.then_some(snapshot.state)
}

/// Whether snapshot `number` is whole and of another version of the program.
pub(super) fn has_other_format(run: &Run, number: u64) -> bool {
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let Ok(bytes) = run.read(&snapshot_path(number)) else { return false };
    let Ok((object, true)) = unseal(&bytes, SEAL_DIGITS) else { return false };
    serde_json::from_slice(&object).is_ok_and(|Format { format }| format != SNAPSHOT_FORMAT)
}

/// Whether every path in a state is one that a record may name.
fn has_own_paths(state: &RunState) -> bool {
    let objects = state.objects().map(|object| object.path.as_str());
    let champion = state.champion.iter().map(|champion| champion.network.path.as_str());
    let expired = state.expired.iter().map(String::as_str);
    objects.chain(champion).chain(expired).all(|path| check_any_object_path(path).is_ok())
}

/// What identifies a record's file for a snapshot made after it.
fn record_object(run: &Run, number: u64) -> Result<ObjectRef> {
    let path = log_path(number);
    let bytes = run.read(&path)?;
    Ok(ObjectRef::of(path, &bytes))
}
