//! Searches in files, to go on with later.

use std::{fs, path::Path};

use anyhow::Context;
use dz_search::{Budget, Domain, Exact, Search};
use dz_search_file::SearchIdentity;

use crate::exit::UsageError;

/// The most bytes of a file.
const BYTES_MAX: u64 = 1 << 28;

/// Makes `search` the one in the file, with a budget that counts from its beginning. Returns its
/// seed.
pub(super) fn load<D: Domain>(
    search: &mut Search<D, Exact>,
    identity: &SearchIdentity,
    path: &Path,
    budget: Budget,
) -> anyhow::Result<u64> {
    let wrong = |what: String| UsageError(format!("cannot go on with {}: {what}", path.display()));
    let bytes = dz_text::read_input(path, BYTES_MAX).map_err(|error| wrong(error.to_string()))?;
    let saved = identity.read(&bytes).map_err(|error| wrong(error.to_string()))?;
    let seed = saved.seed();
    search.restore(saved).map_err(|error| wrong(error.to_string()))?;
    search.extend(budget);
    Ok(seed)
}

/// Writes the search to the file.
pub(super) fn save<D: Domain>(
    search: &mut Search<D, Exact>,
    identity: &SearchIdentity,
    path: &Path,
) -> anyhow::Result<()> {
    let saved = search.save().map_err(|error| UsageError(error.to_string()))?;
    let bytes = identity.to_bytes(&saved)?;
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
