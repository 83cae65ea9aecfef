//! The recorder's log.

use std::{fs, path::Path};

use anyhow::{Context, bail, ensure};

/// A change of a file or folder. Paths are relative to the recorded folder, empty for the folder
/// itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A file begins, empty.
    Create { path: String, inode: u64 },
    /// A folder begins.
    MakeFolder { path: String },
    /// Bytes are written at an offset.
    Write { inode: u64, offset: u64, bytes: Vec<u8> },
    /// A file has another length.
    SetLength { inode: u64, length: u64 },
    /// A file's content is made durable.
    SyncFile { inode: u64 },
    /// The names in a folder are made durable.
    SyncFolder { path: String },
    /// A file has one more name.
    Link { from: String, to: String },
    /// A file or folder has another name.
    Rename { from: String, to: String },
    /// A name is gone.
    Remove { path: String },
}

/// Kind, inode, offset, length, lengths of two paths and of the bytes: see `recorder.c`.
const HEAD_BYTES: usize = 1 + 3 * 8 + 3 * 4;

/// Reads the log of what happened under `folder`.
///
/// # Errors
/// If it cannot be read or is cut off.
pub(super) fn read(log: &Path, folder: &Path) -> anyhow::Result<Vec<Change>> {
    let content = fs::read(log).with_context(|| format!("the log {}", log.display()))?;
    let folder = folder.to_str().context("a folder whose name is UTF-8")?;
    let mut rest = content.as_slice();
    let mut changes = Vec::new();
    while !rest.is_empty() {
        changes.push(change(&mut rest, folder)?);
    }
    Ok(changes)
}

fn change(rest: &mut &[u8], folder: &str) -> anyhow::Result<Change> {
    let mut take = |count: usize| rest.split_off(..count).context("the recorder's log is cut off");
    let head = take(HEAD_BYTES)?;
    let number = |at: usize, bytes: usize| {
        head[at..at + bytes].iter().rev().fold(0_u64, |n, &byte| n << 8 | u64::from(byte))
    };
    let inode = number(1, 8);
    let offset = number(9, 8);
    let length = number(17, 8);
    let [path, other, bytes] = [25, 29, 33].map(|at| number(at, 4) as usize);
    let mut take_path = |count| -> anyhow::Result<String> {
        let path = std::str::from_utf8(take(count)?).context("a path that is UTF-8")?;
        if path.is_empty() {
            return Ok(String::new());
        }
        let inside = path.strip_prefix(folder).context("a path outside the folder")?;
        Ok(inside.trim_start_matches('/').to_owned())
    };
    let path = take_path(path)?;
    let other = take_path(other)?;
    let bytes = take(bytes)?.to_vec();
    ensure!(head[0] != b'W' || bytes.len() as u64 == length, "a write without its bytes");
    Ok(match head[0] {
        b'C' => Change::Create { path, inode },
        b'M' => Change::MakeFolder { path },
        b'W' => Change::Write { inode, offset, bytes },
        b'T' => Change::SetLength { inode, length },
        b'F' => Change::SyncFile { inode },
        b'D' => Change::SyncFolder { path },
        b'L' => Change::Link { from: path, to: other },
        b'R' => Change::Rename { from: path, to: other },
        b'U' => Change::Remove { path },
        kind => bail!("an entry of the unknown kind {kind}"),
    })
}
