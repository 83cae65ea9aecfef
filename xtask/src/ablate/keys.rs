//! The keys of configurations, as `configs/README.md` lists them.
//!
//! `dz-config` keeps these lists (its tests compare them), and chores name none of our crates; so a
//! misspelt key in a table is found without building the program. The program checks values before
//! a table's first cell is made.

use std::{collections::BTreeSet, fs, path::Path};

use anyhow::{Context, ensure};

use super::table::Table;

/// Every key, as `section.key`, and those outside of any section.
///
/// # Errors
/// If the README has no tables of keys.
pub fn known(root: &Path) -> anyhow::Result<BTreeSet<String>> {
    let text = fs::read_to_string(root.join("configs/README.md")).context("configs/README.md")?;
    let (_, tables) = text.split_once("<!-- keys: begin -->").context("the mark of the tables")?;
    let mut keys = BTreeSet::new();
    let mut section = "";
    for line in tables.lines() {
        if let Some(title) = line.strip_prefix("### ") {
            let name = title.strip_prefix("`[").and_then(|rest| rest.strip_suffix("]`"));
            section = name.unwrap_or_default();
        } else if let Some((key, _)) = line.strip_prefix("| `").and_then(|r| r.split_once('`')) {
            let of_section = format!("{section}.{key}");
            keys.insert(of_section.trim_start_matches('.').to_owned());
        }
    }
    ensure!(!keys.is_empty(), "configs/README.md lists no keys");
    Ok(keys)
}

/// Keys of a table's base and variants that no configuration has.
///
/// # Errors
/// As [`known`], and if a variant's changes cannot be read.
pub fn unknown(table: &Table, known: &BTreeSet<String>) -> anyhow::Result<Vec<String>> {
    let mut found = BTreeSet::new();
    for variant in &table.variants {
        for (section, value) in table.config(variant)? {
            let Some(keys) = value.as_table() else {
                found.insert(section);
                continue;
            };
            found.extend(keys.keys().map(|key| format!("{section}.{key}")));
        }
    }
    Ok(found.into_iter().filter(|key| !known.contains(key)).collect())
}
