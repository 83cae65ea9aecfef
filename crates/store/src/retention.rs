//! Which published files may be missing although the ledger names them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::PathBuf;

use crate::error::{Result, StoreError};
use crate::foreign::entries;
use crate::layout::{ASIDE, FOLDERS, QUARANTINE, work_path};
use crate::sweep::files_below;
use crate::ways::{Writes, open_own, open_to_read, there, way};
use crate::{ObjectRef, RowsState, Run, RunState, ShardState, Stage};

/// Folder in the shuffler's work folder for damaged shards.
const SET_ASIDE: &str = "set-aside";
/// What stands in place of a shard that is lost: it has no bytes that could be set aside.
const LOST: &[u8] = b"lost\n";

/// The newest checkpoints that are never removed: one may turn out to be damaged.
pub const CHECKPOINTS_KEPT_MIN: usize = 2;

impl RunState {
    /// Paths of all checkpoints, the newest first, each once.
    pub fn checkpoint_paths(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let paths = self.checkpoints().rev().map(|(_, found)| found.object.path.as_str());
        paths.filter(|path| seen.insert(*path)).collect()
    }

    /// Cycles whose rows may be deleted: no stage waits for them, and they are older than the
    /// newest `keep` cycles that have rows.
    pub fn rows_left_behind(&self, keep: usize) -> impl Iterator<Item = &RowsState> {
        let with_rows = self.cycles.iter().filter(|(_, now)| now.rows.is_some()).rev().skip(keep);
        let left =
            with_rows.filter(|(cycle, now)| now.candidate.is_some() || **cycle <= self.cycles_done);
        left.filter_map(|(_, now)| now.rows.as_ref())
    }

    /// Paths of published files that retention may have removed and that the run can do without:
    /// all trained rows but the newest, all checkpoints but the two newest, and files that the
    /// ledger gives up.
    pub fn expendable(&self) -> BTreeSet<&str> {
        let rows = self.rows_left_behind(1);
        let rows = rows.flat_map(|r| r.train.iter().chain(&r.validation)).map(|o| o.path.as_str());
        let checkpoints = self.checkpoint_paths().into_iter().skip(CHECKPOINTS_KEPT_MIN);
        rows.chain(checkpoints).chain(self.expired.iter().map(String::as_str)).collect()
    }
}

impl Run {
    /// Where a damaged shard is moved to, so that training goes on without its games; inside the
    /// run.
    pub fn set_aside_name(&self, shard: &ObjectRef) -> String {
        // `shards/cycle-0001/00000003.dzs` as one name.
        let name = shard.path.replace('/', "-");
        format!("{}/{SET_ASIDE}/{name}", work_path(Stage::Shuffler))
    }

    /// [`Self::set_aside_name`] on this machine.
    pub fn set_aside_path(&self, shard: &ObjectRef) -> PathBuf {
        self.root().join(self.set_aside_name(shard))
    }

    /// Whether any shard was set aside or marked as lost.
    pub(crate) fn has_set_aside(&self) -> Result<bool> {
        let folder = format!("{}/{SET_ASIDE}", work_path(Stage::Shuffler));
        let found = entries(&self.root().join(&folder)).map_err(|e| StoreError::io(&folder, e))?;
        Ok(!found.is_empty())
    }

    /// Marks a shard without a file as lost. Training goes on without its games until a good copy
    /// is put back. Returns false if it was marked before.
    ///
    /// # Errors
    /// What the operating system reports, and [`StoreError::NotOurs`] for a link on the way.
    pub fn enter_loss(&self, shard: &ObjectRef) -> Result<bool> {
        let path = self.set_aside_name(shard);
        let io = |e| StoreError::io(&path, e);
        let full = way(self.root(), &path, true)?;
        if there(&full).map_err(io)?.is_some() {
            return Ok(false);
        }
        let mut file = open_own(&full, Writes::Anew).map_err(io)?;
        file.write_all(LOST).and_then(|()| file.sync_all()).map_err(io)?;
        Ok(true)
    }

    /// Whether a shard was marked as lost, and no good copy was put back.
    pub fn is_lost(&self, shard: &ObjectRef) -> bool {
        let mut content = Vec::new();
        let read = open_to_read(&self.set_aside_path(shard))
            .and_then(|file| file.take(LOST.len() as u64 + 1).read_to_end(&mut content));
        read.is_ok() && content == LOST && !self.local_path(shard).exists()
    }

    /// Whether the run continues without a shard: retention removed it, or it was damaged and set
    /// aside, and no good copy has replaced it.
    pub fn is_given_up(&self, state: &RunState, shard: &ObjectRef) -> bool {
        let is_aside = || !self.local_path(shard).exists() && self.set_aside_path(shard).exists();
        state.expired.contains(&shard.path) || is_aside()
    }

    /// All shards that the run has not given up, by cycle and number.
    pub fn shards_kept<'a>(
        &'a self,
        state: &'a RunState,
    ) -> impl DoubleEndedIterator<Item = (u32, &'a ShardState)> {
        state.shards().filter(|(_, shard)| !self.is_given_up(state, &shard.object))
    }

    /// Bytes of all files in each folder of the run.
    pub fn usage(&self) -> Result<BTreeMap<&'static str, u64>> {
        let mut usage = BTreeMap::new();
        for folder in FOLDERS.into_iter().chain([ASIDE, QUARANTINE]) {
            let mut files = Vec::new();
            files_below(&self.root().join(folder), &mut files)
                .map_err(|e| StoreError::io(folder, e))?;
            usage.insert(folder, files.iter().map(|(_, meta)| meta.len()).sum());
        }
        Ok(usage)
    }
}
