//! What a run may do without: which published files may be gone although the ledger names them.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Result, StoreError};
use crate::layout::FOLDERS;
use crate::sweep::files_below;
use crate::{RowsState, Run, RunState};

/// The newest checkpoints that are never removed: one may turn out to be damaged.
pub const CHECKPOINTS_KEPT_MIN: usize = 2;

impl RunState {
    /// Paths of all checkpoints, the newest first, each once.
    pub fn checkpoint_paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = Vec::new();
        for (_, checkpoint) in self.checkpoints().rev() {
            if !paths.contains(&checkpoint.object.path.as_str()) {
                paths.push(&checkpoint.object.path);
            }
        }
        paths
    }

    /// Cycles whose rows nobody waits for, but the newest `keep` that have rows: their rows may go.
    pub fn rows_left_behind(&self, keep: usize) -> impl Iterator<Item = &RowsState> {
        let with_rows = self.cycles.values().filter(|cycle| cycle.rows.is_some()).rev().skip(keep);
        with_rows.filter(|cycle| cycle.candidate.is_some()).filter_map(|cycle| cycle.rows.as_ref())
    }

    /// Paths of published files that the run goes on without, as retention may have removed them:
    /// rows that are trained on, but the newest; all checkpoints but the two newest; and what the
    /// ledger gives up.
    pub fn expendable(&self) -> BTreeSet<&str> {
        let rows = self.rows_left_behind(1);
        let rows = rows.flat_map(|r| r.train.iter().chain(&r.validation)).map(|o| o.path.as_str());
        let checkpoints = self.checkpoint_paths().into_iter().skip(CHECKPOINTS_KEPT_MIN);
        rows.chain(checkpoints).chain(self.expired.iter().map(String::as_str)).collect()
    }
}

impl Run {
    /// Bytes of all files in each folder of the run.
    pub fn usage(&self) -> Result<BTreeMap<&'static str, u64>> {
        let mut usage = BTreeMap::new();
        for folder in FOLDERS {
            let mut files = Vec::new();
            files_below(&self.root().join(folder), &mut files)
                .map_err(|e| StoreError::io(folder, e))?;
            usage.insert(folder, files.iter().map(|(_, meta)| meta.len()).sum());
        }
        Ok(usage)
    }
}
