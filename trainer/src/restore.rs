//! Resumes from the newest good checkpoint.

use anyhow::{Context, bail};
use dz_burn_net::{Learner, NetError};
use dz_network_file::NetworkError;
use dz_store::{CheckpointState, Run, RunState, StoreError};

use crate::checkpoint::{CheckpointError, Cursor, unpack};

/// A place to resume from.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    /// Where in the rows the checkpoint is.
    pub cursor: Cursor,
    /// Lines about newer checkpoints that could not be used, for people.
    pub warnings: Vec<String>,
}

/// Loads the newest good checkpoint of a run into `learner`; `None` where the run has none.
///
/// A missing or damaged checkpoint is skipped for the one before, with a warning.
///
/// # Errors
/// If there are checkpoints and none is good; if one is of another game, encoding or network: an
/// older one would hide a mistake.
pub fn restore(
    run: &Run,
    state: &RunState,
    learner: &mut dyn Learner,
) -> anyhow::Result<Option<Restored>> {
    let mut faults: Vec<String> = Vec::new();
    for (_, checkpoint) in state.checkpoints().rev() {
        match load(run, checkpoint, learner)
            .with_context(|| format!("the checkpoint {} cannot be used", checkpoint.object.path))
        {
            Ok(cursor) => {
                let mut warnings = faults;
                if !warnings.is_empty() {
                    warnings.push(format!(
                        "training goes on from the older checkpoint {}, step {}",
                        checkpoint.object.path, checkpoint.step
                    ));
                }
                return Ok(Some(Restored { cursor, warnings }));
            }
            Err(error) if is_damage(&error) => faults.push(format!("{error:#}")),
            Err(error) => return Err(error),
        }
    }
    if faults.is_empty() {
        return Ok(None);
    }
    bail!(
        "no checkpoint of this run is good: {}. Restore one from a copy of the run; training does \
         not silently begin anew",
        faults.join("; ")
    )
}

fn load(
    run: &Run,
    checkpoint: &CheckpointState,
    learner: &mut dyn Learner,
) -> anyhow::Result<Cursor> {
    let bytes = run.get(&checkpoint.object)?;
    let (header, state) = unpack(&bytes)?;
    let spec = learner.spec();
    header.check(&spec.game, &spec.encoding)?;
    learner.load(state)?;
    Ok(header.cursor)
}

/// Whether an older checkpoint may be good: this one is missing, altered or of another version.
fn is_damage(error: &anyhow::Error) -> bool {
    let store = error.downcast_ref::<StoreError>();
    let checkpoint = error.downcast_ref::<CheckpointError>();
    let learner = error.downcast_ref::<NetError>();
    store.is_some_and(|e| matches!(e, StoreError::NotFound { .. } | StoreError::Corrupt { .. }))
        || checkpoint.is_some_and(|e| !matches!(e, CheckpointError::OtherGame { .. }))
        || learner.is_some_and(|e| {
            matches!(e, NetError::File(file) if !matches!(file, NetworkError::OtherSpec { .. }))
        })
}
