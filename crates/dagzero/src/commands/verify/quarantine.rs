//! Moving damaged files out of a run's way.

use std::{fs, path::PathBuf, time::Duration};

use dz_store::{ObjectRef, Run, RunLock, Stage, StoreError, layout};
use serde::Serialize;

/// Folder of a run for damaged files, under their own paths. Shards go to the shuffler's folder, which
/// says to it that training goes on without them.
const QUARANTINE: &str = "quarantine";

/// A file that was moved.
#[derive(Debug, Serialize)]
pub(super) struct Moved {
    /// Inside the run.
    pub(super) path: String,
    pub(super) to: PathBuf,
}

/// All locks of a run.
///
/// # Errors
/// [`StoreError::InUse`] if a process is using the run.
pub(super) fn locks(run: &Run) -> Result<Vec<RunLock>, StoreError> {
    let stages = [Stage::Driver].into_iter().chain(Stage::WORKERS);
    stages.map(|stage| RunLock::acquire_within(run, stage, Duration::ZERO)).collect()
}

/// Moves damaged objects away; those that are missing need no moving.
///
/// # Errors
/// What the operating system reports.
pub(super) fn move_away(run: &Run, damaged: &[ObjectRef]) -> Result<Vec<Moved>, StoreError> {
    let mut moved = Vec::new();
    for object in damaged {
        let from = run.local_path(object);
        if !from.exists() {
            continue;
        }
        let to = if object.path.starts_with(layout::SHARDS) {
            run.set_aside_path(object)
        } else {
            run.root().join(QUARANTINE).join(&object.path)
        };
        let folder = to.parent().map_or_else(|| run.root().to_owned(), ToOwned::to_owned);
        fs::create_dir_all(folder)
            .and_then(|()| fs::rename(&from, &to))
            .map_err(|e| StoreError::io(&object.path, e))?;
        moved.push(Moved { path: object.path.clone(), to });
    }
    Ok(moved)
}
