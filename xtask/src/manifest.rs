//! The workspace as its manifests and its lock file describe it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;
use toml::{Table, Value};

/// A member of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The package's name.
    pub name: String,
    /// Its folder, relative to the root.
    pub folder: PathBuf,
    /// Packages that it names: for itself, its tests and its build script, on any target.
    pub dependencies: BTreeSet<String>,
}

/// All members, by folder.
///
/// # Errors
/// If a manifest is missing or is no TOML.
pub fn members(root: &Path) -> anyhow::Result<Vec<Member>> {
    let workspace = read(&root.join("Cargo.toml"))?;
    let patterns = workspace.get("workspace").and_then(|w| w.get("members"));
    let patterns = patterns.and_then(Value::as_array).context("Cargo.toml lists no members")?;
    let mut folders = Vec::new();
    for pattern in patterns.iter().filter_map(Value::as_str) {
        match pattern.strip_suffix("/*") {
            None => folders.push(PathBuf::from(pattern)),
            Some(parent) => {
                for entry in fs::read_dir(root.join(parent)).context(parent.to_owned())? {
                    folders.push(Path::new(parent).join(entry?.file_name()));
                }
            }
        }
    }
    folders.sort();
    folders.into_iter().map(|folder| member(root, folder)).collect()
}

fn member(root: &Path, folder: PathBuf) -> anyhow::Result<Member> {
    let manifest = read(&root.join(&folder).join("Cargo.toml"))?;
    let name = manifest.get("package").and_then(|package| package.get("name"));
    let name = name.and_then(Value::as_str).context("a manifest names no package")?.to_owned();
    let mut dependencies = BTreeSet::new();
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let targets = targets.filter_map(|(_, target)| target.as_table());
    for table in [&manifest].into_iter().chain(targets) {
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            let named = table.get(kind).and_then(Value::as_table).into_iter().flatten();
            dependencies.extend(named.map(|(key, value)| package_of(key, value)));
        }
    }
    Ok(Member { name, folder, dependencies })
}

/// The package that a dependency means: its key, unless it was renamed.
fn package_of(key: &str, value: &Value) -> String {
    let renamed = value.get("package").and_then(Value::as_str);
    // Two members go by another name in the workspace's table: dz-selfplay is the package selfplay.
    let stages = ["selfplay", "shuffler", "trainer", "gatekeeper"];
    let stage = key.strip_prefix("dz-").filter(|name| stages.contains(name));
    renamed.or(stage).unwrap_or(key).to_owned()
}

/// For each package of the lock file, the packages that it needs, directly or not, by name. Tests'
/// dependencies of members count; versions do not.
///
/// # Errors
/// If the lock file is missing or is no TOML.
pub fn needs(root: &Path) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
    let lock = read(&root.join("Cargo.lock"))?;
    let mut direct: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in lock.get("package").and_then(Value::as_array).into_iter().flatten() {
        let name = package.get("name").and_then(Value::as_str).context("a package has no name")?;
        let needs = package.get("dependencies").and_then(Value::as_array).into_iter().flatten();
        // "name", "name version" or "name version (source)".
        let needs = needs.filter_map(Value::as_str).filter_map(|need| need.split(' ').next());
        direct.entry(name.to_owned()).or_default().extend(needs.map(str::to_owned));
    }
    Ok(direct.keys().map(|name| (name.clone(), reachable(&direct, name))).collect())
}

fn reachable(direct: &BTreeMap<String, BTreeSet<String>>, from: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        for need in direct.get(name).into_iter().flatten() {
            if found.insert(need.clone()) {
                open.push(need);
            }
        }
    }
    found
}

fn read(path: &Path) -> anyhow::Result<Table> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    text.parse().with_context(|| path.display().to_string())
}
