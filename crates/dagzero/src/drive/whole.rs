//! Runs that are made whole or not at all.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// Makes a run as `NEW.ending` and renames it once `make` is done. A run with half of its games
/// would play the others anew.
pub(crate) fn make_whole<T>(
    new: &Path,
    ending: &str,
    make: impl FnOnce(&Path) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let name = new.file_name().context("the new run needs a name")?;
    let unfinished = new.with_file_name(format!("{}.{ending}", name.to_string_lossy()));
    dz_store::begin_unfinished(&unfinished)?;
    let made = make(&unfinished).inspect_err(|_| {
        // What cannot be removed now is removed by the next attempt.
        let _ = dz_store::remove_unfinished(&unfinished);
    })?;
    fs::rename(&unfinished, new)
        .with_context(|| format!("cannot name the new run {}", new.display()))?;
    dz_store::end_unfinished(new)?;
    Ok(made)
}
