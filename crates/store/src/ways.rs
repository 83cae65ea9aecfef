//! Ways into a run that follow no link: the one helper for everything that is written or removed
//! there.
//!
//! A run's directory may itself lie behind a link. Below it nothing of the run is a link: a link
//! leads to something outside the run, so nothing is written or removed through it.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::error::{Result, StoreError};

/// How a file is opened for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    /// At its end, and readable too; made if it is missing.
    Append,
    /// From its beginning, what it held is gone; made if it is missing.
    Anew,
    /// Anywhere, and readable too; made if it is missing.
    Over,
}

/// Opens a file of a run for writing. The last part of `path` is not followed if it is a link, and
/// anything but a regular file is refused. The folders above it are the caller's to check
/// ([`crate::Run::writable`]).
///
/// # Errors
/// Those of the operating system. One about a link or another kind of file carries
/// [`StoreError::NotOurs`], which [`StoreError::io`] hands back.
pub fn open_own(path: &Path, writes: Writes) -> io::Result<File> {
    let mut options = OpenOptions::new();
    match writes {
        Writes::Append => options.read(true).append(true),
        Writes::Anew => options.write(true),
        Writes::Over => options.read(true).write(true),
    };
    // Without O_NONBLOCK, opening a pipe would wait for its other end.
    options.create(true).truncate(false).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let shown = || path.display().to_string();
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) => return Err(explained(path, error)),
    };
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other(StoreError::not_ours(shown(), kind_of(&meta))));
    }
    if writes == Writes::Anew {
        file.set_len(0)?;
    }
    Ok(file)
}

/// Writes a small file of a run that may be made again: beside its place, then renamed. As
/// [`open_own`], a link in its place is refused.
///
/// # Errors
/// As [`open_own`].
pub fn write_own(path: &Path, content: &[u8]) -> io::Result<()> {
    use io::Write;
    let staged = path.with_extension("new");
    open_own(&staged, Writes::Anew)?.write_all(content)?;
    rename_own(&staged, path)
}

/// Renames a file of a run over another one of it, unless what is there is no regular file.
///
/// # Errors
/// As [`open_own`].
pub fn rename_own(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(meta) = there(to)?
        && !meta.is_file()
    {
        return Err(io::Error::other(StoreError::not_ours(
            to.display().to_string(),
            kind_of(&meta),
        )));
    }
    fs::rename(from, to)
}

/// Opens a file for reading, if it is a regular one.
pub(crate) fn open_to_read(path: &Path) -> io::Result<File> {
    dz_text::open_regular(path).map_err(|error| explained(path, error))
}

/// Returns the metadata at a path, of a link itself and not of its target; `None` where there is
/// nothing.
pub(crate) fn there(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::symlink_metadata(path) {
        Ok(meta) => Ok(Some(meta)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// Removes a regular file; false, and nothing is removed, where it is something else or gone.
///
/// # Errors
/// What the operating system reports.
pub fn remove_own(path: &Path) -> io::Result<bool> {
    match there(path)? {
        Some(meta) if meta.is_file() => fs::remove_file(path).map(|()| true),
        _ => Ok(false),
    }
}

/// The full path of `path` below `root`, after every folder on the way is seen to be a folder and
/// no link. Missing folders are made if `make` is true.
pub(crate) fn way(root: &Path, path: &str, make: bool) -> Result<PathBuf> {
    let mut full = root.to_owned();
    let mut parts = path.split('/').peekable();
    let mut so_far = String::new();
    while let Some(part) = parts.next() {
        full.push(part);
        if parts.peek().is_none() {
            break;
        }
        so_far = if so_far.is_empty() { part.to_owned() } else { format!("{so_far}/{part}") };
        folder(&full, &so_far, make)?;
    }
    Ok(full)
}

/// As [`way`], for a folder, which is looked at too.
pub(crate) fn way_to_folder(root: &Path, path: &str, make: bool) -> Result<PathBuf> {
    let full = way(root, path, make)?;
    folder(&full, path, make)?;
    Ok(full)
}

fn folder(full: &Path, shown: &str, make: bool) -> Result<()> {
    let io = |e| StoreError::io(shown, e);
    match there(full).map_err(io)? {
        Some(meta) if meta.is_dir() => Ok(()),
        Some(meta) => Err(StoreError::not_ours(shown, kind_of(&meta))),
        None if make => match DirBuilder::new().create(full) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => folder(full, shown, false),
            made => made.map_err(io),
        },
        None => Ok(()),
    }
}

/// What stands where a folder or a regular file of the run should be, for [`StoreError::NotOurs`].
pub(crate) fn kind_of(meta: &Metadata) -> &'static str {
    let kind = meta.file_type();
    if kind.is_symlink() {
        "is a link"
    } else if kind.is_dir() {
        "is a folder where a file should be"
    } else if kind.is_file() {
        "is a file where a folder should be"
    } else {
        "is a pipe, socket or device"
    }
}

/// An error of opening `path`, with what stands there if that is why.
fn explained(path: &Path, error: io::Error) -> io::Error {
    match there(path) {
        Ok(Some(meta)) if !meta.is_file() && error.kind() != io::ErrorKind::NotFound => {
            io::Error::other(StoreError::not_ours(path.display().to_string(), kind_of(&meta)))
        }
        _ => error,
    }
}
