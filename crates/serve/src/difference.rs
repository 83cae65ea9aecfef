//! Configurations side by side: the keys in which runs differ.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use dz_store::Run;
use toml::Value;

/// A key and its value in each run; empty where a run has no such key.
pub(crate) type Row = (String, Vec<String>);

/// The keys in which the configurations of the runs at `paths` differ, by name. A configuration
/// that cannot be read has no keys.
pub(crate) fn difference(paths: &[&Path]) -> Vec<Row> {
    let all: Vec<BTreeMap<String, String>> = paths.iter().map(|path| keys(path)).collect();
    let names: BTreeSet<&String> = all.iter().flat_map(BTreeMap::keys).collect();
    let row = |name: &&String| {
        let values = all.iter().map(|keys| keys.get(*name).cloned().unwrap_or_default());
        ((*name).clone(), values.collect::<Vec<_>>())
    };
    let rows = names.iter().map(row);
    rows.filter(|(_, values)| values.iter().any(|value| *value != values[0])).collect()
}

fn keys(path: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let text = Run::open(path).and_then(|run| run.config_toml()).unwrap_or_default();
    if let Ok(table) = text.parse::<toml::Table>() {
        flatten("", &Value::Table(table), &mut found);
    }
    found
}

fn flatten(name: &str, value: &Value, out: &mut BTreeMap<String, String>) {
    let Value::Table(table) = value else {
        out.insert(name.to_owned(), value.to_string());
        return;
    };
    for (key, value) in table {
        let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
        flatten(&name, value, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_listed() {
        let folder = tempfile::tempdir().unwrap();
        let run = |name: &str, text: &str| {
            let path = folder.path().join(name);
            Run::create(&path, text).unwrap();
            path
        };
        let a = run("a", "format = 1\n[run]\nseed = 1\ngame = \"hex\"\n");
        let b = run("b", "format = 1\n[run]\nseed = 2\ngame = \"hex\"\ncycles = 3\n");
        let rows = difference(&[&a, &b]);
        let row = |name: &str, one: &str, other: &str| {
            (name.to_owned(), vec![one.to_owned(), other.to_owned()])
        };
        assert_eq!(rows, [row("run.cycles", "", "3"), row("run.seed", "1", "2")]);
        let c = run("c", "not [ toml");
        assert_eq!(difference(&[&a, &c]).len(), 3);
    }
}
