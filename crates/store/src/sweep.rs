//! Removing what killed processes left behind.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::error::{Result, StoreError};
use crate::layout::{LOG, SNAPSHOTS, folders_of};
use crate::{Run, RunLock, RunState, Stage};

/// Records and snapshots are staged for milliseconds, by any stage; older ones are leftovers.
const STAGED_MAX: Duration = Duration::from_mins(1);

/// A file that [`Run::sweep`] removed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Swept {
    /// Path inside the run.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Whether it had never been published (else: published, but named by no entry).
    pub staged: bool,
}

impl Run {
    /// Removes what an earlier process of the lock's stage left behind: staged files, and objects
    /// that `state` does not name. Holding the stage's lock proves that no living process is about
    /// to name them, whatever the time of the file says. The driver's sweep removes staged records and snapshots, which any
    /// stage writes, once they are old. Returns what was removed, sorted.
    pub fn sweep(&self, lock: &RunLock, state: &RunState) -> Result<Vec<Swept>> {
        let named: BTreeSet<&str> = state.objects().map(|o| o.path.as_str()).collect();
        let mut swept = Vec::new();
        for folder in folders_of(lock.stage()) {
            self.sweep_folder(folder, None, &mut swept, &|path, staged| {
                staged || !named.contains(path)
            })?;
        }
        if lock.stage() == Stage::Driver {
            let before = SystemTime::now().checked_sub(STAGED_MAX);
            let before = before.unwrap_or(SystemTime::UNIX_EPOCH);
            for folder in [LOG, SNAPSHOTS] {
                self.sweep_folder(folder, Some(before), &mut swept, &|_, staged| staged)?;
            }
        }
        swept.sort_unstable();
        Ok(swept)
    }

    /// What a sweep of every stage would remove: staged files, and objects that `state` does not name.
    /// Where processes are alive, some of it is work in progress.
    pub fn leftovers(&self, state: &RunState) -> Result<Vec<Swept>> {
        let named: BTreeSet<&str> = state.objects().map(|o| o.path.as_str()).collect();
        let mut found = Vec::new();
        for folder in Stage::WORKERS.iter().flat_map(|&stage| folders_of(stage)) {
            let goes = |path: &str, staged| staged || !named.contains(path);
            found.extend(self.found(folder, None, &goes)?);
        }
        found.sort_unstable();
        Ok(found)
    }

    fn sweep_folder(
        &self,
        folder: &str,
        before: Option<SystemTime>,
        swept: &mut Vec<Swept>,
        goes: &dyn Fn(&str, bool) -> bool,
    ) -> Result<()> {
        for found in self.found(folder, before, goes)? {
            fs::remove_file(self.root().join(&found.path))
                .map_err(|e| StoreError::io(&found.path, e))?;
            swept.push(found);
        }
        Ok(())
    }

    /// The files below a folder that `goes` chooses by path and whether they are staged, of those that
    /// were changed before a time.
    fn found(
        &self,
        folder: &str,
        before: Option<SystemTime>,
        goes: &dyn Fn(&str, bool) -> bool,
    ) -> Result<Vec<Swept>> {
        let io = |e| StoreError::io(folder, e);
        let mut files = Vec::new();
        files_below(&self.root().join(folder), &mut files).map_err(io)?;
        let mut found = Vec::new();
        for (file, meta) in files {
            let Ok(relative) = file.strip_prefix(self.root()) else { continue };
            let path = relative.to_string_lossy().into_owned();
            let staged = is_staged(&path);
            let changed = meta.modified().map_err(io)?;
            if before.is_none_or(|before| changed < before) && goes(&path, staged) {
                found.push(Swept { path, bytes: meta.len(), staged });
            }
        }
        Ok(found)
    }
}

/// `<name>#<digits>`, the name of a file that is not published yet.
fn is_staged(path: &str) -> bool {
    path.rsplit_once('#')
        .is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// All files below a folder, none where it is missing.
pub(crate) fn files_below(
    folder: &Path,
    files: &mut Vec<(std::path::PathBuf, fs::Metadata)>,
) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let meta = match entry.metadata() {
            // Gone meanwhile, such as a staged file that was published.
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            meta => meta?,
        };
        if meta.is_dir() {
            files_below(&entry.path(), files)?;
        } else {
            files.push((entry.path(), meta));
        }
    }
    Ok(())
}
