//! Files and folders that are not a run's own, made at random, and their state afterwards.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use dz_store::{ObjectRef, layout};
use rand::{Rng, RngExt};

/// Everything below a folder: what it is, and what it holds or leads to.
pub(crate) fn tree(root: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            let what = if kind.is_symlink() {
                format!("to {}", fs::read_link(&path).unwrap().display())
            } else if kind.is_dir() {
                folders.push(path.clone());
                "folder".to_owned()
            } else if kind.is_fifo() {
                "pipe".to_owned()
            } else {
                format!("file {}", ObjectRef::of("", &fs::read(&path).unwrap()).blake3)
            };
            found.insert(path, what);
        }
    }
    found
}

pub(crate) fn pick<'a, T>(random: &mut impl Rng, from: &'a [T]) -> &'a T {
    &from[random.random_range(0..from.len())]
}

/// A name that a run has, one close to it, or another one.
pub(crate) fn name(random: &mut impl Rng) -> String {
    if random.random_range(0..4) == 0 { pick(random, &own()).clone() } else { other(random) }
}

/// The names that a run has.
fn own() -> [String; 15] {
    [
        layout::shard_path(1, 0),
        layout::shard_path(2, 1),
        layout::rows_path(1, "train", 0),
        layout::network_path(1),
        layout::checkpoint_path(1, 5, 1),
        layout::match_path("cycle-0001-gate-bootstrap"),
        layout::log_path(1),
        layout::snapshot_path(256),
        "report.html".to_owned(),
        "expected.json".to_owned(),
        "lock".to_owned(),
        "lock-trainer".to_owned(),
        "logs/trainer.log".to_owned(),
        "metrics/trainer.jsonl".to_owned(),
        "work/shuffler/00000000000000000000-train.dzr".to_owned(),
    ]
}

/// A name that no run has: close to one that it has, in one of its folders, or anywhere.
pub(crate) fn other(random: &mut impl Rng) -> String {
    let other = [
        "checkpoints/run7/model.pt",
        "networks/best.onnx",
        "shards/shard-00.tar",
        "rows",
        "matches/2024/a.pgn",
        "work/notes.txt",
        "README.md",
        "src/main.py",
        "data/x",
    ];
    match random.random_range(0..3) {
        0 => (*pick(random, &other)).to_owned(),
        1 => format!(
            "{}{}",
            pick(random, &own()),
            pick(random, &["~", ".bak", "#1", "#x", " (1)", ".part"])
        ),
        _ => {
            let folder = pick(random, &layout::FOLDERS);
            format!(
                "{folder}/{}",
                pick(random, &["x", "cycle-0001/x", "cycle-1/00000000.dzs", "-", "a#12"])
            )
        }
    }
}

/// Puts a random thing at a path, unless something is on the way; answers whether it did.
pub(crate) fn put(random: &mut impl Rng, root: &Path, outside: &Path, name: &str) -> bool {
    let path = root.join(name);
    let ways = path.ancestors().skip(1).take_while(|way| *way != root);
    let is_blocked = |way: &Path| fs::symlink_metadata(way).is_ok_and(|meta| !meta.is_dir());
    if ways.into_iter().any(is_blocked) || fs::symlink_metadata(&path).is_ok() {
        return false;
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    match random.random_range(0..6) {
        0 => fs::create_dir(&path).unwrap(),
        1 => symlink(outside, &path).unwrap(),
        2 => symlink(outside.join("cycle-0001/00000000.dzs"), &path).unwrap(),
        3 => symlink("/nowhere/at/all", &path).unwrap(),
        4 => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
        _ => fs::write(&path, format!("mine {}", random.random::<u32>())).unwrap(),
    }
    true
}

/// A folder beside runs, with files of the names that runs have.
pub(crate) fn outside(folder: &Path) -> PathBuf {
    let outside = folder.join("outside");
    for name in
        ["cycle-0001/00000000.dzs", "cycle-0001/00000001.dzs#123000", "cycle-0001.dzn", "x/y"]
    {
        let path = outside.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, name).unwrap();
    }
    outside
}
