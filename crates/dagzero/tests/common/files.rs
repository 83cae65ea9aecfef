//! The files of a run, to compare with those of another.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// All files in some folders of a run, by path from the run on.
pub fn files(run: &Path, folders: &[&str]) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders: Vec<_> = folders.iter().map(|folder| run.join(folder)).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(run).expect("inside").display().to_string();
                found.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    found
}
