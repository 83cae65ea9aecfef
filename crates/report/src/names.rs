//! Short distinct names of several runs.

use std::path::{Path, PathBuf};

/// A name for each run's directory: its last part, with as many parts before it as make it differ
/// from all others. Equal directories have equal names.
///
/// ```
/// let names = dz_report::short_names(&["/a/x/run".into(), "/b/x/run".into(), "/b/other".into()]);
/// assert_eq!(names, ["a/x/run", "b/x/run", "other"]);
/// ```
pub fn short_names(dirs: &[PathBuf]) -> Vec<String> {
    let one = |dir: &PathBuf| {
        let is_alone = |count: &usize| {
            let own = ending(dir, *count);
            dirs.iter().all(|other| other == dir || ending(other, *count) != own)
        };
        let most = dir.components().count().max(1);
        let count = (1..=most).find(is_alone).unwrap_or(most);
        ending(dir, count)
    };
    dirs.iter().map(one).collect()
}

/// The last `count` parts of a path, with `/` between them.
pub fn ending(dir: &Path, count: usize) -> String {
    let parts: Vec<_> = dir.components().rev().take(count).collect();
    let path: PathBuf = parts.into_iter().rev().collect();
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_shortest_that_differ() {
        let of = |dirs: &[&str]| short_names(&dirs.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(of(&["/data/run"]), ["run"]);
        assert_eq!(of(&["/a/run", "/b/run"]), ["a/run", "b/run"]);
        assert_eq!(of(&["/a/run", "/a/run"]), ["run", "run"]);
        assert_eq!(of(&["/run", "/a/run"]), ["/run", "a/run"]);
        assert_eq!(
            of(&["/x/1/run", "/y/1/run", "/y/2/run", "/z"]),
            ["x/1/run", "y/1/run", "2/run", "z"]
        );
    }
}
