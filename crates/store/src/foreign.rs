//! What in a directory is not a run's: before a run is made there, and beside its files.

use std::fs::{self, DirEntry};
use std::io::{self};
use std::path::Path;

use crate::Stage;
use crate::belongs::published_name;
use crate::error::{Result, StoreError};
use crate::layout::{
    ASIDE, CONFIG, EXPECTED, FOLDERS, LOG, QUARANTINE, REPORT, lock_path, number_of,
};
use crate::ways::there;

/// The first thing in `dir` that lies where files of a run would, inside `dir`; `None` where a run
/// may be made. Empty folders with the run's names are no obstacle, nor is anything at other names.
pub(crate) fn in_the_way(dir: &Path) -> Result<Option<String>> {
    let stages = [Stage::Driver].into_iter().chain(Stage::WORKERS);
    let files = [CONFIG, REPORT, EXPECTED].map(str::to_owned).into_iter();
    for file in files.chain(stages.map(lock_path)) {
        if there(&dir.join(&file)).map_err(|e| StoreError::io(&file, e))?.is_some() {
            return Ok(Some(file));
        }
    }
    for folder in FOLDERS.into_iter().chain([ASIDE, QUARANTINE]) {
        let io = |e| StoreError::io(dir.join(folder).display().to_string(), e);
        match there(&dir.join(folder)).map_err(io)? {
            None => {}
            Some(meta) if meta.is_dir() => {
                let names = entries(&dir.join(folder)).map_err(io)?;
                if let Some(first) = names.first() {
                    let name = first.file_name();
                    return Ok(Some(format!("{folder}/{}", name.to_string_lossy())));
                }
            }
            Some(_) => return Ok(Some(folder.to_owned())),
        }
    }
    Ok(None)
}

/// Whether `dir` has a ledger.
pub(crate) fn has_records(dir: &Path) -> bool {
    let is_record =
        |entry: &DirEntry| entry.file_name().to_str().is_some_and(|n| number_of(n).is_some());
    entries(&dir.join(LOG)).is_ok_and(|entries| entries.iter().any(is_record))
}

/// What lies in a folder, by name; nothing where it is missing.
pub(crate) fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let found = match fs::read_dir(folder) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        found => found?,
    };
    let mut entries = found.collect::<io::Result<Vec<_>>>()?;
    entries.sort_unstable_by_key(DirEntry::file_name);
    Ok(entries)
}

/// Paths inside the run of all regular files below a folder that are not staged, sorted. Links are
/// not followed.
pub(crate) fn files_of(root: &Path, folder: &str) -> Result<Vec<String>> {
    let io = |e| StoreError::io(folder, e);
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in entries(&root.join(&folder)).map_err(io)? {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let path = format!("{folder}/{name}");
            match there(&entry.path()).map_err(io)? {
                Some(meta) if meta.is_dir() => folders.push(path),
                Some(meta) if meta.is_file() && published_name(&path).is_none() => files.push(path),
                _ => {}
            }
        }
    }
    files.sort_unstable();
    Ok(files)
}
