//! What of two runs must be equal: published bytes, and the ledger apart from times.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::Context;
use serde_json::Value;

/// A finished run, as far as it must not depend on kills.
#[derive(Debug)]
pub(crate) struct Run {
    /// Content of every published file by path; of the checkpoints the newest, since a process that
    /// is asked to stop publishes one more.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// The entries that say what was done.
    entries: Vec<Value>,
}

/// Fields that say how long something took or what this process, not the run, has done.
const OF_THE_PROCESS: [&str; 9] = [
    "wall_ms",
    "playouts",
    "evaluations",
    "cache_hits",
    "transpositions",
    "batches",
    "batch_fill",
    "load",
    "verdict",
];

impl Run {
    pub(crate) fn read(dir: &Path) -> anyhow::Result<Self> {
        let mut files = BTreeMap::new();
        for folder in ["shards", "rows", "networks", "matches"] {
            read_folder(dir, &dir.join(folder), &mut files)?;
        }
        let mut checkpoints = BTreeMap::new();
        read_folder(dir, &dir.join("checkpoints"), &mut checkpoints)?;
        files.extend(checkpoints.pop_last());
        Ok(Self { files, entries: entries(dir)? })
    }
}

/// What differs, in words.
pub(crate) fn differences(whole: &Run, other: &Run) -> Vec<String> {
    let mut found = Vec::new();
    for path in
        whole.files.keys().chain(other.files.keys().filter(|p| !whole.files.contains_key(*p)))
    {
        match (whole.files.get(path), other.files.get(path)) {
            (Some(left), Some(right)) if left == right => {}
            (Some(_), Some(_)) => found.push(format!("{path} has other bytes")),
            (Some(_), None) => found.push(format!("{path} is not there")),
            (None, _) => found.push(format!("{path} should not be there")),
        }
    }
    if whole.entries.len() != other.entries.len() {
        let left = whole.entries.len();
        let right = other.entries.len();
        found.push(format!("the ledger has {right} entries that count, not {left}"));
    }
    for (left, right) in whole.entries.iter().zip(&other.entries) {
        if left != right {
            found.push(format!("the ledger states {right} instead of {left}"));
            break;
        }
    }
    found
}

/// Kinds of entries that every cycle has once.
const ONCE: [&str; 5] = ["games_done", "rows", "candidate", "verdict", "cycle_done"];

/// Returns the promises that an asynchronous run in `dir` broke, in words. It is compared with the
/// counts of an undisturbed run, and with the records that kills left, in the folder `kept`.
pub(crate) fn broken_promises(
    whole: &Run,
    other: &Run,
    dir: &Path,
    kept: &Path,
) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for kind in ONCE {
        let [left, right] = [whole, other].map(|run| run.cycles_of(kind));
        if left != right {
            found.push(format!("cycles with an entry {kind}: {right:?}, not {left:?}"));
        }
    }
    let [left, right] = [whole, other].map(Run::games);
    if left != right {
        found.push(format!("games by cycle and shard: {right:?}, not {left:?}"));
    }
    if kept.exists() {
        for record in fs::read_dir(kept)? {
            let record = record?;
            let name = record.file_name();
            let now = fs::read(dir.join("log").join(&name)).ok();
            if now != Some(fs::read(record.path())?) {
                found.push(format!("log/{} is not as it was after a kill", name.display()));
            }
        }
    }
    Ok(found)
}

impl Run {
    /// Cycles that have an entry of a kind, in the ledger's order.
    fn cycles_of(&self, kind: &str) -> Vec<u64> {
        let of_kind = self.entries.iter().filter(|entry| entry["kind"] == kind);
        of_kind.filter_map(|entry| entry["cycle"].as_u64()).collect()
    }

    /// Games of each shard, by cycle and number; those of shards that are entered twice add up.
    fn games(&self) -> BTreeMap<(u64, u64), u64> {
        let mut games = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| entry["kind"] == "shard") {
            let number = |name: &str| entry[name].as_u64().unwrap_or_default();
            *games.entry((number("cycle"), number("number"))).or_default() += number("games");
        }
        games
    }
}

/// The ledger's entries without claims, times and costs of processes. Shards stand in the order of
/// their numbers, and of a cycle's checkpoints the last one stands for all.
fn entries(dir: &Path) -> anyhow::Result<Vec<Value>> {
    let mut paths: Vec<_> = fs::read_dir(dir.join("log"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|kind| kind == "json"));
    paths.sort();
    let mut entries: Vec<Value> = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let record: Value =
            serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        let mut entry = record["entry"].clone();
        strip(&mut entry);
        let kind = |entry: &Value| entry["kind"].as_str().unwrap_or_default().to_owned();
        if kind(&entry) == "claim" {
            continue;
        }
        let last = entries.last().map(kind);
        if kind(&entry) == "checkpoint" && last.as_deref() == Some("checkpoint") {
            entries.pop();
        }
        entries.push(entry);
    }
    // A stable sort: neighbouring shards change places, nothing else does.
    let place = |entry: &Value| match entry["kind"].as_str() {
        Some("shard") => entry["number"].as_u64(),
        _ => None,
    };
    for run in entries.chunk_by_mut(|a, b| place(a).is_some() && place(b).is_some()) {
        run.sort_by_key(place);
    }
    Ok(entries)
}

fn strip(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|name, _| !OF_THE_PROCESS.contains(&name.as_str()));
        fields.values_mut().for_each(strip);
    }
}

fn read_folder(
    root: &Path,
    folder: &Path,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            read_folder(root, &path, files)?;
            continue;
        }
        let name = path.strip_prefix(root)?.display().to_string();
        // Staged files of killed processes are no files yet.
        if !name.contains('#') {
            files.insert(name, fs::read(&path)?);
        }
    }
    Ok(())
}
