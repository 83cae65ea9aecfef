//! A run from the mirror in its mailbox.

use std::io::Write;
use std::path::{Path, PathBuf};

use dz_selfplay::check_home_is_gone;
use dz_stage::{bytes_text, count_text};
use dz_store::{Mailbox, Run, restore};

use super::make_whole;
use crate::exit::UsageError;

/// Whether `name` is an address of a mailbox, and no directory of a run.
pub(crate) fn is_mailbox(name: &str) -> bool {
    let folder = Path::new(name);
    // What a mailbox has from the beginning.
    name.contains("://") || (!Run::exists(folder) && folder.join("run.json").is_file())
}

/// The directory of a mailbox's run: `dir`, where it is there already, or made from the mirror.
///
/// # Errors
/// A home that seems to be alive, unless `takes_over`; and what mailbox, mirror and disk report.
pub(crate) fn restored(
    address: &str,
    dir: Option<&Path>,
    takes_over: bool,
    out: &mut dyn Write,
) -> anyhow::Result<PathBuf> {
    let Some(dir) = dir else {
        let what = format!("{address} is a mailbox: name a folder for its run with --dir");
        return Err(UsageError(what).into());
    };
    if Run::exists(dir) {
        return Ok(dir.to_owned());
    }
    let mailbox = Mailbox::open(address)?;
    if !takes_over {
        check_home_is_gone(&mailbox)?;
    }
    writeln!(out, "fetches the run from {address}")?;
    out.flush()?;
    let restored = make_whole(dir, "restoring", |unfinished| Ok(restore(&mailbox, unfinished)?))?;
    writeln!(
        out,
        "fetched {} records and {} files, {}",
        count_text(restored.records),
        count_text(restored.objects),
        bytes_text(restored.bytes)
    )?;
    Ok(dir.to_owned())
}
