//! The rows of a cycle, as the shuffler published them.

use anyhow::Context;
use dz_shard::RowSet;
use dz_stage::StageContext;
use dz_store::{RowsState, RunInfo};

use crate::CycleRows;

/// The rows that a cycle trains on.
pub(crate) fn open_rows(
    context: &StageContext,
    cycle: u32,
    identity: &RunInfo,
) -> anyhow::Result<CycleRows> {
    let state = rows_state(context, cycle)?;
    CycleRows::open(&context.run, state, RowSet::Train, identity)
        .with_context(|| format!("the rows of cycle {cycle} cannot be used"))
}

/// What the shuffler published for a cycle.
pub(crate) fn rows_state(context: &StageContext, cycle: u32) -> anyhow::Result<&RowsState> {
    let state = context.ledger.state().cycle_state(cycle);
    state.and_then(|s| s.rows.as_ref()).with_context(|| format!("cycle {cycle} has no rows yet"))
}
