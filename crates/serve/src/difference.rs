//! Configurations side by side: the keys in which runs differ.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use dz_stage::InForce;
use dz_store::{Ledger, Run};
use toml::Value;

/// A key and its value in each run; empty where a run has no such key.
pub(crate) type Row = (String, Vec<String>);

/// How the configurations of some runs differ.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Difference {
    /// The keys that differ, by name.
    pub(crate) rows: Vec<Row>,
    /// For each run, why its configuration in force is not known; its `config.toml` is then
    /// compared as it stands.
    pub(crate) unknown: Vec<Option<String>>,
}

/// Compares the configurations in force of the runs at `paths`: those that their ledgers name.
/// Edits of a `config.toml` that the ledger does not know are not in force.
pub(crate) fn difference(paths: &[&Path]) -> Difference {
    let read: Vec<_> = paths.iter().map(|path| keys(path)).collect();
    let names: BTreeSet<&String> = read.iter().flat_map(|(keys, _)| keys.keys()).collect();
    let row = |name: &&String| {
        let values = read.iter().map(|(keys, _)| keys.get(*name).cloned().unwrap_or_default());
        ((*name).clone(), values.collect::<Vec<_>>())
    };
    let rows = names.iter().map(row);
    let rows = rows.filter(|(_, values)| values.iter().any(|value| *value != values[0])).collect();
    Difference { rows, unknown: read.into_iter().map(|(_, unknown)| unknown).collect() }
}

/// The keys of a run's configuration, and why the one in force is not known.
fn keys(path: &Path) -> (BTreeMap<String, String>, Option<String>) {
    let (text, unknown) = match in_force(path) {
        Ok(text) => (text, None),
        Err(error) => {
            let file = Run::open(path).and_then(|run| run.config_toml()).unwrap_or_default();
            (file, Some(error))
        }
    };
    let mut found = BTreeMap::new();
    if let Ok(table) = text.parse::<toml::Table>() {
        flatten("", &Value::Table(table), &mut found);
    }
    (found, unknown)
}

fn in_force(path: &Path) -> Result<String, String> {
    let run = Run::open(path).map_err(|error| error.to_string())?;
    let ledger = Ledger::open(&run).map_err(|error| error.to_string())?;
    let found = InForce::of(&run, ledger.state());
    found.map(|found| found.config.to_toml()).map_err(|error| dz_stage::error_text(&error))
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
        let a = run("a", "format = 1\n[run]\nseed = 1\ngame = \"hex:size=5\"\n");
        let b = run("b", "format = 1\n[run]\nseed = 2\ngame = \"hex:size=5\"\ncycles = 3\n");
        let found = difference(&[&a, &b]);
        let names: Vec<&str> = found.rows.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["run.cycles", "run.seed"]);
        assert_eq!(found.rows[0].1[1], "3");
        assert_ne!(found.rows[0].1[0], "", "a key that is left out has its default");
        assert_eq!(found.unknown, [None, None]);
        let c = run("c", "not [ toml");
        let found = difference(&[&a, &c]);
        assert!(found.rows.len() > 20 && found.unknown[1].is_some(), "{found:?}");
    }
}
