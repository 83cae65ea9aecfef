//! Moving damaged files out of a run's way. Most go to `quarantine/`, under their own paths. Shards
//! go to the shuffler's folder, which lets training go on without them.

use std::{path::PathBuf, time::Duration};

use dz_store::{ObjectRef, Run, RunLock, Stage, StoreError, layout};
use serde::Serialize;

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
    run.check_places()?;
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
        let to = if object.path.starts_with(layout::SHARDS) {
            run.set_aside_name(object)
        } else {
            format!("{}/{}", layout::QUARANTINE, object.path)
        };
        match run.move_to(&object.path, &to) {
            Ok(to) => {
                moved.push(Moved { path: object.path.clone(), to: run.root().join(to) });
            }
            Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(moved)
}

/// Enters shards that have no file as lost; answers their paths.
///
/// # Errors
/// What the operating system reports.
pub(super) fn enter_losses(run: &Run, lost: &[ObjectRef]) -> Result<Vec<String>, StoreError> {
    let mut entered = Vec::new();
    for object in lost {
        if run.enter_loss(object)? {
            entered.push(object.path.clone());
        }
    }
    Ok(entered)
}
