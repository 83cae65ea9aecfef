//! The disk budget: the oldest shards are deleted once they are no longer in the window.

use dz_stage::{StageContext, bytes_text, count_text};
use dz_store::{Entry, Stage, layout};

use crate::{Window, sources::RunSources};

/// Bytes of a megabyte, as `storage.disk_budget_mb` counts.
const MB: u64 = 1_000_000;

/// Gives up shards that are older than the window, the oldest first, until the run fits its budget.
/// The entry comes first, then the files are deleted. No shard is given up if the window may grow
/// back over it.
///
/// # Errors
/// What the store reports.
pub fn keep_budget(context: &mut StageContext, cycle: u32, window: &Window) -> anyhow::Result<()> {
    let budget = context.config.storage.disk_budget_mb * MB;
    if budget == 0 {
        return Ok(());
    }
    let used: u64 = context.run.usage()?.values().sum();
    let mut over = used.saturating_sub(budget);
    let oldest = window.files.first().map_or(0, |segments| segments.id);
    // A window that grows by more than a row for each new row reaches back further each time.
    let only_forward = context.config.window.rows_per_new_row <= 1.0;
    let mut paths = Vec::new();
    for object in RunSources::of(context, cycle)?.before(oldest).filter(|_| only_forward) {
        if over == 0 {
            break;
        }
        over = over.saturating_sub(object.bytes);
        paths.push(object.path.clone());
    }
    if !paths.is_empty() {
        let text = format!(
            "the disk budget of {}: {} old shards go",
            bytes_text(budget),
            count_text(paths.len() as u64)
        );
        context.events.note(Stage::Shuffler, text);
        context.ledger.append(Entry::Expired { cycle, paths })?;
    }
    if over > 0 {
        let text = format!(
            "the run takes {} more than storage.disk_budget_mb, and nothing else can go: a larger budget, \
             fewer checkpoints or a smaller window.rows_max change that",
            bytes_text(over)
        );
        context.events.note(Stage::Shuffler, text);
    }
    // This includes the shards of an earlier process that was killed here.
    let expired = &context.ledger.state().expired;
    for path in context.run.list(layout::SHARDS)?.iter().filter(|path| expired.contains(*path)) {
        context.run.delete(path)?;
    }
    Ok(())
}
