//! Publishing checkpoints and candidates, and removing old checkpoints.

use std::collections::BTreeSet;

use dz_burn_net::ExportInfo;
use dz_store::{
    CHECKPOINTS_KEPT_MIN, CheckpointState, Entry, Ledger, Losses, ObjectRef, Run, RunState,
    StoreError, layout,
};

use crate::Session;

/// Publishes the session's state as a checkpoint of the turn in `cycle`; nothing if it is the
/// newest already.
///
/// # Errors
/// What store or device report.
pub fn publish_checkpoint(
    run: &Run,
    ledger: &mut Ledger,
    cycle: u32,
    session: &Session,
) -> anyhow::Result<()> {
    let bytes = session.checkpoint()?;
    let step = session.learner.steps();
    // The name may be taken by a damaged checkpoint or one of another configuration. The ledger may
    // know it even if that file was moved away.
    let mut attempt = 1;
    let object = loop {
        let path = layout::checkpoint_path(session.cursor.cycle, step, attempt);
        if is_taken(ledger.state(), &path, &bytes) {
            attempt += 1;
            continue;
        }
        match run.put_create(&path, &bytes) {
            Err(StoreError::Conflict { .. }) => attempt += 1,
            other => break other?,
        }
    };
    let checkpoint = CheckpointState { step, object: object.clone() };
    if ledger.state().checkpoint() != Some(&checkpoint) {
        ledger.append(Entry::Checkpoint { cycle, step, object })?;
    }
    Ok(())
}

/// Whether the ledger names other bytes with this path.
fn is_taken(state: &RunState, path: &str, bytes: &[u8]) -> bool {
    let mut known = state.checkpoints().map(|(_, kept)| &kept.object);
    known.any(|object| object.path == path && *object != ObjectRef::of(path, bytes))
}

/// Publishes the averaged weights as the cycle's candidate and ends the turn.
///
/// # Errors
/// What store or device report.
pub fn publish_candidate(
    run: &Run,
    ledger: &mut Ledger,
    cycle: u32,
    session: &Session,
    losses: Losses,
) -> anyhow::Result<()> {
    let info = ExportInfo {
        config_hash: session.config_hash.clone(),
        cycle,
        created_by: concat!("trainer ", env!("CARGO_PKG_VERSION")).to_owned(),
    };
    let bytes = session.learner.export(&info)?.to_bytes()?;
    let path = layout::network_path(cycle);
    let network = run.put_create(&path, &bytes)?;
    let step = session.learner.steps();
    ledger.append(Entry::Candidate { cycle, step, network, losses })?;
    Ok(())
}

/// Removes the files of all checkpoints except the `keep` newest, which are at least two. Their
/// entries stay, so a missing file of an older checkpoint is no damage.
///
/// # Errors
/// What the store reports.
pub fn prune_checkpoints(run: &Run, state: &RunState, keep: usize) -> Result<(), StoreError> {
    let newest = state.checkpoint_paths();
    let kept: BTreeSet<&str> =
        newest.iter().take(keep.max(CHECKPOINTS_KEPT_MIN)).copied().collect();
    let named: BTreeSet<&str> = newest.into_iter().collect();
    for path in run.list(layout::CHECKPOINTS)? {
        if named.contains(path.as_str()) && !kept.contains(path.as_str()) {
            run.delete(&path)?;
        }
    }
    Ok(())
}
