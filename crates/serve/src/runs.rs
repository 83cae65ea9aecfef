//! The runs below a folder.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use dz_store::Run;

/// Levels of folders below the first that are looked into.
const DEPTH_MAX: usize = 3;
/// Folders and files that are looked at, and runs that are shown, at most.
const ENTRIES_MAX: usize = 10_000;
const RUNS_MAX: usize = 500;

/// A run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundRun {
    /// Its place below the folder, for people; the folder's own name where it is the run.
    pub(crate) name: String,
    /// What stands for it in addresses, not encoded.
    pub(crate) id: String,
    /// Where it is.
    pub(crate) path: PathBuf,
}

impl FoundRun {
    /// The address of a page of it; `page` is empty or begins with a slash.
    pub(crate) fn link(&self, page: &str) -> String {
        format!("/run/{}{page}", encoded(&self.id))
    }
}

/// The runs below `folder`, or `folder` itself, sorted by name. Links to folders are followed where
/// they lead to a run, and not further.
pub(crate) fn find(folder: &Path) -> Vec<FoundRun> {
    let mut found = Vec::new();
    if Run::exists(folder) {
        let name = folder.file_name().unwrap_or(folder.as_os_str());
        found.push(named(Path::new(name), folder));
        return found;
    }
    let mut open = vec![(folder.to_owned(), 0)];
    let mut seen = 0;
    while let Some((at, depth)) = open.pop() {
        let Ok(entries) = fs::read_dir(&at) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > ENTRIES_MAX || found.len() >= RUNS_MAX {
                break;
            }
            let path = entry.path();
            if Run::exists(&path) {
                found.push(named(path.strip_prefix(folder).unwrap_or(&path), &path));
            } else if depth + 1 < DEPTH_MAX && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push((path, depth + 1));
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name).then_with(|| a.path.cmp(&b.path)));
    found
}

/// Names with control characters, and those that are not UTF-8, get a sum of their bytes in their
/// id, so that no two runs have one.
fn named(place: &Path, path: &Path) -> FoundRun {
    let name = dz_text::line(&place.to_string_lossy()).into_owned();
    let id = match place.to_str() {
        Some(text) if text == name => text.to_owned(),
        _ => {
            let bytes = place.as_os_str().as_bytes().iter();
            let sum = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |sum, &byte| {
                (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
            format!("{name}~{sum:016x}")
        }
    };
    FoundRun { name, id, path: path.to_owned() }
}

/// Text as one part of an address.
pub(crate) fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    // Browsers resolve these two names as folders.
    match out.as_str() {
        "." => "%2E".to_owned(),
        ".." => "%2E%2E".to_owned(),
        _ => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_lie_at_any_depth_and_their_names_are_escaped() {
        let folder = tempfile::tempdir().unwrap();
        let make = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            Run::create(path, "format = 1\n").unwrap();
        };
        make("b");
        make("seeds/a <1>");
        fs::create_dir(folder.path().join("empty")).unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
        let found = find(folder.path());
        let names: Vec<&str> = found.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names, ["b", "seeds/a <1>"]);
        assert_eq!(found[1].link("/games"), "/run/seeds%2Fa%20%3C1%3E/games");
        let alone = find(&folder.path().join("b"));
        assert_eq!((alone.len(), alone[0].id.as_str()), (1, "b"));
        assert!(find(&folder.path().join("nothing")).is_empty());
    }
}
