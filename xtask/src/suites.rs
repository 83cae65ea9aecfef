//! Every file of integration tests belongs to a test program.

use std::{fs, path::Path};

use anyhow::Context;
use toml::{Table, Value};

use crate::{manifest, sources::files};

/// Files under `tests/` of packages with `autotests = false` that neither their `suite.rs` nor
/// their manifest names: Cargo would leave them out without a word.
///
/// # Errors
/// If a manifest or a folder cannot be read.
pub fn findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for member in manifest::members(root)? {
        let folder = root.join(&member.folder);
        let text = fs::read_to_string(folder.join("Cargo.toml"))
            .with_context(|| member.folder.display().to_string())?;
        let manifest: Table = text.parse().with_context(|| member.folder.display().to_string())?;
        let autotests = manifest.get("package").and_then(|package| package.get("autotests"));
        if autotests.and_then(Value::as_bool) != Some(false) {
            continue;
        }
        let tests = folder.join("tests");
        let suite = fs::read_to_string(tests.join("suite.rs")).unwrap_or_default();
        let modules: Vec<&str> =
            suite.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';')).collect();
        let programs = manifest.get("test").and_then(Value::as_array).into_iter().flatten();
        let programs: Vec<&str> =
            programs.filter_map(|program| program.get("name").and_then(Value::as_str)).collect();
        for path in files(&tests, &["rs"])? {
            let is_top = path.parent() == Some(&tests);
            let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            if is_top && !modules.contains(&name) && !programs.contains(&name) {
                let file = path.strip_prefix(root).unwrap_or(&path).display();
                found
                    .push(format!("{file} is no part of tests/suite.rs and no program of its own"));
            }
        }
    }
    Ok(found)
}
