//! Directories of runs that a command has begun to make and not finished: a fork, or a run that is
//! being restored from its mirror.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::belongs::{OwnName, is_cycle_folder, published_name};
use crate::error::{Result, StoreError};
use crate::foreign::entries;
use crate::layout::{
    CONFIG, CONFIG_HISTORY, EXPECTED, FOLDERS, POLICIES, REPORT, config_history_path, lock_path,
    metrics_path, policy_path, stage_log_path, work_path,
};
use crate::mirror::Origin;
use crate::ways::{Writes, open_own, remove_own, there};
use crate::{Run, RunLock, Stage};

/// Marks a directory of which a command is about to make a run: all of it is the command's.
/// Its name and text are from when only forks needed it.
const MARK: &str = "unfinished-fork";
const MARK_TEXT: &[u8] = b"dagzero fork was making a run here\n";

/// Makes the directory of a run that must not be visible before it is complete. What an earlier
/// attempt left is removed.
///
/// # Errors
/// [`StoreError::Occupied`], and nothing is changed, where something lies there that such an
/// attempt did not make; [`StoreError::InUse`] where it goes on.
pub fn begin_unfinished(dir: &Path) -> Result<()> {
    let io = |e| StoreError::io(dir.display().to_string(), e);
    remove_unfinished(dir)?;
    fs::create_dir_all(dir).map_err(io)?;
    let mut file = open_own(&dir.join(MARK), Writes::Anew).map_err(io)?;
    file.write_all(MARK_TEXT).and_then(|()| file.sync_all()).map_err(io)
}

/// Removes the mark from a complete run.
///
/// # Errors
/// What the operating system reports.
pub fn end_unfinished(dir: &Path) -> Result<()> {
    remove_own(&dir.join(MARK)).map(drop).map_err(|e| StoreError::io(MARK, e))
}

/// Removes a directory that [`begin_unfinished`] made, if it is there.
///
/// # Errors
/// As [`begin_unfinished`].
pub fn remove_unfinished(dir: &Path) -> Result<()> {
    let io = |e| StoreError::io(dir.display().to_string(), e);
    let occupied = |found: String| StoreError::Occupied { dir: dir.display().to_string(), found };
    match there(dir).map_err(io)? {
        None => return Ok(()),
        Some(meta) if !meta.is_dir() => return Err(occupied("what lies there".to_owned())),
        Some(_) => {}
    }
    let found = entries(dir).map_err(io)?;
    let Some(first) = found.first() else { return Ok(()) };
    let is_marked =
        dz_text::read_file(&dir.join(MARK), 1 << 10).is_ok_and(|text| text == MARK_TEXT);
    let is_own =
        is_marked && there(&dir.join(MARK)).map_err(io)?.is_some_and(|meta| meta.is_file());
    if !is_own {
        return Err(occupied(first.file_name().to_string_lossy().into_owned()));
    }
    // The lock is held until everything is removed, so that a fork in progress is noticed.
    let held = |run: Run| RunLock::acquire_within(&run, Stage::Driver, Duration::ZERO);
    let lock = Run::exists(dir).then(|| held(Run::open(dir)?)).transpose()?;
    let mut files = Vec::new();
    let mut folders = Vec::new();
    let mut next = vec![String::new()];
    while let Some(folder) = next.pop() {
        for entry in entries(&dir.join(&folder)).map_err(io)? {
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let meta = there(&entry.path()).map_err(io)?;
            match meta {
                None => {}
                Some(meta) if meta.is_dir() && is_folder_of_run(&path) => next.push(path),
                Some(meta) if meta.is_file() && is_file_of_run(&path) => files.push(path),
                Some(_) => return Err(occupied(path)),
            }
        }
        folders.push(folder);
    }
    // The mark is removed last, so that a kill leaves a directory that can be recognised.
    files.sort_by_key(|file| file == MARK);
    for file in &files {
        remove_own(&dir.join(file)).map_err(io)?;
    }
    drop(lock);
    folders.iter().rev().try_for_each(|folder| fs::remove_dir(dir.join(folder))).map_err(io)
}

/// Whether a run makes a folder of this path.
fn is_folder_of_run(path: &str) -> bool {
    let stages = || [Stage::Driver].into_iter().chain(Stage::WORKERS);
    FOLDERS.contains(&path)
        || path == POLICIES
        || is_cycle_folder(path)
        || stages().any(|stage| work_path(stage) == path)
}

/// Whether a run has a file of this path before its stages start.
fn is_file_of_run(path: &str) -> bool {
    let stages = || [Stage::Driver].into_iter().chain(Stage::WORKERS);
    let path = published_name(path).unwrap_or(path);
    let is_fixed = [CONFIG, REPORT, EXPECTED, MARK].contains(&path);
    let is_stages = |stage| {
        [lock_path(stage), stage_log_path(stage), metrics_path(stage)].iter().any(|own| own == path)
    };
    let hash_in = |folder: &str, ending: &str| {
        path.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(ending)
    };
    let text = hash_in(CONFIG_HISTORY, ".toml").and_then(config_history_path);
    let policy = hash_in(POLICIES, ".policy").and_then(policy_path);
    is_fixed
        || path == Origin::path()
        || stages().any(is_stages)
        || OwnName::of(path).is_some()
        || [text, policy].into_iter().flatten().any(|own| own == path)
}
